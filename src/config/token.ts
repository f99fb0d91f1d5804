/**
 * The token: which of its sources is in force, and how it is fetched from there. No message of this
 * module repeats what a source holds.
 */
import { existsSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { CliError } from '../errors.ts';
import { type Host, ProgramFailure } from '../host/host.ts';
import { InvalidValue } from '../model/invalid-value.ts';
import { commandWords } from '../model/shell-quote.ts';
import { sentence } from '../text/sentence.ts';
import type { Profile } from './file.ts';
import { loginLine } from './named-profiles.ts';
import { profileSettings } from './profile-settings.ts';

export type TokenSource = {
  /** In words a person understands. */
  name: string;
  /** The profile keeps it, so it belongs to the profile's service. */
  ofProfile: boolean;
  /** Runs a program, which may prompt. */
  runs: boolean;
  /** Throws `invalid_input`, `invalid_config` or `not_logged_in`. */
  fetch(): Promise<string>;
};

/** Each of them names a token for the current address. */
export const tokenVariables = ['PROCTOR_TOKEN', 'PROCTOR_TOKEN_FILE', 'PROCTOR_TOKEN_COMMAND'] as const;

/** The current source; undefined where there is none. */
export function tokenSource(host: Host, profileName: string, profile: Profile): TokenSource | undefined {
  const { PROCTOR_TOKEN: token, PROCTOR_TOKEN_FILE: file, PROCTOR_TOKEN_COMMAND: command } = host.env;
  const given = (name: string, fetch: () => Promise<string>) => ({ name, ofProfile: false, runs: false, fetch });
  const printed = (name: string, line: string) => ({
    name,
    ofProfile: name !== 'PROCTOR_TOKEN_COMMAND',
    runs: true,
    fetch: async () => checked(await runTokenCommand(host, line, profileName), 'not_logged_in', name),
  });
  const set = tokenVariables.filter((variable) => host.env[variable]);
  if (set.length > 1) return given(set.join(' and '), () => ambiguous(set));
  if (token) return given('PROCTOR_TOKEN', async () => checked(token, 'invalid_input', 'PROCTOR_TOKEN'));
  if (file) return given(tokenFileShown(file), () => fromFile(file, host));
  if (command) return printed('PROCTOR_TOKEN_COMMAND', command);
  if (profile.tokenCommand !== undefined) return printed(`token command of profile ${profileName}`, profile.tokenCommand);
  const { token: stored } = profile;
  if (stored === undefined) return undefined;
  const name = `profile ${profileName}`;
  const hint = `Store it again with: ${loginLine(profileName)}`;
  return { name, ofProfile: true, runs: false, fetch: async () => checked(stored, 'invalid_config', name, hint) };
}

async function ambiguous(set: readonly string[]): Promise<never> {
  throw new CliError('invalid_input', sentence`${set.join(' and ')} are set, but only one of them can be used.`, {
    hint: sentence`Remove one: unset ${set[0]}`,
  });
}

/** Limit of a token file, far above any token. Bytes. */
const largestFile = 64 << 10;

/** The source with its path, unless that may be the token itself: without a folder, or in one that does not exist, and not there. */
function tokenFileShown(path: string): string {
  const isPath = existsSync(path) || isAbsolute(path) || (/[/\\]/.test(path) && existsSync(dirname(path)));
  return isPath ? `PROCTOR_TOKEN_FILE (${path})` : 'PROCTOR_TOKEN_FILE';
}

async function fromFile(path: string, { interrupted }: Host): Promise<string> {
  const unusable = (why: string) =>
    new CliError('invalid_input', sentence`The token file of ${tokenFileShown(path)} cannot be used: ${why}.`, {
      hint: 'Set PROCTOR_TOKEN_FILE to a file that contains only the token.',
    });
  const { readInputFile, UnreadableFile } = await import('../host/input-file.ts');
  let text: string;
  try {
    text = (await readInputFile(path, largestFile, interrupted)).toString('utf8');
  } catch (error) {
    throw error instanceof UnreadableFile ? unusable(error.message) : error;
  }
  const token = text.replace(/\r?\n$/, '');
  if (token === '') throw unusable('it is empty');
  if (/[\r\n]/.test(token)) throw unusable('it has several lines');
  return checked(token, 'invalid_input', tokenFileShown(path));
}

/** A token that can stand in a header, without the spaces around it. Throws with the given code, without repeating it. */
export function checked(
  token: string,
  code: 'invalid_input' | 'invalid_config' | 'not_logged_in',
  source: string,
  hint = 'A token is one line of printable characters without spaces.',
): string {
  try {
    return profileSettings.token.normalise(token.trim());
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    throw new CliError(code, sentence`${error.message.slice(0, -1)} (${source}).`, { hint: sentence`${hint}` });
  }
}

/** The first line that a program prints, such as a vault's; it is run without a shell. Throws `not_logged_in`, or the reason of an interruption. */
export async function runTokenCommand(host: Host, text: string, profile: string): Promise<string> {
  const [program, ...args] = commandWords(text);
  const failed = (why: string) =>
    new CliError('not_logged_in', sentence`The token command of profile ${profile} failed: ${program} ${why}.`, {
      hint: 'Run the program yourself to see why; it must print the token and exit with status 0.',
    });
  let printed: string;
  try {
    printed = await host.execute(program, args, { milliseconds: 10_000 });
  } catch (error) {
    if (error instanceof CliError) throw error;
    // Any other failure may contain the output of the program, so it is dropped, even as a cause.
    throw failed(error instanceof ProgramFailure ? error.message : 'could not be run');
  }
  const [line = ''] = printed.split(/\r?\n/, 1);
  if (line === '') throw failed('printed nothing');
  return line;
}
