/** What students and exams are recognised by, and the lists in which they are found: all exams, or the students of an exam. */
import { folded, foldedText } from '../text/fold.ts';
import { fieldAt, type Json, type JsonObject, textIn, textOfJson } from './json.ts';
import { nearest } from './nearest.ts';
import { statusOf } from './status.ts';
import { instantOf } from './time.ts';

/** Most services ignore case and surrounding space. A domain with other letters than ASCII has a second spelling. */
export function addressKey(address: string): string {
  const key = foldedText(address);
  return /^[ -~]*$/.test(key)
    ? key
    : key.replace(/(?<=@)[\p{L}\p{M}\d.-]*$/u, (domain) => URL.parse(`http://${domain}`)?.hostname ?? domain);
}

/** A whole address; one that the service masks is not: `a***@example.org`, `ad...@example.org`, `a●●●@example.org`. */
const address = /^(?!.*\.\.)(?!.*(?![\0-\x7f])([\p{S}\p{Po}])\1)(?:"[^"]+"|[^\s@<>()[\],;:"*…•]+)@[^\s@<>()[\],;:"*…•]+$/u;

/** Undefined where the service may hide it, which proves nothing. */
export function addressIn({ email }: JsonObject): string | undefined {
  return typeof email === 'string' && address.test(email.trim()) ? email : undefined;
}

/** What a service shows in place of an address: it may stand for any. */
export function maskIn({ email }: JsonObject): string | undefined {
  const isShown = typeof email === 'string' && email.trim() !== '';
  return isShown && addressIn({ email }) === undefined ? email : undefined;
}

/** The words after "shows no address": what one of these records shows in its place; empty if none shows anything. */
export function maskAmong(records: readonly JsonObject[]): string {
  const mask = records.map(maskIn).find((each) => each !== undefined);
  return mask === undefined ? '' : ` (it shows ${mask.trim()})`;
}

/** Compares the names only: the domains of an institution are alike. */
export function nearestOf(addresses: readonly string[]): (address: string) => string | undefined {
  const nameIn = (address: string) => folded(addressKey(address)).split(/[+@]/)[0] ?? '';
  const byName = new Map(addresses.map((address) => [nameIn(address), address]));
  return (address) => byName.get(nearest(nameIn(address), byName.keys()) ?? '');
}

export type Listed = {
  id: string;
  /** Undefined where the list shows none, or hides it (`a***@example.org`). */
  email: string | undefined;
  data: JsonObject;
};

/** What a student (address, else number) or an exam (name and start) is looked for by. */
export type Wanted = {
  email?: string | undefined;
  number?: string | undefined;
  body?: JsonObject | undefined;
};

type RecordKeys = { sessionNumberKey: string; sessionNameKey: string; examNameKey: string };

/** The students of an exam; without one, all exams. */
export class Listing<Exam extends string | undefined = string | undefined> {
  readonly exam: Exam;
  readonly all: readonly Listed[];
  readonly fields: RecordKeys;
  readonly #byId: ReadonlyMap<string | undefined, Listed>;
  readonly #byKey: ReadonlyMap<string, readonly { each: Listed }[]>;

  constructor(exam: Exam, all: readonly Listed[], fields: RecordKeys) {
    this.exam = exam;
    this.all = all;
    this.fields = fields;
    this.#byId = new Map(all.map((each) => [each.id, each]));
    const keyed = all.flatMap((each) => keysIn(each.data, fields).map((key) => ({ key, each })));
    this.#byKey = Map.groupBy(keyed, ({ key }) => key);
  }

  of(wanted: Wanted): readonly Listed[] {
    const found = this.#byKey.get(keyOf(wanted, this.fields) ?? '') ?? [];
    return found.map(({ each }) => each);
  }

  withId(id: string | undefined): Listed | undefined {
    return id === undefined ? undefined : this.#byId.get(id);
  }

  /**
   * Sessions that may be the student's, because the list hides what is looked for: it shows that of
   * nobody, leaves it out, or masks it. Where others show theirs, `null` is somebody without one. Who
   * shows an address, or another number than is looked for, is somebody else; but one address of all, who
   * have several names, is that of nobody. `except`: the student's own session.
   */
  hiding({ email, number }: Wanted, except?: string): readonly Listed[] {
    if (email === undefined && number === undefined) return [];
    const { sessionNumberKey, sessionNameKey } = this.fields;
    const key = email === undefined ? sessionNumberKey : 'email';
    const others = this.all.filter(({ id }) => except === undefined || id !== except);
    const addresses = new Set(others.map(({ email: shown }) => shown && addressKey(shown)));
    const names = new Set(others.flatMap(({ data }) => textIn(fieldAt(data, sessionNameKey)) ?? []));
    const isOfAll = email !== undefined && addresses.size === 1 && !addresses.has(undefined) && names.size > 1;
    const isOther = ({ email: shown, data }: Listed) =>
      shown !== undefined || (number !== undefined && ![undefined, number].includes(numberIn(data, sessionNumberKey)));
    const showsAny = this.all.some(({ data }) => textIn(fieldAt(data, key)) !== undefined);
    const hides = (value: Json | undefined) => !showsAny || value === undefined || (email !== undefined && textIn(value) !== undefined);
    return others.filter((each) => isOfAll || (!isOther(each) && hides(fieldAt(each.data, key))));
  }
}

export type Reading = Listing<string>;

export function keyOf({ email, number, body }: Wanted, { examNameKey }: RecordKeys): string | undefined {
  if (email !== undefined) return `address ${addressKey(email)}`;
  if (number !== undefined) return `number ${number}`;
  const start = instantOf(body?.start_time);
  return start === undefined ? undefined : `${start} ${foldedText(textOfJson(body?.[examNameKey] ?? ''))}`;
}

export function keysIn(data: JsonObject, fields: RecordKeys): string[] {
  return allKeysOf({ email: addressIn(data), number: numberIn(data, fields.sessionNumberKey), body: data }, fields);
}

/** By the address, by the number, and by name and start. */
export function allKeysOf({ email, number, body }: Wanted, fields: RecordKeys): string[] {
  return [{ email }, { number }, { body }].flatMap((wanted) => keyOf(wanted, fields) ?? []);
}

export function numberIn(data: JsonObject, numberKey: string): string | undefined {
  return textIn(fieldAt(data, numberKey));
}

/** Why a session is not that of the address, in words; undefined where nothing shows otherwise. */
export function otherStudent(email: string | undefined, shown: JsonObject): string | undefined {
  const now = addressIn(shown);
  if (email === undefined || now === undefined) return undefined;
  return addressKey(now) === addressKey(email) ? undefined : `it now belongs to ${now}`;
}

/**
 * How many students the mails of an exam reach. `without`: those shown with no address and not mailed; whether they get mail is unknown.
 * A status of another kind may come after the mail.
 */
export function mailsOf(sessions: readonly Listed[]): Record<'all' | 'mailed' | 'without', number> {
  const isMailed = ({ data }: Listed) => textIn(data.status) !== undefined && statusOf(data.status) !== 'registered';
  const showsAny = sessions.some(({ data }) => textIn(data.email) !== undefined);
  const without = sessions.filter((each) => showsAny && textIn(each.data.email) === undefined && !isMailed(each)).length;
  return {
    all: sessions.length - without,
    mailed: sessions.filter(isMailed).length,
    without,
  };
}

/** " (1 more has no address)", behind the number of the others. */
export function addressless(without: number): string {
  return without === 0 ? '' : ` (${without} more ${without === 1 ? 'has' : 'have'} no address)`;
}
