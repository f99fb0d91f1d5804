/** Profiles and their tokens. */
import { type Column, defineCommand } from '../command.ts';
import { existing, existingNameInForce, nameInForce, profileNamed, readConfig, sandboxProfile } from '../config/profiles.ts';
import { settingsOf, tokenSource } from '../config/settings.ts';
import { changeConfig, withoutSetting, withProfile } from '../config/store.ts';
import { CliError, expected } from '../errors.ts';
import { maskedToken } from '../model/secrets.ts';
import { sentence } from '../text/sentence.ts';
import { login, tokenVariable } from './auth-login.ts';

const statusColumns: readonly Column[] = [
  { key: 'profile' },
  { key: 'current', as: 'boolean' },
  { key: 'baseUrl', title: 'base URL', identifies: 'whole' },
  { key: 'token' },
  { key: 'problem' },
];

const status = defineCommand({
  name: 'auth status',
  summary: 'List the profiles, and what is wrong with each',
  details: 'Sends nothing. Fails if the current profile cannot be used; the hint names the command that fixes it.',
  effect: 'local',
  columns: statusColumns,
  async run({ host, globals }) {
    const config = readConfig(host);
    // A typed name that is none may be a token: it is refused, not listed.
    const isTyped = globals.profile !== undefined || Boolean(host.env.PROCTOR_PROFILE);
    const current = isTyped ? existingNameInForce(host, globals, config) : nameInForce(host, globals, config);
    const all = new Set([current, ...Object.keys(config.profiles), sandboxProfile]);
    const rows = [];
    let failure: CliError | undefined;
    for (const name of globals.profile === undefined ? all : [current]) {
      const unknown: { baseUrl: string | null; token: string | null } = { baseUrl: null, token: null };
      const row = { profile: name, current: name === current, ...unknown };
      try {
        if (row.current) existingNameInForce(host, globals, config);
        const profile = profileNamed(config, name);
        const settings = settingsOf({ host, globals, name, profile });
        row.baseUrl = settings.sandbox ? 'built in' : settings.baseUrl;
        // Only the token command of the current profile is run.
        const hasToken = !settings.sandbox && (row.current || !tokenSource(host, name, profile)?.runs);
        if (hasToken) row.token = maskedToken(await settings.token());
        rows.push({ ...row, problem: null });
      } catch (error) {
        const problem = expected(error);
        if (row.current) failure = problem;
        rows.push({ ...row, problem: problem.message });
      }
    }
    return { kind: 'list', rows, columns: statusColumns, id: 'profile', failure };
  },
  examples: { 'proctor-cli auth status': 'every profile; sandbox is built in' },
});

const choose = defineCommand({
  name: 'auth switch',
  summary: 'Choose the current profile',
  effect: 'local',
  args: { name: { description: 'the profile', complete: 'profiles' } },
  async run(context, { name }) {
    await changeConfig(context.host, (config) => ({ ...config, current: existing(config, name) }));
    context.say(sentence`Profile ${name} is now the current profile.`);
    if (context.host.env.PROCTOR_PROFILE) context.warn('PROCTOR_PROFILE is set and overrides it.');
    return { kind: 'nothing' };
  },
  examples: { 'proctor-cli auth switch sandbox': 'every command uses the embedded service' },
});

const logout = defineCommand({
  name: 'auth logout',
  summary: "Remove the profile's token",
  effect: 'local',
  async run(context) {
    const { host, globals } = context;
    let name = '';
    await changeConfig(host, (config) => {
      name = existingNameInForce(host, globals, config);
      const profile = profileNamed(config, name);
      if (profile.token !== undefined) return withProfile(config, name, withoutSetting(profile, 'token'));
      throw new CliError('not_logged_in', sentence`No token is stored in profile ${name}.`, {
        hint:
          profile.tokenCommand === undefined
            ? 'List the profiles and their tokens with: proctor-cli auth status'
            : 'Remove its token command with: proctor-cli config unset tokenCommand',
      });
    });
    context.say(sentence`Removed the token of profile ${name}; its other settings are kept.`);
    const variable = tokenVariable(host);
    if (variable) context.warn(sentence`${variable} is still set and provides a token.`);
    return { kind: 'nothing' };
  },
  examples: {
    'proctor-cli auth logout': 'remove the token from this machine; the service still accepts it',
  },
});

const token = defineCommand({
  name: 'auth token',
  summary: 'Print the current token',
  details: 'No other command prints it.',
  effect: 'local',
  columns: [{ key: 'token' }],
  async run(context) {
    const { sandbox, token: fetch } = context.settings();
    if (sandbox)
      throw new CliError('not_logged_in', 'The profile sandbox has no lasting token to print.', {
        hint: 'See: proctor-cli sandbox serve --help',
      });
    return { kind: 'one', row: { token: await fetch() }, columns: [{ key: 'token' }], only: 'token', reveal: true };
  },
  examples: { 'proctor-cli auth token | wc -c': 'only its length' },
});

export const commands = [login, status, choose, logout, token];
