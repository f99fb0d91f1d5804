/** Logging in: the token goes from a prompt or stdin into the configuration, and is shown by `auth token` only. */

import { operations } from '../api/operations.ts';
import { type Column, type Context, defineCommand } from '../command.ts';
import { type Profile, readConfig } from '../config/file.ts';
import {
  existingNameInForce,
  nameInForce,
  profileNamed,
  profileOption,
  requireProfile,
  sandboxProfile,
  without,
  withProfile,
} from '../config/named-profiles.ts';
import { profileSettings } from '../config/profile-settings.ts';
import { inForce, normaliseGiven, type Settings, settingsOf } from '../config/settings.ts';
import { changeConfig } from '../config/store.ts';
import { checked, tokenSource, tokenVariables } from '../config/token.ts';
import { CliError, isInterruption } from '../errors.ts';
import type { PagingFound } from '../features/doctor/find-paging.ts';
import { canAsk, type Host } from '../host/host.ts';
import { InvalidValue } from '../model/invalid-value.ts';
import { maskedToken } from '../model/secrets.ts';
import { shellQuoted, typedCommand, typedOption } from '../model/shell-quote.ts';
import { sentence } from '../text/sentence.ts';

const login = defineCommand({
  name: 'auth login',
  summary: 'Store the address and the token of a service',
  details:
    'Asks for both, or takes them from --base-url and, with --with-token, from stdin. A token is never given as an argument. If lists have several pages, it proposes the setting dialect.paging.',
  effect: 'local',
  flags: {
    withToken: { type: 'boolean', description: 'read the token from stdin' },
    verify: {
      rare: true,
      type: 'boolean',
      negatable: true,
      description: 'check address and token with a request before storing them (the default)',
    },
    authPrefix: {
      type: 'text',
      value: 'word',
      description: `word before the token in the Authorization header; ask your service (default: ${profileSettings.authPrefix.default})`,
    },
    institute: { rare: true, type: 'text', value: 'id', description: 'institute whose users are listed by default' },
  },
  async run(context, { withToken, verify, authPrefix, institute }) {
    const { host, globals } = context;
    refuseOverridden(host);
    const config = readConfig(host);
    const name = nameInForce(host, globals, config);
    if (name === sandboxProfile) {
      throw new CliError('usage', 'The profile sandbox is built in and needs no login.', {
        hint: 'Choose another profile: proctor-cli auth login --profile NAME',
      });
    }
    if (!withToken && !canAsk(host, globals.noInput)) {
      throw new CliError('needs_terminal', 'A token is required, but this is not an interactive terminal.', {
        hint: 'Pass it on stdin: proctor-cli auth login --base-url URL --with-token < FILE',
      });
    }
    const stored = profileNamed(config, name);
    const given: { -readonly [Key in keyof Profile]: Profile[Key] } = {
      ...(authPrefix === undefined ? {} : { authPrefix: normaliseGiven(profileSettings.authPrefix, authPrefix, '--auth-prefix') }),
      ...(institute === undefined ? {} : { institute: normaliseGiven(profileSettings.institute, institute, '--institute') }),
      baseUrl: await baseUrlOf(context, name, stored, withToken === true),
    };
    const settingsWith = (token: string) => settingsOf({ host, globals, name, profile: loggedIn(stored, { ...given, token }) });
    const tried = async (token: string) => ({ token, paging: verify === false ? undefined : await check(context, settingsWith(token)) });
    const { token, paging } = withToken ? await tried(await tokenFromStdin(host)) : await askToken(context, tried);
    given.token = token;
    const settings = settingsWith(token);
    const declared =
      paging && !(paging instanceof CliError) && canAsk(host, globals.noInput) && (await declares(host, paging)) ? paging.value : undefined;
    if (declared !== undefined) given['dialect.paging'] = declared;
    let current: string | undefined;
    await changeConfig(host, (fresh) => {
      const next = withProfile(fresh, name, loggedIn(profileNamed(fresh, name), given));
      current = next.current;
      return next;
    });
    context.say(
      sentence`${verify === false ? 'Stored the token (not checked) for' : 'Logged in to'} ${settings.origin} as profile ${name}.`,
    );
    if (stored.tokenCommand !== undefined) context.say(sentence`The token command of profile ${name} was removed: the token replaces it.`);
    if (current !== name)
      context.say(sentence`Use it with ${typedOption('--profile', name)}, or always: proctor-cli auth switch ${shellQuoted(name)}`);
    if (declared === undefined) sayPaging(context, paging, name);
    return { kind: 'nothing' };
  },
  examples: [
    { line: 'proctor-cli auth login', description: 'asks for address and token, and checks them' },
    {
      line: 'proctor-cli auth login --profile test --base-url https://test.proctor.example.org --with-token < token.txt',
      description: 'without a prompt',
    },
  ],
});

const statusColumns: readonly Column[] = [
  { key: 'profile' },
  { key: 'current', as: 'boolean' },
  { key: 'baseUrl', title: 'base URL', whole: true },
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
    // A name that was typed and is none may be a token: it is not listed, but refused.
    const isTyped = globals.profile !== undefined || Boolean(host.env.PROCTOR_PROFILE);
    const current = isTyped ? existingNameInForce(host, globals, config) : nameInForce(host, globals, config);
    const names = globals.profile === undefined ? new Set([current, ...Object.keys(config.profiles), sandboxProfile]) : [current];
    const rows = [];
    let failure: CliError | undefined;
    for (const name of names) {
      const row = { profile: name, current: name === current, baseUrl: null as string | null, token: null as string | null };
      try {
        if (row.current) existingNameInForce(host, globals, config);
        const profile = profileNamed(config, name);
        const settings = settingsOf({ host, globals, name, profile });
        row.baseUrl = settings.sandbox ? 'built in' : settings.baseUrl;
        // Only the token command of the current profile is run.
        const hasToken = !settings.sandbox && (row.current || !tokenSource(host, name, profile)?.runs);
        if (hasToken) row.token = maskedToken((await settings.token()).value);
        rows.push({ ...row, problem: null });
      } catch (error) {
        if (!(error instanceof CliError) || isInterruption(error)) throw error;
        if (row.current) failure = error;
        rows.push({ ...row, problem: `${error.message} ${error.hint}` });
      }
    }
    return { kind: 'list', rows, columns: statusColumns, id: 'profile', ...(failure ? { failure } : {}) };
  },
  examples: [
    { line: 'proctor-cli auth status', description: 'every profile; sandbox is built in' },
    { line: 'proctor-cli auth status --profile sandbox', description: 'one profile' },
  ],
});

const choose = defineCommand({
  name: 'auth switch',
  summary: 'Choose the current profile',
  effect: 'local',
  args: { name: { description: 'the profile', complete: 'profiles' } },
  async run(context, { name }) {
    await changeConfig(context.host, (config) => {
      requireProfile(config, name);
      return { ...config, current: name };
    });
    context.say(sentence`Profile ${name} is now the current profile.`);
    if (context.host.env.PROCTOR_PROFILE) context.warn('PROCTOR_PROFILE is set and overrides it.');
    return { kind: 'nothing' };
  },
  examples: [{ line: 'proctor-cli auth switch sandbox', description: 'from now on every command uses the embedded service' }],
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
      if (profile.token === undefined) {
        const command =
          profile.tokenCommand === undefined
            ? undefined
            : sentence`Remove its token command with: proctor-cli config unset tokenCommand${profileOption(name)}`;
        throw new CliError('not_logged_in', sentence`No token is stored in profile ${name}.`, {
          hint: command ?? 'List the profiles and their tokens with: proctor-cli auth status',
        });
      }
      return withProfile(config, name, without(profile, 'token'));
    });
    context.say(sentence`Removed the token of profile ${name}; its other settings are kept.`);
    const variable = tokenVariable(host);
    if (variable) context.warn(sentence`${variable} is still set and provides a token.`);
    return { kind: 'nothing' };
  },
  examples: [{ line: 'proctor-cli auth logout', description: 'remove the token from this machine; the service still accepts it' }],
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
    return { kind: 'one', row: { token: (await fetch()).value }, columns: [{ key: 'token' }], only: 'token', reveal: true };
  },
  examples: [{ line: 'proctor-cli auth token | wc -c', description: 'only its length' }],
});

export const auth = [login, status, choose, logout, token] as const;

/** The variable that overrides what a profile stores. */
function tokenVariable({ env }: Host): string | undefined {
  return tokenVariables.find((name) => env[name]);
}

function refuseOverridden(host: Host) {
  const variable = tokenVariable(host);
  if (!variable) return;
  throw new CliError('usage', sentence`${variable} is set and would override the stored token.`, {
    hint: sentence`Remove it first: unset ${variable}`,
  });
}

/** The profile after a login: the new token replaces the old one, or the token command. */
function loggedIn(stored: Profile, given: Profile): Profile {
  return { ...without(stored, 'tokenCommand'), ...given };
}

/** From flag or environment; otherwise prompted for, or taken from the profile without prompts. */
async function baseUrlOf({ host, globals }: Context, name: string, profile: Profile, withToken: boolean): Promise<string> {
  const setting = profileSettings.baseUrl;
  const { text, from, source } = inForce('baseUrl', { host, globals, name, profile });
  if (text !== undefined && (withToken || from !== 'profile')) return normaliseGiven(setting, text, source);
  if (!canAsk(host, globals.noInput)) {
    throw new CliError('needs_terminal', sentence`A base URL for profile ${name} is required, but this is not an interactive terminal.`, {
      hint: 'Add --base-url URL, or set PROCTOR_BASE_URL.',
    });
  }
  const problemOf = (answer: string) => {
    try {
      setting.normalise(answer);
      return undefined;
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      return sentence`${[error.message, error.hint].filter(Boolean).join(' ')}`;
    }
  };
  const answer = await host.prompts.text('Address of the service, such as proctor.example.org:', {
    check: problemOf,
    ...(text === undefined ? {} : { initial: text }),
  });
  return normaliseGiven(setting, answer, 'the prompt');
}

/** Asks for the token until it is one and the service takes it; everything else that was answered stays. */
async function askToken<T>({ host, warn }: Context, tried: (token: string) => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await tried(checked(await host.prompts.password('Token, from the operator of the service:'), 'invalid_input', 'the prompt'));
    } catch (error) {
      if (!(error instanceof CliError) || !['invalid_input', 'token_refused'].includes(error.code)) throw error;
      warn(sentence`${error.message} ${error.code === 'token_refused' ? anotherToken : error.hint}`);
    }
  }
}

const anotherToken = sentence`Enter another token, or press Ctrl-C and check the address and --auth-prefix.`;

async function tokenFromStdin(host: Host): Promise<string> {
  if (host.stdin.isTTY) {
    throw new CliError('usage', '--with-token reads from a pipe or a file, but stdin is a terminal, which would show the token.', {
      hint: 'Leave out --with-token to be prompted, or add: < FILE',
    });
  }
  let text: string;
  try {
    text = await host.stdin.text();
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError('invalid_input', 'The token could not be read from stdin as UTF-8 text.');
  }
  return checked(text, 'invalid_input', 'stdin');
}

/** Tests the new settings by reading the list of exams. Throws its error. Then finds out how lists continue. */
async function check(context: Context, settings: Settings): Promise<PagingFound | CliError | undefined> {
  context.secrets.use((await settings.token()).value);
  const client = await context.connect(settings);
  try {
    for await (const _page of client.pages(operations.listExams, {}, { unsure: 'accept' })) break;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { code, message, hint, status: http } = error;
    const advice = code === 'token_refused' ? 'Check the token, its prefix (--auth-prefix) and the address, and log in again.' : hint;
    throw new CliError(code, sentence`${context.secrets.masked(message)} Nothing was stored.`, {
      hint: advice,
      ...(http === undefined ? {} : { status: http }),
    });
  }
  const { findPaging } = await import('../features/doctor/find-paging.ts');
  try {
    return await findPaging(settings, ({ does }, path) => client.read({ method: 'GET', path, does }));
  } catch (error) {
    // The login stands; the doctor finds out the rest.
    if (!(error instanceof CliError) || isInterruption(error)) throw error;
    return undefined;
  }
}

/** Whether a person wants the setting that was found stored with the login. */
function declares(host: Host, { value }: PagingFound): Promise<boolean> {
  const question = sentence`The service shows long lists on several pages. Save how they are requested (dialect.paging ${value})?`;
  return host.prompts.confirm(question, { initial: true });
}

function sayPaging(context: Context, paging: PagingFound | CliError | undefined, profile: string) {
  if (paging === undefined) return;
  if (paging instanceof CliError) return context.warn(sentence`warning: ${paging.message} ${paging.hint}`);
  const { value } = paging;
  const line = typedCommand('config set dialect.paging', [value], typedOption('--profile', profile));
  context.say(sentence`The service shows long lists on several pages. Declare how they are requested: proctor-cli ${line}`);
}
