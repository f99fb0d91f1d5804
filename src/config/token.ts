/**
 * The token: which of its sources is in force, and how it is fetched from there. No message of this
 * module repeats what a source holds.
 */
import { existsSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { readInputFile, UnreadableFile } from '../host/input-file.ts';
import { InvalidValue } from '../model/invalid-value.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import type { Profile } from './file.ts';
import { profileOption } from './named-profiles.ts';
import { profileSettings } from './profile-settings.ts';
import { runTokenCommand } from './token-command.ts';

export type TokenSource = {
  /** In words a person understands. */
  name: string;
  /** The profile keeps it, so it belongs to the profile's service. */
  ofProfile: boolean;
  /** Runs a program, which may prompt. */
  runs?: true;
  /** Throws `invalid_input`, `invalid_config` or `not_logged_in`. */
  fetch(): Promise<string>;
};

/** Each of them names a token for the current address. */
export const tokenVariables = ['PROCTOR_TOKEN', 'PROCTOR_TOKEN_FILE', 'PROCTOR_TOKEN_COMMAND'] as const;

/** The current source; undefined where there is none. */
export function tokenSource(host: Host, name: string, profile: Profile): TokenSource | undefined {
  const { PROCTOR_TOKEN: token, PROCTOR_TOKEN_FILE: file, PROCTOR_TOKEN_COMMAND: command } = host.env;
  const { tokenCommand, token: stored } = profile;
  const set = tokenVariables.filter((variable) => host.env[variable]);
  if (set.length > 1) return { name: set.join(' and '), ofProfile: false, fetch: () => ambiguous(set) };
  if (token) return { name: 'PROCTOR_TOKEN', ofProfile: false, fetch: async () => checked(token, 'invalid_input', 'PROCTOR_TOKEN') };
  if (file) return { name: tokenFileShown(file), ofProfile: false, fetch: () => fromFile(file, host) };
  if (command) {
    const fetch = async () => checked(await runTokenCommand(host, command, name), 'not_logged_in', 'PROCTOR_TOKEN_COMMAND');
    return { name: 'PROCTOR_TOKEN_COMMAND', ofProfile: false, runs: true, fetch };
  }
  if (tokenCommand !== undefined) {
    const source = `token command of profile ${name}`;
    return {
      name: source,
      ofProfile: true,
      runs: true,
      fetch: async () => checked(await runTokenCommand(host, tokenCommand, name), 'not_logged_in', source),
    };
  }
  if (stored !== undefined) {
    const hint = sentence`Store it again with: ${loginLine(name)}`;
    return { name: `profile ${name}`, ofProfile: true, fetch: async () => checked(stored, 'invalid_config', `profile ${name}`, hint) };
  }
  return undefined;
}

/** The command that stores a token for a profile. */
export function loginLine(profile: string): string {
  return `proctor-cli auth login${profileOption(profile)}`;
}

async function ambiguous([first = '', ...others]: readonly string[]): Promise<never> {
  throw new CliError('invalid_input', sentence`${[first, ...others].join(' and ')} are set, but only one of them can be used.`, {
    hint: sentence`Remove one: unset ${first}`,
  });
}

/** Limit of a token file, far above any token. Bytes. */
const largestFile = 64 << 10;
/** Limit for reading a pipe, the same as for a token command. Milliseconds. */
const patience = 10_000;

/** The source with its path, unless that may be the token itself: without a folder, or in one that does not exist, and not there. */
function tokenFileShown(path: string): string {
  const isPath = existsSync(path) || isAbsolute(path) || (/[/\\]/.test(path) && existsSync(dirname(path)));
  return isPath ? `PROCTOR_TOKEN_FILE (${path})` : 'PROCTOR_TOKEN_FILE';
}

async function fromFile(path: string, { interrupted }: Host): Promise<string> {
  const unusable = (why: Sentence) =>
    new CliError('invalid_input', sentence`The token file of ${tokenFileShown(path)} cannot be used: ${why}.`, {
      hint: 'Set PROCTOR_TOKEN_FILE to a file that contains only the token.',
    });
  let text: string;
  try {
    text = (await readInputFile(path, largestFile, { signal: interrupted, milliseconds: patience })).toString('utf8');
  } catch (error) {
    throw error instanceof UnreadableFile ? unusable(error.reason) : error;
  }
  const token = text.replace(/\r?\n$/, '');
  if (token === '') throw unusable(sentence`it is empty`);
  if (/[\r\n]/.test(token)) throw unusable(sentence`it has several lines`);
  return checked(token, 'invalid_input', tokenFileShown(path));
}

/** A token that can stand in a header, without the spaces around it. Throws with the given code, without repeating it. */
export function checked(
  token: string,
  code: 'invalid_input' | 'invalid_config' | 'not_logged_in',
  source: string,
  hint?: Sentence,
): string {
  try {
    return profileSettings.token.normalise(token.trim());
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    throw new CliError(code, sentence`${error.message.slice(0, -1)} (${source}).`, {
      hint: hint ?? 'A token is one line of printable characters without spaces.',
    });
  }
}
