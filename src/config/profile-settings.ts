/** The settings of a profile. */
import { type Assumption, assumptions, type DialectKey, dialectKeys } from '../api/dialect.ts';
import { CliError, type ErrorCode, systemReason } from '../errors.ts';
import { contentOf } from '../files/private-files.ts';
import { parseAge, parseDuration } from '../model/duration.ts';
import { InvalidValue, orNone } from '../model/invalid-value.ts';
import { didYouMean, noChoice } from '../model/nearest.ts';
import { commandWords } from '../model/shell-quote.ts';
import { parseTeamPlace } from '../model/team-place.ts';
import { isZone, likeAZone } from '../model/time.ts';
import { hasHidden } from '../text/characters.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { absolute } from './folders.ts';

export type Overrides = {
  profile?: string;
  baseUrl?: string;
  /** Such as 30s, 2m or 1500ms. */
  timeout?: string;
  timezone?: string;
};

export type ProfileSetting = {
  meaning: string;
  default?: string;
  /** Environment variable that overrides the profile. */
  variable?: string;
  /** Global option that overrides both. */
  flag?: string;
  /** The built-in profile brings its own. */
  builtIn?: true;
  secret?: true;
  suggests?: readonly string[] | 'zones' | 'files';
  /** The text as it is stored and used. Throws `InvalidValue`. */
  normalise(text: string): string;
};

/** Milliseconds. */
const day = 24 * 60 * 60 * 1000;

/** Other spellings of yes and no. */
const switches: Readonly<Record<string, string>> = { 1: 'yes', true: 'yes', 0: 'no', false: 'no' };

const basics = {
  baseUrl: {
    meaning: 'address of the service: a domain, or a URL that ends in /api/v1',
    flag: '--base-url',
    builtIn: true,
    normalise: parseBaseUrl,
  },
  authPrefix: {
    meaning: 'word before the token in the Authorization header; ask your service',
    default: 'apiServiceToken',
    builtIn: true,
    normalise: (text) => oneWord(text, 'The prefix'),
  },
  institute: {
    meaning: 'institute whose users are listed by default',
    normalise: (text) => oneWord(text, 'The ID'),
  },
  timezone: { meaning: 'time zone of local times, an IANA name', flag: '--timezone', suggests: 'zones', normalise: zoneName },
  timeout: {
    meaning: 'limit for one request, such as 30s or 2m',
    default: '30s',
    flag: '--timeout',
    normalise: (text) => {
      // The error of another text would repeat it: it may be a secret.
      const milliseconds = orNone(() => parseDuration(text)) ?? 0;
      if (milliseconds > 0 && milliseconds <= day) return text;
      const hint = 'For 5 seconds: --timeout 5s, or for good: proctor-cli config set timeout 5s';
      throw new InvalidValue('The limit is not a number with its unit, from 1ms to 24h.', hint);
    },
  },
  plain: {
    meaning: 'yes, for screen readers: words instead of bars and symbols, nothing is redrawn; also --plain',
    default: 'no',
    ...wordAmong(['yes', 'no']),
  },
  protectRunningExams: {
    meaning: 'on: what takes something from students is refused while their exam is running; off: it is sent',
    default: 'on',
    ...wordAmong(['on', 'off']),
  },
  caFile: {
    meaning: 'PEM file with further certificate authorities to trust',
    builtIn: true,
    suggests: 'files',
    normalise: certificateFile,
  },
  keepRuns: {
    meaning: 'how long finished runs stay recorded on this machine; each new run erases older ones',
    default: '180d',
    normalise: (text) => {
      // 6m are six minutes, not months, and what is erased does not come back.
      if ((orNone(() => parseAge(text)) ?? 0) >= day) return text;
      throw new InvalidValue('The time is less than a day.', 'Write days or weeks, such as 180d or 26w.');
    },
  },
  state: {
    meaning:
      "where runs are recorded, if not in the state folder: none (no record), another folder, or a team's PostgreSQL, such as postgres://proctor@db.example.org/proctor",
    builtIn: true,
    suggests: ['none'],
    normalise: (text) => {
      if (text === 'none') return text;
      return isFolder(text) ? absolute(text) : parseTeamPlace(text).shown;
    },
  },
  stateKeyFile: {
    meaning: 'file with the key of the record; else runs.key in the state folder',
    builtIn: true,
    suggests: 'files',
    normalise: (text) => {
      if (text !== '') return absolute(text);
      throw new InvalidValue('The key needs the name of a file.');
    },
  },
  tokenCommand: {
    meaning: 'program that prints the token, run without a shell; used instead of a stored token',
    builtIn: true,
    normalise: (text) => {
      commandWords(text);
      return text;
    },
  },
  token: {
    meaning: 'the token; stored with auth login, shown by auth token only',
    builtIn: true,
    secret: true,
    normalise: (text) => oneWord(text, 'The token'),
  },
} as const satisfies Record<string, ProfileSetting>;

/** A mistyped address is none. */
export function isFolder(state: string): boolean {
  return /[/\\]/.test(state) && !/^\w\w+:/.test(state);
}

export type SettingKey = keyof typeof basics | `dialect.${DialectKey}`;

/** `PROCTOR_BASE_URL` for `baseUrl`. Not for the token: its variable belongs to no profile. */
const withVariable = ([key, setting]: [string, ProfileSetting]) => {
  const variable = `PROCTOR_${key.replace('.', '_').replace(/[A-Z]/g, '_$&').toUpperCase()}`;
  return [key, setting.secret ? setting : { ...setting, variable }];
};

const ofDialect = dialectKeys.map((key): [string, ProfileSetting] => [`dialect.${key}`, dialectSetting(key)]);

export const profileSettings: Readonly<Record<SettingKey, ProfileSetting>> = Object.fromEntries(
  [...Object.entries(basics), ...ofDialect].map(withVariable),
);

export const settingKeys = Object.keys(profileSettings) as SettingKey[];

/** Throws `invalid_input`. */
export function settingKey(name: string): SettingKey {
  const known = settingKeys.find((key) => key === name);
  if (known) return known;
  throw new CliError('invalid_input', 'There is no such setting.', {
    hint: sentence`${didYouMean(name, settingKeys)}List the settings with: proctor-cli config list`,
  });
}

/** Throws with the given code; the message names the source of the text. */
export function normalised(key: SettingKey, text: string, source: string, code: ErrorCode = 'invalid_input', hint?: Sentence): string {
  try {
    return profileSettings[key].normalise(text);
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    throw new CliError(code, sentence`${source}: ${error.message}`, { hint: hint ?? error.hint });
  }
}

function dialectSetting(key: DialectKey): ProfileSetting {
  const { choices, check, ...setting }: Assumption = assumptions[key];
  if (choices) return { ...setting, ...wordAmong(choices) };
  return {
    ...setting,
    normalise: (text) => {
      if (hasHidden(text)) throw new InvalidValue(sentence`dialect.${key} contains a control character.`);
      check?.(text);
      return text;
    },
  };
}

/** One of a few words, in any case. */
function wordAmong(words: readonly string[]): Pick<ProfileSetting, 'suggests' | 'normalise'> {
  const normalise = (text: string) => {
    const given = text.toLowerCase();
    const word = words.find((each) => each === given || each === switches[given]);
    if (word === undefined) throw noChoice('The value', text, words);
    return word;
  };
  return { suggests: words, normalise };
}

/** The text is not repeated: it may be a secret. */
function oneWord(text: string, what: string): string {
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  if (text === '') throw new InvalidValue(sentence`${what} is empty.`);
  if (/\s/.test(text)) throw new InvalidValue(sentence`${what} contains a space or a line break.`);
  throw new InvalidValue(sentence`${what} contains a character that is not printable ASCII.`);
}

function zoneName(text: string): string {
  if (isZone(text)) return text;
  throw new InvalidValue(/^[+-]/.test(text) ? 'An offset is no time zone.' : 'There is no such time zone.', likeAZone);
}

function certificateFile(text: string): string {
  const path = absolute(text);
  let content: string;
  try {
    content = contentOf(path).toString('latin1');
  } catch (error) {
    throw new InvalidValue(sentence`The certificate file ${path} cannot be read: ${systemReason(error)}.`);
  }
  if (content.includes('-----BEGIN CERTIFICATE-----')) return path;
  throw new InvalidValue(sentence`The file ${path} contains no PEM certificate.`);
}

export const apiPath = '/api/v1';
const likeAnAddress = sentence`Write it like https://proctor.example.org or https://proctor.example.org/api/v1.`;
const loginHint = sentence`${likeAnAddress} The token is stored with: proctor-cli auth login`;

/**
 * Ends in /api/v1. Anything that could send the token to another host than it appears to is refused.
 * Throws `InvalidValue`, which repeats nothing that may be a password.
 */
export function parseBaseUrl(text: string): string {
  const refuse = (why: string, hint = likeAnAddress) => new InvalidValue(sentence`The base URL ${why}.`, hint);
  if (text === '') throw refuse('is empty');
  if (/\s/.test(text) || hasHidden(text)) throw refuse('contains a space or a control character');
  if (text.includes('\\')) throw refuse('contains a backslash');
  if (text.includes('@')) throw refuse('must not contain a user name or password', loginHint);
  if (/[?#]/.test(text)) throw refuse('must not contain a query or a fragment ("?" or "#")');

  const [, scheme = 'https', written = '', path = ''] = /^(?:([^:/]+):\/\/)?([^/]*)(\/.*)?$/.exec(text) ?? [];
  if (!['http', 'https'].includes(scheme.toLowerCase()))
    throw refuse(`begins with "${scheme}:"`, sentence`Only https is supported, and http on this machine.`);
  const url = written.endsWith(':') ? null : URL.parse(`${scheme}://${written}`);
  if (!url) throw refuse('is not an address');
  const { hostname, origin, protocol } = url;
  const host = written.toLowerCase().replace(/:\d+$/, '');
  // The text may be a token, which no name server may see.
  if (!/[.:/]/.test(text) && host !== 'localhost') throw refuse('is no domain: it has no dot', loginHint);
  // The parser reads 0x7f.1 as 127.0.0.1: a host is written as it is read, but for international names.
  const isInternational = /[^\0-\x7f]/.test(host) && /(^|\.)xn--/.test(hostname);
  if (host !== hostname && !isInternational)
    throw refuse(`writes the host ${hostname} in an unusual form`, sentence`If that is the host you mean, write ${hostname}.`);
  if (protocol === 'http:' && !/^(localhost|\[::1\]|127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/.test(host)) {
    const hint = sentence`Write https://${url.host}; http is for localhost, 127.0.0.0/8 and [::1] only.`;
    throw refuse(`sends the token unencrypted to ${url.host}`, hint);
  }
  const trimmed = path.replace(/\/$/, '');
  if (trimmed === '') return origin + apiPath;
  const version = /\/api\/(v(?!1(?:\/|$))[^/]*)/i.exec(trimmed)?.[1];
  if (version !== undefined)
    throw refuse(`is for version ${version} of the service`, sentence`proctor-cli supports version 1: ${origin}${apiPath}`);
  const isPlain = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+$/.test(trimmed);
  if (isPlain && trimmed.endsWith(apiPath)) return origin + trimmed;
  throw refuse(`has a path that does not end in ${apiPath}`, sentence`Leave out the path: ${origin}`);
}
