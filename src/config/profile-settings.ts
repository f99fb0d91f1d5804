/**
 * The settings of a profile, one record each: what it means, which flag and variable override it, and which texts
 * are valid. `config`, `auth`, the resolving of settings and the reference read it.
 */
import { type Assumption, assumptions, type DialectKey, dialectKeys } from '../api/dialect.ts';
import { CliError } from '../errors.ts';
import { readRegularFile, UnreadableFile } from '../host/input-file.ts';
import { noChoice } from '../model/choices.ts';
import { parseAge, parseDuration } from '../model/duration.ts';
import { InvalidValue } from '../model/invalid-value.ts';
import { nearest } from '../model/nearest.ts';
import { parseTeamPlace } from '../model/team-place.ts';
import { isZone, zoneHint } from '../model/zones.ts';
import { hasControls } from '../text/pattern.ts';
import { sentence } from '../text/sentence.ts';
import { parseBaseUrl } from './base-url.ts';
import { absolute } from './folders.ts';
import { commandWords } from './token-command.ts';

/** The global options that override settings, as they were typed. */
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
  flag?: { key: Exclude<keyof Overrides, 'profile'>; name: string };
  /** Belongs to the connection, which the built-in profile brings itself. */
  connection?: true;
  /** Never shown. */
  secret?: true;
  /** The values that completion offers. */
  suggests?: readonly string[] | 'zones' | 'files';
  /** The text as it is stored and used. Throws `InvalidValue`. */
  normalise(text: string): string;
};

/** Milliseconds; a timer cannot be set for much longer than 24 days. */
const longestTimeout = 24 * 60 * 60 * 1000;

/** Milliseconds: 6m are six minutes, not months, and what is erased does not come back. */
const shortestKept = 24 * 60 * 60 * 1000;

const basics = {
  baseUrl: {
    meaning: 'address of the service: a domain, or a URL that ends in /api/v1',
    variable: 'PROCTOR_BASE_URL',
    flag: { key: 'baseUrl', name: '--base-url' },
    connection: true,
    normalise: parseBaseUrl,
  },
  authPrefix: {
    meaning: 'word before the token in the Authorization header; ask your service',
    default: 'apiServiceToken',
    variable: 'PROCTOR_AUTH_PREFIX',
    connection: true,
    normalise: (text) => oneWord(text, 'The prefix'),
  },
  institute: {
    meaning: 'institute whose users are listed by default',
    variable: 'PROCTOR_INSTITUTE',
    normalise: (text) => {
      if (text !== '' && !/\s/.test(text) && !hasControls(text)) return text;
      throw new InvalidValue('The ID of an institute must not be empty or contain spaces or control characters.');
    },
  },
  timezone: {
    meaning: 'time zone of local times, an IANA name',
    variable: 'PROCTOR_TIMEZONE',
    suggests: 'zones',
    flag: { key: 'timezone', name: '--timezone' },
    normalise: zoneName,
  },
  timeout: {
    meaning: 'limit for one request, such as 30s or 2m',
    default: '30s',
    flag: { key: 'timeout', name: '--timeout' },
    normalise: (text) => {
      const milliseconds = parseDuration(text);
      if (milliseconds > 0 && milliseconds <= longestTimeout) return text;
      throw new InvalidValue(sentence`The time limit "${text}" is not between 1ms and 24h.`);
    },
  },
  plain: {
    meaning: 'yes for screen readers: no bars, no redrawing, words instead of symbols; --plain does the same',
    default: 'no',
    variable: 'PROCTOR_PLAIN',
    suggests: ['yes', 'no'],
    normalise: yesOrNo,
  },
  protectRunningExams: {
    meaning: 'on: changes that take something from students are refused while their exam is running; off: they are sent',
    default: 'on',
    suggests: ['on', 'off'],
    normalise: (text) => {
      const word = text.toLowerCase();
      if (word === 'on' || word === 'off') return word;
      throw noChoice('The value', text, ['on', 'off']);
    },
  },
  caFile: {
    meaning: 'PEM file with further certificate authorities to trust',
    variable: 'PROCTOR_CA_FILE',
    connection: true,
    suggests: 'files',
    normalise: certificateFile,
  },
  keepRuns: {
    meaning: 'how long finished runs of this profile stay recorded on this machine; each new run erases older ones',
    default: '180d',
    normalise: (text) => {
      if (parseAge(text) >= shortestKept) return text;
      throw new InvalidValue(sentence`The time "${text}" is less than a day.`, 'Write days or weeks, such as 180d or 26w.');
    },
  },
  state: {
    meaning:
      'where runs are recorded: local, a database on this machine; the address of the PostgreSQL of a team, such as postgres://proctor@db.example.org/proctor; or none',
    default: 'local',
    variable: 'PROCTOR_STATE',
    suggests: ['local', 'none'],
    normalise: (text) => (text === 'local' || text === 'none' ? text : parseTeamPlace(text).shown),
  },
  stateKeyFile: {
    meaning: "file with the team's key, a copy of that of the machine that made the record; else the key of this machine",
    variable: 'PROCTOR_STATE_KEY_FILE',
    suggests: 'files',
    normalise: (text) => {
      if (text === '') throw new InvalidValue('The key needs the name of a file.');
      return absolute(text);
    },
  },
  tokenCommand: {
    meaning: 'program that prints the token, run without a shell; used instead of a stored token',
    variable: 'PROCTOR_TOKEN_COMMAND',
    connection: true,
    normalise: (text) => {
      commandWords(text);
      return text;
    },
  },
  token: {
    meaning: 'the token; stored with auth login, shown by auth token only',
    connection: true,
    secret: true,
    normalise: (text) => oneWord(text, 'The token'),
  },
} as const satisfies Record<string, ProfileSetting>;

export type SettingKey = keyof typeof basics | `dialect.${DialectKey}`;

export const profileSettings: Readonly<Record<SettingKey, ProfileSetting>> = {
  ...basics,
  ...(Object.fromEntries(dialectKeys.map((key) => [`dialect.${key}`, dialectSetting(key)])) as Record<
    `dialect.${DialectKey}`,
    ProfileSetting
  >),
};

export const settingKeys = Object.keys(profileSettings) as SettingKey[];

/** A setting by its name. Throws `invalid_input`, with the name that was most likely meant. */
export function settingKey(name: string): SettingKey {
  const known = settingKeys.find((key) => key === name);
  if (known) return known;
  const meant = nearest(name, settingKeys);
  throw new CliError('invalid_input', sentence`Unknown setting "${name}".`, {
    hint: meant ? sentence`Did you mean ${meant}?` : 'List the settings with: proctor-cli config list',
  });
}

function dialectSetting(key: DialectKey): ProfileSetting {
  const { meaning, default: standard, choices, suggests = choices, check }: Assumption = assumptions[key];
  return {
    meaning,
    default: standard,
    ...(suggests ? { suggests } : {}),
    normalise: (text) => {
      if (hasControls(text)) throw new InvalidValue(sentence`dialect.${key} contains a control character.`);
      if (choices && !choices.includes(text)) throw noChoice('The value', text, choices);
      check?.(text);
      return text;
    },
  };
}

/** Checks for one word of a header; the text is not repeated, because it may be a secret. */
function oneWord(text: string, what: string): string {
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  const why =
    text === '' ? 'is empty' : /\s/.test(text) ? 'contains a space or a line break' : 'contains a character that is not printable ASCII';
  throw new InvalidValue(sentence`${what} ${why}.`);
}

function yesOrNo(text: string): string {
  const word = text.toLowerCase();
  if (['1', 'yes', 'true'].includes(word)) return 'yes';
  if (['0', 'no', 'false'].includes(word)) return 'no';
  throw new InvalidValue(sentence`"${text}" is neither yes nor no.`);
}

function zoneName(text: string): string {
  const hint = sentence`Give an IANA name, such as Europe/Vienna or UTC.`;
  if (/^[+-]/.test(text)) throw new InvalidValue(sentence`"${text}" is an offset, not a time zone.`, hint);
  if (isZone(text)) return text;
  throw new InvalidValue(sentence`Unknown time zone "${text}".`, zoneHint(text));
}

/** Bytes. */
const largestCertificates = 16 << 20;

function certificatesIn(path: string): string {
  try {
    return readRegularFile(path, largestCertificates).toString('latin1');
  } catch (error) {
    if (error instanceof UnreadableFile) throw new InvalidValue(sentence`The certificate file ${path} cannot be read: ${error.reason}.`);
    throw error;
  }
}

function certificateFile(text: string): string {
  const path = absolute(text);
  const content = certificatesIn(path);
  if (content.includes('-----BEGIN CERTIFICATE-----')) return path;
  throw new InvalidValue(sentence`The file ${path} contains no PEM certificate.`);
}
