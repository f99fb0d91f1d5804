/**
 * The journal of one run: each intent is on disk before its request is sent, each outcome follows.
 * The writer of a journal holds the lock of its folder (`holdLock`). Invariants: an intent's promise
 * resolves only after its line is durable; a record that `row-state.ts` refuses is not written; after
 * a failed write or sync every call fails, so that nothing more is sent.
 */

import { randomBytes } from 'node:crypto';
import type { CliError } from '../../../errors.ts';
import type { IdType } from '../../../model/id.ts';
import { Secrets } from '../../../model/secrets.ts';
import { type JournalFiles, realFiles } from '../../../state/journal/files.ts';
import { timedName } from '../../../state/journal/folder.ts';
import { IllegalTransition } from '../../../state/journal/journal-format.ts';
import { createLog, type Log, openLog } from '../../../state/journal/log.ts';
import {
  importFormat,
  isHeader,
  isRecord,
  type JournalRecord,
  type RemovalState,
  type RowIntent,
  type RowOutcome,
  type RunHeader,
  type RunNote,
  safeReason,
  studentKey,
  version,
} from './records.ts';
import { FoldedRows, type Rows } from './rows.ts';

/** What makes two runs the same import: one resumes the other only if all of it is equal. */
export type Identity = Pick<RunHeader, 'origin' | 'exam' | 'shard' | 'start' | 'input' | 'mapping' | 'accommodations'>;
const parts = ['origin', 'exam', 'shard', 'start', 'input', 'mapping', 'accommodations'] as const satisfies readonly (keyof Identity)[];

/** What differs from what makes two runs the same import. */
export function changedParts(header: RunHeader, identity: Identity): (keyof Identity)[] {
  return parts.filter((part) => header[part] !== identity[part]);
}

type JournalWorld = {
  /** Milliseconds since 1970. */
  now(): number;
  /** Texts that no line may contain, such as the token. */
  secrets?: Secrets;
  /** The JSON type of session IDs, as the service shows them. */
  idType?(): IdType | undefined;
  files?: JournalFiles;
};

/** Begins a run in the folder of its origin and exam (`targetFolder`). Throws `journal_failed`. */
export async function createJournal(
  folder: string,
  {
    origin,
    exam,
    shard,
    start,
    input,
    mapping,
    accommodations,
    baseline,
    rows,
    ids,
  }: Identity & Pick<RunHeader, 'baseline' | 'rows' | 'ids'>,
  { now, secrets = new Secrets(), idType, files = realFiles }: JournalWorld,
): Promise<Journal> {
  const at = now();
  const header: RunHeader = {
    journal: version,
    run: timedName(at),
    origin,
    exam,
    ...(ids === undefined ? {} : { ids }),
    ...(shard === undefined ? {} : { shard }),
    ...(start === undefined ? {} : { start }),
    input,
    mapping,
    ...(accommodations === undefined ? {} : { accommodations }),
    baseline,
    rows,
    salt: randomBytes(16).toString('base64url'),
  };
  if (!isHeader(header)) throw new TypeError('This is not a header.');
  const log = await createLog(folder, { name: header.run, header, at }, { now, files });
  return new Journal({ header, log, rows: new FoldedRows(), changed: [], secrets, idType });
}

/**
 * Resumes a run: cuts off a torn last line, notes `resumed`, and resolves when every line read
 * is durable, whichever process wrote it. `torn` is how many bytes were cut. `changed` names what differs from
 * the run's own identity: its journal then takes outcomes, so that unknown rows can be settled,
 * and refuses every intent. Throws `journal_damaged`, `journal_failed`.
 */
export async function openJournal(
  path: string,
  identity: Identity,
  { now, secrets = new Secrets(), idType, files = realFiles }: JournalWorld,
): Promise<{ journal: Journal; changed: (keyof Identity)[]; torn: number }> {
  const rows = new FoldedRows();
  const { log, header, torn } = await openLog(path, importFormat, (record) => rows.apply(record), { now, files });
  try {
    const changed = changedParts(header, identity);
    const opened = new Journal({ header, log, rows, changed, secrets, idType });
    await opened.note('resumed');
    return { journal: opened, changed, torn };
  } catch (error) {
    await log.close().catch(() => {});
    throw error;
  }
}

type JournalParts = {
  header: RunHeader;
  log: Log<JournalRecord>;
  rows: FoldedRows;
  /** What differs from the run's own identity: every intent is refused while anything does. */
  changed: readonly (keyof Identity)[];
  secrets: Secrets;
  idType: JournalWorld['idType'];
};

export class Journal {
  readonly path: string;
  readonly header: RunHeader;
  readonly #parts: JournalParts;

  constructor(parts: JournalParts) {
    this.path = parts.log.path;
    this.header = parts.header;
    this.#parts = parts;
  }

  get rows(): Rows {
    return this.#parts.rows;
  }

  /** The key of a student in this journal; `student` is the e-mail address, or what else names the row. */
  keyOf(student: string): string {
    return studentKey(this.header.salt, student);
  }

  /**
   * Writes that a request is about to be sent. Resolves when that is durable: send only then. Rejects
   * with `journal_failed`, or with `IllegalTransition` where the row's state forbids the step.
   */
  async intent({ row, key, intent, next }: RowIntent): Promise<void> {
    const { changed, log, rows } = this.#parts;
    if (changed.length > 0) throw new IllegalTransition(`the ${changed.join(' and the ')} changed since the run was started`);
    log.check();
    this.#write({ row, key, intent, ...(next === undefined ? {} : { next }) });
    await log.sync().catch((error: CliError) => {
      rows.apply({ row, outcome: 'not_sent', reason: error.message });
      throw error;
    });
  }

  /** Writes the outcome of a request, in order, without waiting. Throws as `intent` rejects. */
  outcome({ row, outcome, session, code, reason }: RowOutcome): void {
    const ids = session === undefined ? undefined : this.#parts.idType?.();
    this.#write({
      row,
      outcome,
      ...(session === undefined ? {} : { session }),
      ...(ids === undefined ? {} : { ids }),
      ...(code === undefined ? {} : { code }),
      ...this.#reason(reason),
    });
  }

  /** Writes that a student missing from the file is about to be deleted. Resolves when that is durable, as `intent` does. */
  async removal(session: string, email: string | undefined): Promise<void> {
    const { log } = this.#parts;
    log.check();
    this.#write({ removal: session, key: this.keyOf(email ?? ''), is: 'begun' });
    await log.sync();
  }

  /** Writes the outcome of that deletion. Throws as `intent` rejects. */
  removed(session: string, is: Exclude<RemovalState, 'begun'>): void {
    const begun = this.rows.removals().get(session);
    this.#write({ removal: session, key: begun?.key ?? '', is });
  }

  /** Writes a note on the run and waits until all is durable. */
  async note(note: RunNote['note'], { reason, untouched, shown }: Omit<RunNote, 'note'> = {}): Promise<void> {
    const { log } = this.#parts;
    log.check();
    this.#write({ note, ...this.#reason(reason), ...(untouched === undefined ? {} : { untouched }), ...(shown ? { shown } : {}) });
    await log.sync();
  }

  /** Resolves when everything written so far is durable. */
  flush(): Promise<void> {
    return this.#parts.log.sync();
  }

  close(): Promise<void> {
    return this.#parts.log.close();
  }

  /** If the file has failed, the rows still learn their outcomes: what cannot be recorded can be shown. */
  #write(record: JournalRecord) {
    const { rows, log } = this.#parts;
    if (!isRecord(record)) throw new TypeError('This is not a record.');
    rows.apply(record);
    log.append(record);
  }

  #reason(reason: string | undefined): { reason?: string } {
    return reason === undefined ? {} : { reason: safeReason(reason, this.#parts.secrets) };
  }
}
