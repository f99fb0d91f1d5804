/** The result of writes: the resource as it is afterwards, or a row for each thing that was written. */
import type { Client } from '../../api/client.ts';
import type { Column, Context, Result, Row } from '../../command.ts';
import { timeFields } from '../../model/fields.ts';
import { idAs } from '../../model/json.ts';
import { maskIn } from '../../model/listing.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { bodyOf, type Ended, type Execution, isUndoable, meaningOf, previousOf, resourceOf } from '../../runs/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { failureOf } from './failure.ts';

const ending: readonly Column[] = [{ key: 'result', identifies: true }, { key: 'reason' }];
const resultColumns = {
  exam: [{ key: 'exam' }, ...ending],
  session: [{ key: 'exam' }, { key: 'session' }, { key: 'email' }, ...ending],
  proctor: [{ key: 'exam' }, { key: 'proctor' }, ...ending],
} as const;

/**
 * Prints the resource that `item` has created or changed, also after a failure, and nothing if the service shows none.
 * For a write that shows no resource: `severalResult`.
 */
export async function oneResult(context: Context, ended: Ended, item = ended.items[0]): Promise<Result> {
  const { columns } = context;
  if (ended.there?.is === 'there') {
    context.say('It is there already; nothing was sent.');
    return { kind: 'one', row: ended.there.shown, columns };
  }
  const failure = failureOf(ended, { did: 'done' });
  if (item?.note !== undefined) context.say(item.note);
  const isThere = item?.state === 'done' || item?.reason === 'different' || item?.reason === 'duplicate';
  if (failure && !isThere) return { kind: 'nothing', failure };
  const end = { failure, advice: failure ? [] : undoAdvice(context, ended) };
  return item?.shown ? { kind: 'one', row: item.shown, columns, ...end } : { kind: 'nothing', ...end };
}

/** A row for each time that a step sets. */
export function timeRows({ step }: Execution): Row[] {
  const sent = Object.entries(bodyOf(step)).filter(([field]) => timeFields.includes(field));
  return sent.map(([field, to]) => ({ field, from: previousOf(step)[field] ?? null, to }));
}

type Several = {
  did: string;
  resource: keyof typeof resultColumns;
  columns?: readonly Column[];
  /** The rows of an item: cells that are added to the common ones, or replace them. */
  rowsOf?(item: Execution): readonly Row[];
};

export async function severalResult(context: Context, ended: Ended, several: Several): Promise<Result> {
  const { did, resource, columns = resultColumns[resource], rowsOf = () => [{}] } = several;
  const { items } = ended;
  const client = await context.client();
  const failure = failureOf(ended, { did, idType: client.idType(resource === 'session' ? 'session' : 'exam') });
  // Where nothing had to be done, it has been said.
  const isNone = items.length === 0 && context.format === 'table';
  if (isNone || (failure && items.length === 1 && items[0]?.state !== 'done')) return { kind: 'nothing', failure };
  tellOutcomes(context, items);
  const isOfIds = context.format === 'id';
  const shown = isOfIds ? items.filter(({ state }) => state === 'done') : items;
  const rows = shown.flatMap((item) => {
    const common = { ...subjectOf(item, client), ...outcomeCells(item, did) };
    return rowsOf(item).map((own): Row => {
      const row: Row = { ...common, ...own };
      return Object.fromEntries(columns.map(({ key }) => [key, row[key]]));
    });
  });
  // A thing that has several rows is printed once.
  const once = isOfIds ? [...new Map(rows.map((row) => [row[resource], row])).values()] : rows;
  return { kind: 'list', rows: once, columns, id: resource, failure, advice: failure ? [] : undoAdvice(context, ended) };
}

export function tellOutcomes({ say, warn }: Context, items: readonly Execution[]): void {
  // What holds up a step is said of the step before it.
  for (const { error, note, reason, id, step } of items.filter((item) => item.reason !== 'after_failed')) {
    const { email, number } = step.student;
    const subject = id === undefined ? (email ?? number) : `${resourceOf(step)} ${id}`;
    if (error) warn(reason === 'changed' || subject === undefined ? error.message : sentence`${subject}: ${error.message}`);
    else if (note !== undefined) say(items.length === 1 ? note : sentence`${subject}: ${note}`);
  }
}

export type WrittenStep = Pick<Execution, 'step' | 'id' | 'exam'> & Partial<Pick<Execution, 'shown'>>;

/** What a step has created, or is about. */
export function subjectOf({ step, id, exam, shown = {} }: WrittenStep, client?: Client): Row {
  const isSession = resourceOf(step) === 'session';
  const ofExam = exam ?? (isSession ? undefined : id);
  const typed = (kind: 'exam' | 'session', of: string | undefined) => (of === undefined ? null : idAs(of, client?.idType(kind)));
  return {
    exam: typed('exam', ofExam),
    session: typed('session', isSession ? id : undefined),
    email: step.student.email ?? maskIn(shown) ?? null,
  };
}

export function outcomeCells({ state, reason, error, note }: Execution, did: string): { result: string; reason: string | null } {
  if (state === 'done' && reason === undefined) return { result: did, reason: note ?? null };
  return { result: reason ?? state, reason: error?.message ?? note ?? meaningOf(state, reason) };
}

export function undoAdvice({ host }: Context, { run, items, earlier }: Ended): readonly Sentence[] {
  const runs = [...earlier, ...(items.some(isUndoable) ? [run ?? []].flat() : [])].toReversed();
  const what = (at: number) => (at === 0 ? 'it' : 'what an earlier run of the same command did');
  return host.stderr.isTTY ? runs.map((id, at) => sentence`Undo ${what(at)} with: proctor-cli ${typedCommand('runs undo', [id])}`) : [];
}
