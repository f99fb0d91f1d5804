/**
 * The journal of one change, for writing. Invariants: the whole plan is durable before the first request
 * is sent, and `begun` is durable before the request of a move. The writer holds the lock of the service
 * (`withChangesLock`).
 */

import type { Context } from '../../command.ts';
import { CliError, errorTable } from '../../errors.ts';
import type { Host } from '../../host/host.ts';
import { type JournalFiles, realFiles } from '../../state/journal/files.ts';
import { journalPath, timedName } from '../../state/journal/folder.ts';
import { createLog, type Log, openLog } from '../../state/journal/log.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { foldedMoves, type Moves } from './moves.ts';
import {
  type ChangeHeader,
  type ChangeRecord,
  type ChangeStep,
  changeFormat,
  type MoveState,
  moveRecord,
  type PlannedMove,
  version,
} from './records.ts';

export type ChangeJournal = {
  readonly header: ChangeHeader;
  readonly moves: Moves;
  /** Writes `begun` for the request of a move, given by its number. Send only once this has resolved. */
  begin(move: number, step: ChangeStep): Promise<void>;
  /**
   * Writes which session a move has created, and that its next request may be sent. Send only once this
   * has resolved. `proven`: a read has shown the session to be the student's.
   */
  made(move: number, session: string, proven?: true): Promise<void>;
  /** Writes the outcome of a step of a move, in order, without waiting. */
  end(move: number, step: ChangeStep, is: Exclude<MoveState, 'begun'>): void;
  /** Makes all records durable, and closes the journal. */
  close(): Promise<void>;
};

type ChangeJournalWorld = { host: Pick<Host, 'now'>; files?: JournalFiles };

/** The title of a change, and its reason; its name and version come with the journal. */
export type ChangeTitle = Omit<ChangeHeader, 'journal' | 'change'>;

/** Begins a change; resolves when its plan is durable. Throws `journal_failed`. */
export async function beginChange(
  folder: string,
  { plan, ...title }: ChangeTitle & { plan: readonly PlannedMove[] },
  { host, files = realFiles }: ChangeJournalWorld,
): Promise<ChangeJournal> {
  const at = host.now();
  const header: ChangeHeader = { journal: version, change: timedName(at), ...title };
  try {
    const log = await createLog<ChangeRecord>(folder, { name: header.change, header, at }, { now: host.now, files });
    return journalOf(header, await planned(plan, log), log);
  } catch (error) {
    throw advised(error, sentence`Nothing was sent. Check disk space and permissions, then run the same command again.`);
  }
}

/** Writes the plan; resolves when it is durable. */
async function planned(plan: readonly PlannedMove[], log: Log<ChangeRecord>): Promise<ReturnType<typeof foldedMoves>> {
  const moves = foldedMoves();
  try {
    for (const record of [...plan.map(moveRecord), { planned: plan.length }]) {
      moves.apply(record);
      log.append(record);
    }
    await log.sync();
    return moves;
  } catch (error) {
    await log.close().catch(() => {});
    throw error;
  }
}

/** Opens a change to resume or undo it. Throws `journal_damaged`, `journal_failed`. */
export async function openChange(folder: string, change: string, { host, files = realFiles }: ChangeJournalWorld): Promise<ChangeJournal> {
  try {
    const moves = foldedMoves();
    const path = journalPath(folder, change);
    const { log, header } = await openLog(path, changeFormat, moves.apply, { now: host.now, files });
    return journalOf(header, moves, log);
  } catch (error) {
    throw advised(error, lookAtService);
  }
}

function journalOf(header: ChangeHeader, moves: ReturnType<typeof foldedMoves>, log: Log<ChangeRecord>): ChangeJournal {
  const write = (record: ChangeRecord) => {
    log.check();
    moves.apply(record);
    log.append(record);
  };
  /** Uses the form of the journal's version: a file keeps one form from its first line to its last. */
  const mark = (move: number, step: ChangeStep, is: MoveState): ChangeRecord =>
    header.journal === 1 ? { session: moves.get(move)?.id ?? '', step, is } : { move, step, is };
  const check = sentence`Nothing more was sent. Check disk space and permissions, then check the change with: proctor-cli changes show ${header.change}`;
  return {
    header,
    moves,
    async made(move, session, proven) {
      try {
        write({ move, step: 'set', is: 'begun', made: session, ...(proven ? { proven } : {}) });
        await log.sync();
      } catch (error) {
        throw advised(error, check);
      }
    },
    async begin(move, step) {
      try {
        write(mark(move, step, 'begun'));
        await log.sync();
      } catch (error) {
        throw advised(error, check);
      }
    },
    end(move, step, is) {
      try {
        write(mark(move, step, is));
      } catch (error) {
        throw advised(error, check);
      }
    },
    async close() {
      try {
        await log.close();
      } catch (error) {
        throw advised(error, check);
      }
    },
  };
}

/** The reason given with --during-exam for writing during an exam; recorded with the change. */
export function reasonOf({ globals, secrets }: Pick<Context, 'globals' | 'secrets'>): Pick<ChangeTitle, 'reason'> {
  const { duringExam: reason } = globals;
  return reason === undefined ? {} : { reason: secrets.maskedWords(reason) };
}

/** The hint for a journal that does not show what its change did. */
export const lookAtService = sentence`Nothing was sent. Only the service itself can show what the change did: proctor-cli sessions get ID, proctor-cli exams get ID`;

/** The table's hint on journals is for imports; this replaces it, but keeps an error's own hint. */
export function advised(error: unknown, hint: Sentence): unknown {
  if (!(error instanceof CliError) || (error.code !== 'journal_failed' && error.code !== 'journal_damaged')) return error;
  if (error.hint !== errorTable[error.code].hint) return error;
  return new CliError(error.code, error.message, { hint, cause: error.cause });
}
