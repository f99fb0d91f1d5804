/**
 * The journals of the changes on this machine: a file for each. Invariants: the whole plan is durable
 * before the first request leaves, and `begun` is durable before the session's own one does; whoever
 * writes holds the change's lock.
 */
import { join } from 'node:path';
import { orFailed } from '../bulk/journal/appender.ts';
import { type JournalFiles, realFiles } from '../bulk/journal/files.ts';
import { createLog, type Log, openLog, readLog, timedName } from '../bulk/journal/log.ts';
import { CliError, errorTable } from '../errors.ts';
import type { Host } from '../host.ts';
import { holdLock } from '../lock.ts';
import { foldedMoves, type Moves } from './moves.ts';
import { type ChangeRecord, changeFormat, type Header, type Plan, type Standing, type Step, version } from './records.ts';

export type Change = {
  path: string;
  header: Header;
  moves: Moves;
  /** Milliseconds since 1970. */
  startedAt: number;
  lastAt: number;
};

export type ChangeJournal = {
  readonly header: Header;
  readonly moves: Moves;
  /** Writes that a session's request is about to leave: send only once this has resolved. */
  begin(session: string, step: Step): Promise<void>;
  /** Writes what became of a session's step, in order, without waiting. */
  end(session: string, step: Step, is: Exclude<Standing, 'begun'>): void;
  /** Makes all of it durable, and lets go of the change. */
  close(): Promise<void>;
};

type World = { host: Pick<Host, 'now' | 'sleep' | 'pid' | 'machine'>; files?: JournalFiles };

const extension = '.ndjson';

/** Begins a change; resolves when its plan is durable. Throws `journal_failed`. */
export async function beginChange(
  folder: string,
  { plan, ...rest }: Pick<Header, 'origin' | 'what' | 'exam'> & { plan: readonly Plan[] },
  { host, files = realFiles }: World,
): Promise<ChangeJournal> {
  const at = host.now();
  const header: Header = { journal: version, change: timedName(at), ...rest };
  const lock = await lockOf(folder, header.change, host);
  try {
    const log = await createLog<ChangeRecord>(folder, { name: header.change, header, at }, { now: host.now, files });
    const moves = foldedMoves();
    const journal = journalOf(header, moves, log, lock);
    for (const record of [...plan, { planned: plan.length }]) {
      moves.apply(record);
      log.append(record);
    }
    await log.sync();
    return journal;
  } catch (error) {
    lock.release();
    throw withHint(error, 'Nothing was sent. See to the disk, then run the same command again.');
  }
}

/** Opens a change to go on with it. Throws `already_running`, `journal_damaged`, `journal_failed`. */
export async function openChange(folder: string, change: string, { host, files = realFiles }: World): Promise<ChangeJournal> {
  const lock = await lockOf(folder, change, host);
  try {
    const moves = foldedMoves();
    const path = join(folder, `${change}${extension}`);
    const { log, header } = await openLog(path, changeFormat, moves.apply, { now: host.now, files });
    return journalOf(header, moves, log, lock);
  } catch (error) {
    lock.release();
    throw withHint(error, unreadable);
  }
}

function journalOf(
  header: Header,
  moves: ReturnType<typeof foldedMoves>,
  log: Log<ChangeRecord>,
  lock: { release(): void },
): ChangeJournal {
  const write = (record: ChangeRecord) => {
    log.check();
    moves.apply(record);
    log.append(record);
  };
  const goOn = `Nothing more was sent. See to the disk, then look at it with: proctor-cli changes show ${header.change}`;
  return {
    header,
    moves,
    async begin(session, step) {
      try {
        write({ session, step, is: 'begun' });
        await log.sync();
      } catch (error) {
        throw withHint(error, goOn);
      }
    },
    end(session, step, is) {
      try {
        write({ session, step, is });
      } catch (error) {
        throw withHint(error, goOn);
      }
    },
    async close() {
      try {
        await log.close();
      } catch (error) {
        throw withHint(error, goOn);
      } finally {
        lock.release();
      }
    },
  };
}

/** The change of this name; undefined where there is none. Throws `journal_damaged`, `journal_failed`. */
export async function findChange(folder: string, change: string, files: JournalFiles = realFiles): Promise<Change | undefined> {
  const names = await orFailed(folder, () => files.list(folder, 'files'));
  return names.includes(`${change}${extension}`) ? readChange(join(folder, `${change}${extension}`), files) : undefined;
}

/** All changes of this machine, the latest first, and why others cannot be read. */
export async function listChanges(folder: string, files: JournalFiles = realFiles): Promise<{ changes: Change[]; unreadable: CliError[] }> {
  const changes: Change[] = [];
  const unreadable: CliError[] = [];
  const names = await orFailed(folder, () => files.list(folder, 'files'));
  for (const name of names
    .filter((each) => each.endsWith(extension))
    .sort()
    .reverse()) {
    try {
      const change = await readChange(join(folder, name), files);
      if (change) changes.push(change);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      unreadable.push(error);
    }
  }
  return { changes, unreadable };
}

async function readChange(path: string, files: JournalFiles): Promise<Change | undefined> {
  const moves = foldedMoves();
  try {
    const found = await readLog(path, changeFormat, moves.apply, files);
    return found && { path, header: found.header, moves, startedAt: found.startedAt, lastAt: found.lastAt };
  } catch (error) {
    throw withHint(error, unreadable);
  }
}

function lockOf(folder: string, change: string, { pid, machine, now, sleep }: World['host']) {
  return holdLock({ sleep }, join(folder, `${change}.lock`), { pid, machine, since: now(), command: `change ${change}` });
}

const unreadable = 'Nothing was sent. What the change did can only be seen in the sessions: proctor-cli sessions get ID';

/** The table's advice on journals is that of imports; where an error has its own, that stands. */
function withHint(error: unknown, hint: string): unknown {
  if (!(error instanceof CliError) || (error.code !== 'journal_failed' && error.code !== 'journal_damaged')) return error;
  if (error.hint !== errorTable[error.code].hint) return error;
  return new CliError(error.code, error.message, { hint, cause: error.cause });
}
