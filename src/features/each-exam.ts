/**
 * The same read for many exams, as many at a time as the pacer allows, with the results in the order of the exams. An error that
 * concerns one exam only is part of its result; any other, which the next exam would meet as well, ends the whole.
 */
import type { Client } from '../api/client.ts';
import type { Context } from '../command.ts';
import { CliError, type ErrorCode } from '../errors.ts';
import { count } from '../model/count.ts';
import { idAndName } from '../model/describe.ts';
import { sentence } from '../text/sentence.ts';

/** `error`: what keeps this exam from being read, and no other. */
export type ExamRead<Exam, T> = { exam: Exam; value: T } | { exam: Exam; error: CliError };

const ofOneExam: ReadonlySet<ErrorCode> = new Set(['not_found', 'rejected', 'bad_answer']);

/** Rejects with the first error that is not an exam's own; the read of no further exam begins then. */
export function eachExam<Exam, T>(
  { pacer }: Pick<Client, 'pacer'>,
  exams: readonly Exam[],
  read: (exam: Exam) => Promise<T>,
): Promise<ExamRead<Exam, T>[]> {
  return pacer.map(exams, (exam) => resultOf(exam, read));
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
export function unread(
  { warn }: Pick<Context, 'warn'>,
  read: readonly ExamRead<{ id: string; name: string | undefined }, unknown>[],
): CliError | undefined {
  const failed = read.flatMap((each) => ('error' in each ? [each] : []));
  const [first] = failed;
  if (!first) return undefined;
  for (const { exam, error } of failed) warn(sentence`Exam ${idAndName(exam.id, exam.name)}: ${error.message}`);
  if (failed.length === read.length) return first.error;
  return new CliError('partly_done', sentence`${failed.length} of ${count(read.length, 'exam')} could not be read.`, {
    hint: 'The rows are those of the other exams.',
    items: failed.map(({ exam, error }) => ({ id: exam.id, code: error.code, message: error.message })),
  });
}
