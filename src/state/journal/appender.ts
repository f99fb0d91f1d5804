/**
 * Appends to a file, with one sync for all who wait at the same time (group commit). Invariants: bytes
 * reach the file in the order in which they were given; `sync` resolves only after everything given
 * before it is durable; after the first error nothing is written any more, and every call fails with it.
 * A sync that failed is never tried again: the system may have dropped the pages and call them clean.
 */
import { setImmediate as afterThisTurn } from 'node:timers/promises';
import { CliError } from '../../errors.ts';
import { sentence } from '../../text/sentence.ts';
import { failed, orFailed } from './failure.ts';
import type { JournalFile } from './files.ts';

export type Appender = {
  /** Throws the error that ended the file, if there was one. */
  check(): void;
  /** Gives the text on its way, in order. Not durable before a `sync` that follows. */
  append(text: string): void;
  sync(): Promise<void>;
  /** Syncs and closes; closes also where the file has failed, and then rejects. */
  close(): Promise<void>;
};

/** How long text without a waiter may stay in memory, where only a killed process would lose it. Milliseconds. */
const lateness = 3;

type Waiter = { resolve(): void; reject(error: CliError): void };

export function openAppender(path: string, file: JournalFile, end: number): Appender {
  let position = end;
  let pending: string[] = [];
  let waiting: Waiter[] = [];
  let unsynced = false;
  let work: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let failure: CliError | undefined;
  let closed = false;

  function check() {
    if (failure) throw failure;
    if (closed) throw new CliError('journal_failed', sentence`The journal ${path} is closed.`);
  }

  async function groups() {
    // Whoever goes on in this turn of the event loop joins the group.
    await afterThisTurn();
    do {
      const bytes = Buffer.from(pending.join(''));
      const group = waiting;
      pending = [];
      waiting = [];
      try {
        await writeAll(bytes);
        if (group.length > 0 && unsynced) await file.sync();
        unsynced &&= group.length === 0;
        for (const { resolve } of group) resolve();
      } catch (cause) {
        failure = failed(path, cause);
        for (const { reject } of [...group, ...waiting]) reject(failure);
      }
    } while (!failure && waiting.length > 0);
    // In the same turn as the loop's last look: whoever comes later starts anew.
    work = undefined;
    if (pending.length > 0) later();
  }

  function now() {
    clearTimeout(timer);
    timer = undefined;
    work ??= groups();
  }

  /** With the next group, or by itself where none comes soon. */
  function later() {
    if (!work && !failure) timer ??= setTimeout(now, lateness);
  }

  async function writeAll(bytes: Buffer) {
    let written = 0;
    while (written < bytes.length) {
      unsynced = true;
      const count = await file.write(bytes.subarray(written), position);
      if (count === 0) throw new Error('no more can be written');
      written += count;
      position += count;
    }
  }

  const sync = () =>
    new Promise<void>((resolve, reject) => {
      check();
      waiting.push({ resolve, reject });
      now();
    });

  return {
    check,
    append(text) {
      check();
      pending.push(text);
      later();
    },
    sync,
    async close() {
      const last = sync();
      closed = true;
      try {
        await last;
      } finally {
        await work;
        await orFailed(path, () => file.close());
      }
    },
  };
}
