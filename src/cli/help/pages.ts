/** The pages of the help that belong to no command. */
import { Help } from 'commander';
import { type ProfileSetting, profileSettings } from '../../config/profile-settings.ts';
import { formats } from '../../output/formats.ts';

/** The page fits 80 columns. */
export const firstPage = `Administer proctored exams: from a terminal, a script or CI.

Usage: proctor-cli <noun> <verb> [options]

Start here
  proctor-cli --profile sandbox exams list   try it: invented data, no mails
  proctor-cli auth login                     your service: address, token, zone
Before the exam
  exams           list, create, update, clone, shift, delay; apply a timetable
  sessions        the students of an exam: import a roster, list, move, delete
  accommodations  extra time from a list
  proctors        the proctors of an exam: list, add, remove
  users           the users of your institute
  preflight       is everything ready? each problem with the command to fix it
  exams send-emails      mail all students of an exam, once
On the day and after
  sessions watch         who needs help now
  sessions find TEXT     a student by name, address or number
  sessions extend ID     more time for one student; exams delay: for everyone
  exams report           who has not come, suspicion, a page to print
When something went wrong
  runs            what was changed from here: list, show, resume, undo
  doctor          settings, token, service: each problem with its fix

More: api, students, auth, config, sandbox, completion
Each has its own help: proctor-cli exams --help
Topics (proctor-cli help TOPIC): times, exit-status, environment
With every command: -o, --output ${formats.join('|')}, --columns a,b,
  --profile, --base-url, --yes, --no-input, -q, --quiet, --debug, --timeout,
  --timezone, --no-color, --plain, --show-secrets; with every command that
  writes: --dry-run, --during-exam REASON; with every read: --to FILE --force.
  Also -h, --help and -V, --version.
`;

type Terms = Readonly<Record<string, string>>;

/** Paragraphs, and lists of terms below a title; laid out for a terminal of some width. */
const page =
  (...parts: readonly (string | readonly [title: string, terms: Terms])[]) =>
  (width: number) => {
    const layout = Object.assign(new Help(), { helpWidth: width, minWidthToWrap: 20 });
    const texts = parts.map((part) => {
      if (typeof part === 'string') return layout.boxWrap(part, width);
      const [title, terms] = part;
      const longest = Math.max(...Object.keys(terms).map((term) => term.length));
      const column = Math.min(longest, Math.floor(width / 2));
      const items = Object.entries(terms).map(([term, does]) => layout.formatItem(term, column, does, layout));
      return [title, ...items].join('\n');
    });
    return `${texts.join('\n\n')}\n`;
  };

export const times = {
  Accepted: {
    '2027-02-01T09:00+01:00': 'with its offset; seconds may follow, and a space may replace the T',
    '2027-02-01T08:00Z': 'UTC',
    '2027-02-01T09:00': 'in your time zone (--timezone, PROCTOR_TIMEZONE or the setting timezone)',
    '1.2.2027 9:00': 'with dots the day is first; in your time zone',
    '+2h30m': 'from now, in h, m and s; also now, now+15m and now-1h',
    'today 09:00': 'also yesterday and tomorrow; in your time zone',
  },
  'For an end (--end, --close-time), also': {
    '11:00': 'on the day of the start, in your time zone',
    '2h': 'from the start; also 1h30m and 15 min',
  },
  Refused: {
    '2027-03-28T02:30': 'in Vienna: the clocks skip it',
    '2027-10-31T02:30': 'in Vienna: it occurs twice; the message shows both',
    '2027-02-01': 'the time of day is missing',
    '2027-02-01T24:00': 'a day ends at 00:00 of the next: 2027-02-02T00:00',
    '03/04/2027': 'the day may be first, or the month',
    '+1d': 'a day is not always 24 hours long; write +24h',
  },
} as const satisfies Readonly<Record<string, Terms>>;

export const exitStatuses: Readonly<Record<number, string>> = {
  0: 'done',
  1: 'a bug in proctor-cli',
  2: 'usage error: the command line, or a question without an interactive terminal',
  3: 'invalid input: a value, a file, the configuration, an output that cannot be written, or a list in doubt until a setting is made',
  4: 'no token, or the service refused it (401, 403)',
  5: 'unsupported operation, refused before any request',
  6: 'not found (404), or nothing is selected',
  7: 'the service rejected the request (any other 4xx), or did not carry out what it accepted',
  8: "not available now: service, network, the record's database, or locked by another run; retry later",
  9: 'partly done: each failed item is reported',
  10: 'outcome unknown: a write may have been carried out; the message says how to check',
  11: 'something is not as it should be, and nothing was written: the output names the differences',
  12: 'refused: the exam is running, and the request would take something from its students',
  130: 'stopped by Ctrl-C, or cancelled at a question',
  143: 'stopped by SIGTERM or SIGHUP',
};

function settingsByVariable(): Terms {
  const terms: Record<string, string> = {};
  for (const [key, { variable, meaning, flag }] of Object.entries<ProfileSetting>(profileSettings))
    if (variable && !key.startsWith('dialect.')) terms[variable] = `${meaning}${flag ? `; overridden by ${flag}` : ''} (setting ${key})`;
  return { ...terms, PROCTOR_DIALECT_PAGING: 'setting dialect.paging; each setting has such a variable: proctor-cli config list --all' };
}

const folders = {
  PROCTOR_CONFIG_DIR: 'folder of config.json, an absolute path or ~/; else proctor-cli in XDG_CONFIG_HOME, ~/.config or LOCALAPPDATA',
  PROCTOR_STATE_DIR:
    "folder of the record and the sandbox's data, an absolute path or ~/; else proctor-cli in XDG_STATE_HOME, ~/.local/state or LOCALAPPDATA",
  XDG_CACHE_HOME: 'parent of the folder for compiled code; else ~/.cache or LOCALAPPDATA',
  HOME: 'the home folder, ~; USERPROFILE on Windows',
};

const otherVariables = {
  PGPASSWORD: "password of a team's database; without it, the line in PGPASSFILE, ~/.pgpass, or postgresql\\pgpass.conf in APPDATA",
  PGSSLROOTCERT: 'PEM file of the certificate authorities for that database, instead of the usual ones',
  PROCTOR_OUTPUT: 'output format, as with --output',
  NO_COLOR: 'not empty: no colours',
  FORCE_COLOR: 'not empty: colours, even if the terminal claims to have none; 0 and false: no colours',
  TERM: 'dumb: as --plain, and no colours',
  HTTPS_PROXY: 'proxy for https, but not for this machine; also https_proxy',
  NO_PROXY: 'hosts and networks (10.0.0.0/8) reached without the proxy, separated by commas; also no_proxy',
  NODE_EXTRA_CA_CERTS: 'PEM file of further certificate authorities; for one profile: the setting caFile',
  MSYSTEM: 'set by Git Bash; with PROMPT and PSModulePath it shows in which Windows shell the program runs',
  CI: 'true: never ask',
  GITHUB_SERVER_URL: 'with GITHUB_REPOSITORY and GITHUB_RUN_ID: the CI job that runs list names',
  CI_JOB_URL: 'the same on GitLab',
  USER: 'the user that runs list names outside of a CI job; also LOGNAME and USERNAME',
};

export const topics: Readonly<Record<string, (width: number) => string>> = {
  times: page(
    'How times are written.',
    'Without a time zone, times are shown in that of this machine, and never read in it. Only the profile sandbox uses it for both.',
    ...Object.entries(times),
    'To select exams, --from and --until also take today, tomorrow or a date: --from 2027-02-01 begins with that day in your time zone, --until 2027-02-01 ends with it.',
    'START FROM and START BY are the times of a session (open_time, close_time). In brackets they are those of the exam, because the session has none. After START BY the student may no longer start. The specification of the service does not say whether it also ends an exam that has been started.',
    'Tables show local time with its offset. JSON and CSV show times as the service sent them, mostly in UTC. Requests send ISO 8601 in UTC (setting dialect.timeFormat). Limits such as --timeout are written 30s, 2m or 1500ms.',
  ),
  'exit-status': page(
    'Exit statuses and error codes.',
    'Only complete success is 0. With -o json or ndjson an error is one line on stderr, {"error":{"code","message","hint","status","exit"}}. Its code is more specific than the status.',
    ['Status', exitStatuses],
    'In a script, treat 10 as its own case: check as the hint says before you repeat the command. After 8 nothing was created, and you can run the same command again. After 3, first correct the problem that the message names. An error after a write, such as a full disk for the output, ends with 9 or 10.',
  ),
  environment: page(
    'The environment variables that proctor-cli reads.',
    'Flags override the environment, which overrides the profile, which overrides the default. An empty variable counts as unset. For each value in force and its source: proctor-cli config list',
    [
      'Profile and token',
      {
        PROCTOR_PROFILE: 'profile to use, as with --profile',
        PROCTOR_TOKEN: 'the token, for the current base URL; it belongs to no profile',
        PROCTOR_TOKEN_FILE: 'file that holds the token, instead of PROCTOR_TOKEN',
      },
    ],
    ['Settings that override the profile', settingsByVariable()],
    ['Folders', folders],
    ['Other', otherVariables],
  ),
};

export function topicOf(word: string) {
  const name = /^\d+$/.test(word) ? 'exit-status' : Object.keys(topics).find((each) => each.startsWith(word));
  return name && topics[name];
}
