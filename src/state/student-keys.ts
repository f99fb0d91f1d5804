/**
 * The key of this installation, in a file of its own beside the database, and what is made with it: keys of students
 * and of other texts, which nobody without it can compare with a list of addresses, and sealed values. Each use has a
 * key of its own, derived from the one in the file.
 */
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writePrivateFile } from '../files/private-file.ts';
import { refuseLink } from '../files/refuse-link.ts';
import { addressKey } from '../model/address-key.ts';
import { type Json, parseJson, stringifyJson } from '../model/json.ts';
import { DamagedRow } from './state-failure.ts';

/** Bytes. */
const lengths = { key: 32, shown: 16, nonce: 12, tag: 16 } as const;
const cipher = 'aes-256-gcm';

export class StudentKeys {
  readonly #secret: Buffer;
  readonly #student: KeyObject;
  readonly #text: KeyObject;
  readonly #seal: KeyObject;
  /** No two values are sealed with the same nonce: a random part of this process, and a count. */
  readonly #nonce = randomBytes(lengths.nonce);
  #sealed = 0;

  constructor(secret: Buffer) {
    this.#secret = secret;
    this.#student = this.#derived('student');
    this.#text = this.#derived('text');
    this.#seal = this.#derived('seal');
  }

  /** What the database has of the key, to know it by. */
  get print(): string {
    return short(this.#derived('print'), 'print');
  }

  /** The key itself, for a vault. */
  get text(): string {
    return this.#secret.toString('base64url');
  }

  studentKey(address: string): string {
    return short(this.#student, addressKey(address));
  }

  digest(text: string): string {
    return short(this.#text, text);
  }

  /** `place`: the row that the value is for; in another one it cannot be opened. */
  seal(value: Json, place: string): string {
    this.#nonce.writeUInt32BE(this.#sealed++ % 2 ** 32, lengths.nonce - 4);
    const sealing = createCipheriv(cipher, this.#seal, this.#nonce).setAAD(Buffer.from(place));
    return Buffer.concat([this.#nonce, sealing.update(stringifyJson(value), 'utf8'), sealing.final(), sealing.getAuthTag()]).toString(
      'base64url',
    );
  }

  /** Throws `DamagedRow` for anything but what `seal` has made for this place. */
  open(sealed: string, place: string): Json {
    const bytes = Buffer.from(sealed, 'base64url');
    try {
      const opening = createDecipheriv(cipher, this.#seal, bytes.subarray(0, lengths.nonce), { authTagLength: lengths.tag });
      opening.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(-lengths.tag));
      return parseJson(opening.update(bytes.subarray(lengths.nonce, -lengths.tag), undefined, 'utf8') + opening.final('utf8'));
    } catch {
      throw new DamagedRow('a sealed value cannot be opened');
    }
  }

  #derived(use: string): KeyObject {
    return createSecretKey(Buffer.from(hkdfSync('sha256', this.#secret, '', `proctor-cli runs ${use}`, lengths.key)));
  }
}

function short(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest().subarray(0, lengths.shown).toString('base64url');
}

/** Undefined where there is no such file. Throws, in words, for a link and for a file that is no key. */
export function readKeys(path: string): StudentKeys | undefined {
  refuseLink(path);
  try {
    const secret = secretIn(readFileSync(path));
    if (!secret) throw new Error('it is not a key');
    return new StudentKeys(secret);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The bytes of a key, or the line that `state key` prints. */
function secretIn(content: Buffer): Buffer | undefined {
  if (content.length === lengths.key) return content;
  const [, text] = /^([\w-]{43})\s*$/.exec(content.subarray(0, 100).toString('latin1')) ?? [];
  return text === undefined ? undefined : Buffer.from(text, 'base64url');
}

/** The key that is there, or else a new one, on the disk before anything is made with it. */
export async function readOrCreateKeys(path: string): Promise<StudentKeys> {
  const there = readKeys(path);
  if (there) return there;
  try {
    await writePrivateFile(path, (file) => file.writeFile(randomBytes(lengths.key)), { replace: false });
  } catch (error) {
    // Another process was faster: its key serves as well.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readKeys(path) ?? readOrCreateKeys(path);
}
