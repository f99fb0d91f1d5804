import { TransportFailure } from '../../api/answer.ts';
import { operations } from '../../api/operations.ts';
import type { Cure } from '../../api/paging.ts';
import { checkName } from '../../api/refusal.ts';
import { type Context, defineCommand } from '../../command.ts';
import { normalised, profileSettings, type SettingKey } from '../../config/profile-settings.ts';
import { byVariable, nameInForce, type Profile, profileNamed, readConfig, sandboxProfile } from '../../config/profiles.ts';
import { resolveSetting, type SettingSources, type Settings, settingsOf } from '../../config/settings.ts';
import { changeConfig, withoutSetting, withProfile } from '../../config/store.ts';
import { checkedToken, tokenVariables } from '../../config/token.ts';
import { CliError, expected, orElse } from '../../errors.ts';
import { checkPaging } from '../../features/doctor/check-paging.ts';
import type { Host } from '../../host/host.ts';
import { flagName, shellQuoted, typedInput, typedOption, typedVariable } from '../../model/shell-quote.ts';
import { sentence } from '../../text/sentence.ts';

export const command = defineCommand({
  name: 'auth login',
  summary: 'Store the address and the token of a service',
  details:
    'Asks for address, token, time zone and institute; the last two can be left out. If the lists of the service need dialect.paging or dialect.listKey, it offers to set it, or prints the command.',
  effect: 'local',
  flags: {
    withToken: { type: 'boolean', description: 'read the token from stdin' },
    verify: {
      rare: true,
      type: 'boolean',
      negatable: 'only',
      description: 'store address and token unchecked',
    },
    authPrefix: {
      type: 'text',
      value: 'word',
      description: `${profileSettings.authPrefix.meaning} (default: ${profileSettings.authPrefix.default})`,
    },
    institute: {
      rare: true,
      type: 'text',
      value: 'id',
      description: profileSettings.institute.meaning,
    },
  },
  async run(context, { withToken, verify, authPrefix, institute }) {
    const { host, globals } = context;
    refuseOverridden(tokenVariables(host));
    const config = readConfig(host);
    const name = nameInForce(host, globals, config);
    if (name === sandboxProfile)
      throw new CliError('usage', sentence`${byVariable(host, globals)}The profile sandbox is built in and needs no login.`, {
        hint: 'Choose another profile: proctor-cli auth login --profile NAME',
      });
    if (!withToken && globals.noInput)
      throw new CliError('needs_terminal', 'A token is required, but this is not an interactive terminal.', {
        hint: sentence`Pass it on stdin: ${loginFromFile()}`,
      });
    const stored = profileNamed(config, name);
    const sources = { host, globals, name, profile: stored };
    const given: Given = {};
    const options = { authPrefix, institute, timezone: globals.timezone };
    for (const key of ['authPrefix', 'institute', 'timezone'] as const) {
      const text = options[key];
      if (text !== undefined) given[key] = normalised(key, text, flagName(key));
    }
    given.baseUrl = await baseUrlOf(sources, withToken === true);
    const settings = () => settingsOf({ ...sources, profile: loggedIn(stored, given) });
    const tried = async () => (verify === false ? undefined : check(context, settings()));
    if (withToken) given.token = await tokenFromStdin(context);
    let found = withToken ? await tried() : await askToken(context, given, tried, () => settings().authPrefix);
    if (!withToken) await askRest(sources, given);
    while (!withToken && found?.cure && (await agreesTo(found, found.cure, host))) {
      const { key, value } = found.cure;
      refuseOverridden(variablesOf(key, host));
      given[key] = value;
      const next = await tried();
      const isSame = next?.cure?.key === key && next.cure.value === value;
      found = isSame && !next.failure ? undefined : next;
    }
    if (found?.failure) throw found.failure;
    await changeConfig(host, (fresh) => withProfile(fresh, name, loggedIn(profileNamed(fresh, name), given)));
    // The profile has it now: printed commands need not name it.
    delete globals.baseUrl;
    const did = verify === false ? 'Stored the token (not checked) for' : 'Logged in to';
    context.say(sentence`${did} ${settings().origin} as profile ${name}.`);
    if (stored.tokenCommand !== undefined) context.say(sentence`The token command of profile ${name} was removed: the token replaces it.`);
    const ofProfile = typedOption('--profile', name);
    if (found) context.warn(sentence`warning: ${found.message} ${found.hint} ${ofProfile}`);
    const isCurrent = readConfig(host).current === name;
    if (isCurrent && verify === false) context.say(sentence`Profile ${name} is the current profile now.`);
    if (isCurrent) context.say('Next: proctor-cli exams list');
    else context.say(sentence`Use it with ${ofProfile}, or always: proctor-cli auth switch ${shellQuoted(name)}`);
    return { kind: 'nothing' };
  },
  examples: {
    'proctor-cli auth login': 'asks for address and token, and checks them',
    'proctor-cli auth login --profile test --base-url https://test.proctor.example.org --with-token': 'reads the token from stdin',
  },
});

/** `failure`: without its cure, no list can be read. */
type Found = Pick<CliError, 'message' | 'hint'> & { cure: Cure | undefined; failure: CliError | undefined };

async function agreesTo({ message }: Found, { key, value }: Cure, host: Host): Promise<boolean> {
  return (await host.questions()).confirm(sentence`${message} Set ${key} to ${value}?`, true);
}

type Given = { -readonly [Key in keyof Profile]: Profile[Key] };

/** The variable of a setting, if it is set. */
function variablesOf(key: SettingKey, { env }: Host): string[] {
  const { variable = '' } = profileSettings[key];
  return env[variable] ? [variable] : [];
}

function refuseOverridden([variable]: readonly string[]) {
  if (variable === undefined) return;
  throw new CliError('usage', sentence`${variable} is set and would override what is stored.`, {
    hint: sentence`Remove it first: ${typedVariable(variable)}`,
  });
}

/** The new token replaces the old one, or the token command. */
function loggedIn(stored: Profile, given: Profile): Profile {
  return { ...withoutSetting(stored, 'tokenCommand'), ...given };
}

/** The base URL of an existing profile is asked for again, but not with --with-token. */
async function baseUrlOf(sources: SettingSources, withToken: boolean): Promise<string> {
  const { text, from, source } = resolveSetting('baseUrl', sources);
  if (text !== undefined && (withToken || from !== 'profile')) return normalised('baseUrl', text, source);
  if (withToken)
    throw new CliError('usage', 'The address of the service is missing.', {
      hint: 'Add --base-url URL, or set PROCTOR_BASE_URL.',
    });
  const questions = await sources.host.questions();
  const answer = await questions.text('Address of the service, such as proctor.example.org:', {
    check: (typed) => void profileSettings.baseUrl.normalise(typed.trim()),
    ...(text === undefined ? {} : { initial: text }),
  });
  return normalised('baseUrl', answer.trim(), 'The answer');
}

/**
 * Asks for the token until it is one and the service takes it. The word before it may be pasted with it,
 * and is asked for where the service refuses the token.
 */
async function askToken<T>({ host, warn }: Context, given: Given, tried: () => Promise<T>, inForce: () => string): Promise<T> {
  const questions = await host.questions();
  const ask = () => questions.password('Token, from the operator of the service:');
  for (let typed = await ask(); ; ) {
    try {
      const [, word, token = typed] = /^\s*(\S+)\s+(\S+)\s*$/.exec(typed) ?? [];
      if (word !== undefined) {
        refuseOverridden(variablesOf('authPrefix', host));
        given.authPrefix = normalised('authPrefix', word, 'The answer');
      }
      given.token = checkedToken(token, 'The answer');
      return await tried();
    } catch (thrown) {
      const error = expected(thrown, 'invalid_input', 'token_refused');
      if (error.code === 'invalid_input') {
        warn(sentence`${error.message} ${error.hint}`);
        typed = await ask();
        continue;
      }
      warn(error.message);
      // What is typed first is hidden: it may be the right token.
      typed = await questions.password('The token again; Enter to change the word before it:');
      if (typed.trim() !== '') continue;
      const word = (await questions.text(sentence`Word before the token, if it is not ${inForce()}:`)).trim();
      typed = word === '' ? await ask() : `${word} ${given.token}`;
    }
  }
}

const rest = [
  ['timezone', 'Time zone of your exams, such as Europe/Vienna; Enter for none:'],
  ['institute', 'ID of your institute, whose users are the proctors; Enter for none:'],
] as const;

/** Asks for the settings that can be left out. */
async function askRest(sources: SettingSources, given: Given) {
  const questions = await sources.host.questions();
  for (const [key, question] of rest) {
    if (given[key] !== undefined || resolveSetting(key, sources).from !== 'default') continue;
    const { normalise } = profileSettings[key];
    const check = (text: string) => void (text.trim() === '' || normalise(text.trim()));
    const answer = (await questions.text(question, { check })).trim();
    if (answer !== '') given[key] = normalise(answer);
  }
}

function loginFromFile(): string {
  return typedInput('proctor-cli auth login --base-url URL --with-token', 'FILE');
}

async function tokenFromStdin({ host, read }: Context): Promise<string> {
  if (host.stdin.isTTY)
    throw new CliError('usage', '--with-token reads stdin, which is a terminal and would show the token.', {
      hint: sentence`Leave out --with-token to be asked, or pass the token on stdin: ${loginFromFile()}`,
    });
  return checkedToken(await read('-'), 'stdin');
}

/** Tests the new settings by reading the list of exams. Throws its error. What it found if lists do not go on as set. */
async function check(context: Context, settings: Settings): Promise<Found | undefined> {
  context.secrets.use(await settings.token());
  const client = await context.client(settings);
  try {
    for await (const _page of client.pages(operations.listExams, {}, { unsure: 'accept' })) break;
  } catch (error) {
    const { code, message, hint, status, cause } = expected(error);
    const ofToken = 'Check the token, the word before it (--auth-prefix) and the address, and log in again.';
    const ofAddress = 'Check the address, the network and HTTPS_PROXY, and log in again.';
    // The profile whose address that command would show is not stored.
    const isOfAddress = cause instanceof TransportFailure && code === 'network' && [undefined, checkName].includes(cause.hint);
    const advice = isOfAddress ? ofAddress : hint;
    const failure = new CliError(code, sentence`${message} Nothing was stored.`, {
      hint: ['token_refused', 'redirected', 'not_found'].includes(code) ? ofToken : advice,
      status,
    });
    const cure = cureIn(cause);
    if (cure) return { message, hint, cure, failure };
    throw failure;
  }
  const lists = [operations.listExams, operations.listSessions].map((operation) => client.listing(operation));
  const checks = async () => {
    for (const list of lists) await checkPaging(list);
    return undefined;
  };
  // The login stands.
  return orElse(checks(), ({ code, message, hint, cause }) => {
    return code === 'bad_answer' || code === 'list_in_doubt' ? { message, hint, cure: cureIn(cause), failure: undefined } : undefined;
  });
}

function cureIn(cause: unknown): Cure | undefined {
  return cause instanceof Object && 'key' in cause ? (cause as Cure) : undefined;
}
