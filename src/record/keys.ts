/**
 * The key of this installation, a line of text in a file of its own, and what is made with it: sealed
 * values, and keys of students, which nobody without it can compare with a list of addresses.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { contentOf, writePrivateFile } from '../files/private-files.ts';
import { type JsonObject, parseOwnJson, stringifyJson } from '../model/json.ts';
import { addressKey } from '../model/listing.ts';

const cipher = 'aes-256-gcm';
const lengths = { key: 32, nonce: 12, tag: 16, shown: 16 } as const;
const line = /^[\x21-\x7e]{32,1000}$/;

export class Keys {
  /** A key for each use, derived from the line. */
  readonly #keys: Readonly<Record<'print' | 'student' | 'text' | 'seal', Buffer>>;
  /** Never the same twice: a random part, and a count. */
  readonly #nonce = randomBytes(lengths.nonce);
  #sealed = 0;
  readonly #students = new Map<string, string>();

  constructor(text = newText()) {
    const derived = (use: string) => Buffer.from(hkdfSync('sha256', text, '', `proctor-cli record ${use}`, lengths.key));
    this.#keys = { print: derived('print'), student: derived('student'), text: derived('text'), seal: derived('seal') };
  }

  /** What the database recognises the key by. */
  get print(): string {
    return short(this.#keys.print, '');
  }

  /** Of an address, or of a student's own number, which has no @. */
  studentKey(student: string): string {
    const named = student.includes('@') ? student : `number ${student}`;
    const key = this.#students.get(student) ?? short(this.#keys.student, addressKey(named));
    this.#students.set(student, key);
    return key;
  }

  digest(text: string): string {
    return short(this.#keys.text, text);
  }

  /** The value can only be opened with the same `place`. Throws for one that could not be. */
  seal(value: JsonObject, place: string): string {
    this.#nonce.writeUInt32BE(this.#sealed++ % 2 ** 32, lengths.nonce - 4);
    const sealing = createCipheriv(cipher, this.#keys.seal, this.#nonce).setAAD(Buffer.from(place));
    const text = stringifyJson(value);
    const bytes = Buffer.concat([sealing.update(text, 'utf8'), sealing.final()]);
    const sealed = Buffer.concat([this.#nonce, bytes, sealing.getAuthTag()]).toString('base64url');
    if (this.#textOf(sealed, place) !== text) throw new Error('what was sealed cannot be opened');
    return sealed;
  }

  /** Throws for anything but what `seal` made for this place. */
  open(sealed: string, place: string): JsonObject {
    return parseOwnJson(this.#textOf(sealed, place)) as JsonObject;
  }

  #textOf(sealed: string, place: string): string {
    const bytes = Buffer.from(sealed, 'base64url');
    const nonce = bytes.subarray(0, lengths.nonce);
    const opening = createDecipheriv(cipher, this.#keys.seal, nonce, { authTagLength: lengths.tag });
    opening.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(-lengths.tag));
    const text = opening.update(bytes.subarray(lengths.nonce, -lengths.tag), undefined, 'utf8');
    return text + opening.final('utf8');
  }
}

/** `read` and `create` throw in words. */
export type KeyFile = { path: string; read(): Keys | undefined; create(): Promise<Keys> };

function short(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest().subarray(0, lengths.shown).toString('base64url');
}

function newText(): string {
  return randomBytes(lengths.key).toString('base64url');
}

/** Throws, in words, for a file that is no key. */
export function readKeys(path: string): Keys | undefined {
  if (!existsSync(path)) return undefined;
  const text = contentOf(path, { isPrivate: true }).toString('latin1').trim();
  if (line.test(text)) return new Keys(text);
  throw new Error('it is not a key, which is one line of at least 32 letters and digits');
}

/** On the disk before anything is made with it; another process's key, if that was faster. */
export async function createKeys(path: string): Promise<Keys> {
  await writePrivateFile(path, `${newText()}\n`, { replace: false }).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return readKeys(path) ?? createKeys(path);
}
