/** `help environment`: every environment variable that is read, with its purpose. Those of settings come from the table of settings. */
import { type ProfileSetting, profileSettings } from '../../../config/profile-settings.ts';
import type { HelpPage } from '../help-page.ts';

const variables: readonly { title: string; variables: Readonly<Record<string, string>> }[] = [
  {
    title: 'Profile and token',
    variables: {
      PROCTOR_PROFILE: 'profile to use, as with --profile',
      PROCTOR_TOKEN: 'the token itself; it belongs to no profile, and is sent to the current base URL',
      PROCTOR_TOKEN_FILE: 'file that holds the token, instead of PROCTOR_TOKEN',
    },
  },
  { title: 'Settings that override the profile', variables: ofSettings() },
  {
    title: 'Folders',
    variables: {
      PROCTOR_CONFIG_DIR: 'folder of config.json; else proctor-cli in XDG_CONFIG_HOME, ~/.config or APPDATA (Windows)',
      PROCTOR_STATE_DIR:
        "folder for the record of runs and the embedded service's data; else proctor-cli in XDG_STATE_HOME, ~/.local/state or LOCALAPPDATA (Windows)",
      XDG_CONFIG_HOME: 'parent of the configuration folder, an absolute path',
      XDG_STATE_HOME: 'parent of the state folder, an absolute path',
      XDG_CACHE_HOME: 'parent of the folder for compiled code, which makes startup faster; else ~/.cache or LOCALAPPDATA (Windows)',
      APPDATA: 'parent of the configuration folder on Windows',
      LOCALAPPDATA: 'parent of the state folder on Windows, and of that for compiled code',
      HOME: 'the home folder, ~',
      USERPROFILE: 'the home folder on Windows',
    },
  },
  {
    title: "A team's database",
    variables: {
      PGPASSWORD: 'its password',
      PGPASSFILE:
        'file with passwords where PGPASSWORD is not set, each line host:port:database:user:password, for its owner only; else ~/.pgpass',
      PGSSLROOTCERT: 'PEM file of the certificate authorities to trust for it, instead of the usual ones',
    },
  },
  {
    title: 'Output',
    variables: {
      PROCTOR_OUTPUT: 'output format, as with --output',
      NO_COLOR: 'not empty: no colours',
      FORCE_COLOR: 'not empty: colours even if the terminal claims to have none; 0 and false: none',
      TERM: 'dumb: no colours, and the same as --plain',
    },
  },
  {
    title: 'Network',
    variables: {
      HTTPS_PROXY: 'proxy for https; also https_proxy. Requests to this machine use no proxy',
      NO_PROXY: 'hosts that are reached without the proxy, separated by commas; also no_proxy',
      NODE_EXTRA_CA_CERTS: "PEM file of further certificate authorities, read by Node itself; the setting caFile is a profile's own",
    },
  },
  {
    title: 'Continuous integration',
    variables: {
      CI: 'true: never ask',
      GITHUB_SERVER_URL: 'with GITHUB_REPOSITORY and GITHUB_RUN_ID: the CI job that runs list names',
      CI_JOB_URL: 'the same on GitLab',
      USER: 'the user that runs list names outside of a CI job; also LOGNAME and USERNAME',
    },
  },
];

function ofSettings(): Record<string, string> {
  const withVariable = Object.entries<ProfileSetting>(profileSettings).flatMap(([key, { variable, meaning, flag }]) =>
    variable === undefined ? [] : [[variable, `${meaning}${flag ? `; overridden by ${flag}` : ''} (setting ${key})`]],
  );
  return Object.fromEntries(withVariable);
}

export const environment: HelpPage = {
  summary: 'The environment variables that proctor-cli reads',
  about: [
    'Flags override the environment, the environment overrides the profile, the profile overrides the default. An empty variable counts as unset.',
    'For one command: PROCTOR_PROFILE=sandbox PROCTOR_OUTPUT=json proctor-cli exams list',
  ],
  sections: [
    {
      title: 'Examples',
      examples: [{ line: 'proctor-cli config list', description: 'the current settings, and which of them come from a variable' }],
    },
    ...variables.map(({ title, variables: named }) => ({ title, terms: Object.entries(named) })),
  ],
};
