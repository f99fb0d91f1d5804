/**
 * The journal of one run: what it was about to do and what it knows of it, on disk before anything is
 * sent. Whoever writes one holds the lock of its folder (`holdLock`). Invariants: an intent's promise
 * resolves only after its line is durable; a record that `row-state.ts` refuses is not written; after
 * a failed write or sync every call fails, so that nothing more is sent.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { CliError } from '../../errors.ts';
import { type Appender, openAppender, orFailed } from './appender.ts';
import { type JournalFiles, realFiles } from './files.ts';
import { encodeLine } from './line.ts';
import {
  type Header,
  type Intent,
  isHeader,
  isRecord,
  type JournalRecord,
  type Note,
  type Outcome,
  safeReason,
  studentKey,
  version,
} from './records.ts';
import { IllegalTransition } from './row-state.ts';
import { foldedRows, type Rows } from './rows.ts';
import { scan } from './scan.ts';

/** What makes two runs the same import: one goes on where the other stopped only if all of it is equal. */
export type Identity = Pick<Header, 'origin' | 'exam' | 'shard' | 'input' | 'mapping'>;
const parts = ['origin', 'exam', 'shard', 'input', 'mapping'] as const satisfies readonly (keyof Identity)[];

export type Journal = {
  readonly path: string;
  readonly header: Header;
  readonly rows: Rows;
  /** The key of a student in this journal; `student` is the e-mail address, or what else names the row. */
  keyOf(student: string): string;
  /**
   * Writes that a request is about to leave. Resolves when that is durable: send only then. Rejects
   * with `journal_failed`, or with `IllegalTransition` where the row's state forbids the step.
   */
  intent(intent: Intent): Promise<void>;
  /** Writes what became of it, in order, without waiting. Throws as `intent` rejects. */
  outcome(outcome: Outcome): void;
  /** Writes a note on the run and waits until all is durable. */
  note(note: Note['note'], reason?: string): Promise<void>;
  /** Resolves when everything written so far is durable. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

type World = {
  /** Milliseconds since 1970. */
  now(): number;
  /** What no line may hold, as the token. */
  secrets?: readonly string[];
  files?: JournalFiles;
};

/** Begins a run in the folder of its origin and exam (`targetFolder`). Throws `journal_failed`. */
export async function createJournal(
  folder: string,
  { origin, exam, shard, input, mapping, baseline, rows }: Identity & Pick<Header, 'baseline' | 'rows'>,
  { now, secrets = [], files = realFiles }: World,
): Promise<Journal> {
  const at = now();
  const header: Header = {
    journal: version,
    run: runId(at),
    origin,
    exam,
    ...(shard === undefined ? {} : { shard }),
    input,
    mapping,
    baseline,
    rows,
    salt: randomBytes(16).toString('base64url'),
  };
  if (!isHeader(header)) throw new TypeError('This is no header.');
  const path = join(folder, `${header.run}.ndjson`);
  const { text, sum } = encodeLine({ n: 1, at, ...header }, 0);
  const file = await orFailed(path, async () => {
    await files.makeFolder(folder);
    return files.create(path);
  });
  const appender = openAppender(path, file, 0);
  try {
    appender.append(text);
    await appender.sync();
    await orFailed(path, () => files.syncFolder(folder));
  } catch (error) {
    await appender.close().catch(() => {});
    throw error;
  }
  return journal({ path, header, appender, rows: foldedRows(), lines: 1, seed: sum, changed: [], now, secrets });
}

/**
 * Goes on with a run: cuts off a torn last line, notes `resumed`, and resolves when all that was read
 * is durable, whoever wrote it. `torn` is how many bytes were cut. `changed` names what differs from
 * the run's own identity: its journal then takes outcomes, so that what is in doubt can be settled,
 * and refuses every intent. Throws `journal_damaged`, `journal_failed`.
 */
export async function openJournal(
  path: string,
  identity: Identity,
  { now, secrets = [], files = realFiles }: World,
): Promise<{ journal: Journal; changed: (keyof Identity)[]; torn: number }> {
  const file = await orFailed(path, () => files.open(path, 'write'));
  try {
    const rows = foldedRows();
    const found = await orFailed(path, () => scan(path, file, rows.apply));
    if (!found) throw new CliError('journal_damaged', `The journal ${path} ends within its first line: no run was begun with it.`);
    const { header, lines, seed, end, torn } = found;
    if (torn > 0) {
      await orFailed(path, async () => {
        await file.truncate(end);
        await file.sync();
      });
    }
    const changed = parts.filter((part) => header[part] !== identity[part]);
    const appender = openAppender(path, file, end);
    const opened = journal({ path, header, appender, rows, lines, seed, changed, now, secrets });
    await opened.note('resumed');
    return { journal: opened, changed, torn };
  } catch (error) {
    await file.close().catch(() => {});
    throw error;
  }
}

/** Sorts by time, and is a file's name. */
function runId(at: number): string {
  const time = new Date(at).toISOString().slice(0, 19).replace(/[-:]/g, '');
  return `${time}-${randomBytes(3).toString('hex')}`;
}

type Parts = Pick<Journal, 'path' | 'header'> &
  Required<Pick<World, 'now' | 'secrets'>> & {
    rows: ReturnType<typeof foldedRows>;
    appender: Appender;
    lines: number;
    seed: number;
    changed: readonly (keyof Identity)[];
  };

function journal({ path, header, rows, appender, lines, seed, changed, now, secrets }: Parts): Journal {
  let last = lines;

  function write(record: JournalRecord) {
    appender.check();
    if (!isRecord(record)) throw new TypeError('This is no record.');
    rows.apply(record);
    appender.append(encodeLine({ n: ++last, at: now(), ...record }, seed).text);
  }

  return {
    path,
    header,
    rows,
    keyOf: (student) => studentKey(header.salt, student),
    async intent({ row, key, intent, next }) {
      if (changed.length > 0) throw new IllegalTransition(`the ${changed.join(' and the ')} changed since the run was begun`);
      write({ row, key, intent, ...(next === undefined ? {} : { next }) });
      await appender.sync();
    },
    outcome({ row, outcome, session, code, reason }) {
      write({
        row,
        outcome,
        ...(session === undefined ? {} : { session }),
        ...(code === undefined ? {} : { code }),
        ...(reason === undefined ? {} : { reason: safeReason(reason, secrets) }),
      });
    },
    async note(note, reason) {
      write({ note, ...(reason === undefined ? {} : { reason: safeReason(reason, secrets) }) });
      await appender.sync();
    },
    flush: appender.sync,
    close: appender.close,
  };
}
