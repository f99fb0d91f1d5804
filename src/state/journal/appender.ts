/**
 * Appends to a file, with one sync for all concurrent callers (group commit). Invariants: bytes reach the
 * file in the order given; `sync` resolves only after everything given before it is durable; after the
 * first error nothing more is written, and every call fails with that error. A failed sync is never
 * retried: the system may have dropped the pages and marked them clean.
 */
import { setImmediate as afterThisTurn } from 'node:timers/promises';
import { CliError } from '../../errors.ts';
import { sentence } from '../../text/sentence.ts';
import type { JournalFile } from './files.ts';
import { failed, orFailed } from './journal-failure.ts';

/** How long text that no caller waits for may stay in memory; only a killed process loses it. Milliseconds. */
const lateness = 3;

type Waiter = { resolve(): void; reject(error: CliError): void };

export class Appender {
  readonly #path: string;
  readonly #file: JournalFile;
  #position: number;
  #pending: string[] = [];
  #waiting: Waiter[] = [];
  #unsynced = false;
  #work: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failure: CliError | undefined;
  #closed = false;

  /** `end`: the length of the file in bytes; writing starts there. */
  constructor(path: string, file: JournalFile, end: number) {
    this.#path = path;
    this.#file = file;
    this.#position = end;
  }

  /** Throws the error that ended the file, if any. */
  check(): void {
    if (this.#failure) throw this.#failure;
    if (this.#closed) throw new CliError('journal_failed', sentence`The journal ${this.#path} is closed.`);
  }

  /** Queues text to be written, in order. Durable only after a later `sync`. */
  append(text: string): void {
    this.check();
    this.#pending.push(text);
    this.#writeLater();
  }

  sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.check();
      this.#waiting.push({ resolve, reject });
      this.#writeNow();
    });
  }

  /** Syncs and closes. If the file has failed, it still closes, and rejects. */
  async close(): Promise<void> {
    const last = this.sync();
    this.#closed = true;
    try {
      await last;
    } finally {
      await this.#work;
      await orFailed(this.#path, () => this.#file.close());
    }
  }

  #writeNow() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#work ??= this.#writeGroups();
  }

  /** Writes with the next group, or alone if none comes soon. */
  #writeLater() {
    if (!this.#work && !this.#failure) this.#timer ??= setTimeout(() => this.#writeNow(), lateness);
  }

  async #writeGroups() {
    // Calls made later in this turn of the event loop join the group.
    await afterThisTurn();
    do {
      const bytes = Buffer.from(this.#pending.join(''));
      const group = this.#waiting;
      this.#pending = [];
      this.#waiting = [];
      try {
        await this.#write(bytes);
        if (group.length > 0 && this.#unsynced) await this.#file.sync();
        this.#unsynced &&= group.length === 0;
        for (const { resolve } of group) resolve();
      } catch (cause) {
        const failure = failed(this.#path, cause);
        this.#failure = failure;
        for (const { reject } of [...group, ...this.#waiting]) reject(failure);
      }
    } while (!this.#failure && this.#waiting.length > 0);
    // In the same turn as the loop's last check: later calls start a new loop.
    this.#work = undefined;
    if (this.#pending.length > 0) this.#writeLater();
  }

  async #write(bytes: Buffer) {
    let written = 0;
    while (written < bytes.length) {
      this.#unsynced = true;
      const count = await this.#file.write(bytes.subarray(written), this.#position);
      if (count === 0) throw new Error('no more can be written');
      written += count;
      this.#position += count;
    }
  }
}
