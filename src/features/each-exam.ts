/**
 * The same read for many exams: a few at a time, with the results in the order of the exams. What only one exam
 * fails with is part of its result; any other error, which the next exam would meet as well, ends it all, once the
 * reads in flight have ended: a client that is closed under them would fail them all.
 */
import type { Context } from '../command.ts';
import { CliError, type ErrorCode } from '../errors.ts';
import { count } from '../model/count.ts';
import { sentence } from '../text/sentence.ts';

/** How many exams are read at the same time. */
const usualConcurrency = 8;

/** `error`: what keeps this exam from being read, and no other. */
export type ExamRead<Exam, T> = { exam: Exam; value: T } | { exam: Exam; error: CliError };

const ofOneExam: ReadonlySet<ErrorCode> = new Set(['not_found', 'rejected', 'bad_answer']);

/** Rejects with the first error that is not an exam's own; no further exam is read then. */
export async function eachExam<Exam, T>(
  exams: readonly Exam[],
  read: (exam: Exam) => Promise<T>,
  { concurrency = usualConcurrency }: { concurrency?: number } = {},
): Promise<ExamRead<Exam, T>[]> {
  const results: ExamRead<Exam, T>[] = [];
  const left = exams.entries();
  let stopped: { by: unknown } | undefined;
  const reader = async () => {
    for (const [at, exam] of left) {
      if (stopped) return;
      try {
        results[at] = await resultOf(exam, read);
      } catch (by) {
        stopped ??= { by };
      }
    }
  };
  const readers = Array.from({ length: Math.min(concurrency, exams.length) }, reader);
  for (const each of readers) await each;
  if (stopped) throw stopped.by;
  return results;
}

async function resultOf<Exam, T>(exam: Exam, read: (exam: Exam) => Promise<T>): Promise<ExamRead<Exam, T>> {
  try {
    return { exam, value: await read(exam) };
  } catch (error) {
    if (error instanceof CliError && ofOneExam.has(error.code)) return { exam, error };
    throw error;
  }
}

/** The error of a command whose exams were not all read: each is named, or the rows would look complete. */
export function unread({ warn }: Pick<Context, 'warn'>, read: readonly ExamRead<{ id: string }, unknown>[]): CliError | undefined {
  const failed = read.flatMap((each) => ('error' in each ? [each] : []));
  const [first] = failed;
  if (!first) return undefined;
  for (const { exam, error } of failed) warn(sentence`Exam ${exam.id}: ${error.message}`);
  if (failed.length === read.length) return first.error;
  return new CliError('partly_done', sentence`${failed.length} of ${count(read.length, 'exam')} could not be read.`, {
    hint: 'The rows are those of the other exams.',
    items: failed.map(({ exam, error }) => ({ id: exam.id, code: error.code, message: error.message })),
  });
}
