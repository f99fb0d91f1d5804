/** The token: where it comes from, how it is fetched, and to which service it goes. No message repeats what a source holds. */
import { CliError, type ErrorCode } from '../errors.ts';
import { type Host, HostFailure } from '../host/host.ts';
import { orNone } from '../model/invalid-value.ts';
import { commandWords, shellQuoted, typedOption, typedVariable } from '../model/shell-quote.ts';
import { inARow, type Sentence, sentence } from '../text/sentence.ts';
import { fromHome } from './folders.ts';
import { normalised, parseBaseUrl } from './profile-settings.ts';
import { type Profile, sandboxProfile } from './profiles.ts';

type TokenSource = {
  /** What messages call it. */
  name: string;
  file: string | undefined;
  /** A token that the profile keeps belongs to the profile's service. */
  ofProfile: boolean;
  /** The token comes from a program, which may prompt. */
  runs: boolean;
  /** Throws `invalid_input`, `invalid_config` or `not_logged_in`. */
  fetch(): Promise<string>;
};

export async function fetchedToken(source: TokenSource | undefined, name: string, profile: Profile, baseUrl: string): Promise<string> {
  if (name === sandboxProfile) throw new CliError('internal', 'The sandbox has not been started.');
  const origin = originOf(baseUrl);
  if (!source) throw new CliError('not_logged_in', sentence`No token for profile ${name}${origin && ` at ${origin}`}.`);
  if (origin === '')
    throw new CliError('not_logged_in', sentence`Profile ${name} has a token (${source.name}), but no base URL.`, {
      hint: source.ofProfile ? 'Set it with: proctor-cli config set baseUrl URL' : 'Set PROCTOR_BASE_URL, or add --base-url URL.',
    });
  const home = source.ofProfile ? homeOf(profile) : origin;
  if (home === origin) return source.fetch();
  const whose = home === '' ? 'the profile does not name its service' : `it belongs to ${home}`;
  const login = `proctor-cli auth login --profile NAME ${typedOption('--base-url', baseUrl)}`;
  throw new CliError('not_logged_in', sentence`The token of profile ${name} is not sent to ${origin}: ${whose}.`, {
    hint: sentence`Give the token for ${origin} in PROCTOR_TOKEN, or log in there as another profile: ${login}`,
  });
}

/** `setWord` sets the word before the token of a profile: a script has no login that asks for it. */
export function tokenRemedy({ name, ofProfile, runs }: TokenSource, setWord: string, word = ''): Sentence {
  const ofOther = runs ? sentence`Show the token command with: proctor-cli config get tokenCommand` : storeAnother;
  const token = ofProfile ? ofOther : sentence`The token comes from ${name}; set a token there that the service accepts.`;
  const way = ofProfile ? setWord : typedVariable('PROCTOR_AUTH_PREFIX', 'WORD');
  return inARow([token, sentence`If the service has another word than "${word}" before the token: ${way}`]);
}

const storeAnother = sentence`Store another token with: proctor-cli auth login`;

export function originOf(baseUrl: string): string {
  return baseUrl === '' ? '' : new URL(baseUrl).origin;
}

/** The origin that the token of a profile belongs to; empty if the profile names no valid one. */
export function homeOf({ baseUrl = '' }: Profile): string {
  return orNone(() => originOf(parseBaseUrl(baseUrl))) ?? '';
}

/** The variables whose token goes to the current address, whatever the profile. */
export function tokenVariables({ env }: Host): string[] {
  return ['PROCTOR_TOKEN', 'PROCTOR_TOKEN_FILE', 'PROCTOR_TOKEN_COMMAND'].filter((name) => env[name]);
}

export function tokenSource(host: Host, profileName: string, profile: Profile): TokenSource | undefined {
  const { PROCTOR_TOKEN: token, PROCTOR_TOKEN_FILE: named = '', PROCTOR_TOKEN_COMMAND: command } = host.env;
  const file = fromHome(named, host.home);
  const given = (name: string, fetch: TokenSource['fetch'], more: Partial<TokenSource> = {}) => {
    return { name, file: undefined, ofProfile: false, runs: false, fetch, ...more };
  };
  const printed = (name: string, line: string, ofProfile: boolean) => {
    const fetch = async () => checkedToken(await runTokenCommand(host, line, profileName), name, 'not_logged_in');
    return given(name, fetch, { ofProfile, runs: true });
  };
  const set = tokenVariables(host);
  if (set.length > 1) return given(set.join(' and '), () => Promise.reject(severalAreSet(set)));
  if (token) return given('PROCTOR_TOKEN', async () => checkedToken(token, 'PROCTOR_TOKEN'));
  if (file) return given('PROCTOR_TOKEN_FILE', () => fromFile(file, host), { file });
  if (command) return printed('PROCTOR_TOKEN_COMMAND', command, false);
  if (profile.tokenCommand !== undefined) return printed(`token command of profile ${profileName}`, profile.tokenCommand, true);
  const { token: stored } = profile;
  if (stored === undefined) return undefined;
  const name = `profile ${profileName}`;
  return given(name, async () => checkedToken(stored, name, 'invalid_config', storeAnother), { ofProfile: true });
}

function severalAreSet(set: readonly string[]): CliError {
  return new CliError('invalid_input', sentence`${set.join(' and ')} are set, but only one of them can be used.`, {
    hint: sentence`Remove one: ${typedVariable(set[0] ?? '')}`,
  });
}

/** No token is nearly as long. Bytes. */
const largestFile = 64 << 10;

async function fromFile(path: string, { interrupted }: Host): Promise<string> {
  const { readInputFile, textOf } = await import('../host/inputs.ts');
  const reading = readInputFile(path, largestFile, interrupted).then(textOf);
  const text = await reading.catch((error: unknown) => {
    if (!(error instanceof HostFailure)) throw error;
    throw new CliError('invalid_input', sentence`The file of PROCTOR_TOKEN_FILE cannot be used: ${error.message}.`, {
      hint: 'Set PROCTOR_TOKEN_FILE to a file that contains only the token.',
    });
  });
  return checkedToken(text, 'PROCTOR_TOKEN_FILE');
}

const likeAToken = sentence`A token is one line of printable characters without spaces; the word before it is the setting authPrefix.`;

/** The token without the spaces around it. Throws with the given code, without repeating it. */
export function checkedToken(token: string, source: string, code: ErrorCode = 'invalid_input', hint = likeAToken): string {
  return normalised('token', token.trim(), source, code, hint);
}

/** The first line that the program prints. Throws `not_logged_in`, or the reason of an interruption. */
export async function runTokenCommand(host: Host, text: string, profile: string): Promise<string> {
  const [program, ...args] = commandWords(text);
  // Node runs a .cmd or .bat by a shell only.
  const byCmd =
    host.platform === 'win32' ? sentence` A .cmd or .bat, as az and programs of npm are, runs as: cmd /c ${shellQuoted(program)}` : '';
  const failed = (why: string) =>
    new CliError('not_logged_in', sentence`The token command of profile ${profile} failed: ${program} ${why}.`, {
      hint: sentence`Run the program yourself to see why: it must print the token and end with status 0.${byCmd}`,
    });
  const printed = await host.execute(program, args, { milliseconds: 10_000 }).catch((error: unknown) => {
    if (error instanceof CliError) throw error;
    // Any other failure may contain the output of the program, and is dropped.
    throw failed(error instanceof HostFailure ? error.message : 'could not be run');
  });
  const [line = ''] = printed.split(/\r?\n/, 1);
  if (line === '') throw failed('printed nothing');
  return line;
}
