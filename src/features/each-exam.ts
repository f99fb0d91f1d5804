/**
 * The same read for many exams: as many requests at a time as make it faster, with the results in the order of the
 * exams. An answer that has arrived makes room for the next request before it is parsed and judged. An error that
 * concerns one exam only is part of its result; any other, which the next exam would meet as well, ends the whole.
 */
import type { Client } from '../api/client.ts';
import { type Concurrency, mostInFlight, usualConcurrency } from '../api/concurrency.ts';
import { inParallel } from '../api/in-parallel.ts';
import { Slots } from '../api/slots.ts';
import type { Context } from '../command.ts';
import { CliError, type ErrorCode } from '../errors.ts';
import { count } from '../model/count.ts';
import { sentence } from '../text/sentence.ts';

/** `error`: what keeps this exam from being read, and no other. */
export type ExamRead<Exam, T> = { exam: Exam; value: T } | { exam: Exam; error: CliError };

const ofOneExam: ReadonlySet<ErrorCode> = new Set(['not_found', 'rejected', 'bad_answer']);

/**
 * `read` sends its requests with the client that it gets. Rejects with the first error that is not an exam's own; no
 * further request begins then.
 */
export function eachExam<Exam, T>(
  client: Client,
  exams: readonly Exam[],
  read: (exam: Exam, client: Client) => Promise<T>,
  { concurrency = usualConcurrency }: { concurrency?: Concurrency } = {},
): Promise<ExamRead<Exam, T>[]> {
  let slots: Slots | undefined;
  const sharing = client.sharing((host) => {
    slots = new Slots(host, concurrency);
    return slots;
  });
  const one = (exam: Exam) =>
    resultOf(exam, (exam) => read(exam, sharing)).catch((error: unknown) => {
      slots?.stop(error);
      throw error;
    });
  // As many again are parsed and judged, or wait for their turn.
  return inParallel(exams, one, { concurrency: 2 * mostInFlight(concurrency) });
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
