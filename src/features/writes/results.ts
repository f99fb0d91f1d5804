/** The result of single writes: the resource as it is afterwards, or a row for each subject where a command takes several. */
import type { Column, Context, Result, Row } from '../../command.ts';
import { idAs } from '../../model/id.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { type Ended, failureOf, type Item, kindOf, meaningOf } from '../../runs/index.ts';
import { sentence } from '../../text/sentence.ts';

const ending: readonly Column[] = [{ key: 'result', identifies: true }, { key: 'reason' }];
const columnsOf = {
  exam: [{ key: 'exam' }, ...ending],
  session: [{ key: 'exam' }, { key: 'session' }, { key: 'email' }, ...ending],
  proctor: [{ key: 'exam' }, { key: 'proctor' }, ...ending],
} as const;

type One = { did: string; columns: readonly Column[]; item?: Item | undefined; isRunning?: boolean };

/** Of a command about one resource: of its steps, `item` shows it. What is there is printed although it failed. */
export async function oneResult(context: Context, ended: Ended, { did, columns, item = ended.items[0], isRunning }: One): Promise<Result> {
  if (ended.there?.is === 'there') {
    context.say('It is there already; nothing was sent.');
    return { kind: 'one', row: ended.there.shown, columns };
  }
  const failure = failureOf(ended, { did, idType: undefined });
  if (item?.evidence !== undefined) context.say(item.evidence);
  const isThere = item?.state === 'done' || item?.reason === 'different' || item?.reason === 'duplicate';
  if (failure && !isThere) return { kind: 'nothing', failure };
  if (!failure) sayUndo(context, ended, isRunning);
  const end = failure ? { failure } : {};
  return item?.shown ? { kind: 'one', row: item.shown, columns, ...end } : { kind: 'nothing', ...end };
}

/** What a row is about: an exam and, where it is one of its sessions or proctors, that. */
export type Subject = { exam?: unknown; session?: unknown; proctor?: unknown; email?: string | null; before?: Outcome };
/** What a row says of a subject, if that is more than what became of the request. */
type Outcome = { result: string; reason: string };

/** `columns`: those of the resource, which a table shows where it is the only one. `of`: the subjects of a step that has several. */
type Several = {
  did: string;
  resource: keyof typeof columnsOf;
  columns?: readonly Column[];
  of?(item: Item): readonly Subject[];
};

/** Of a command that takes several subjects: a row for each. */
export async function severalResult(context: Context, ended: Ended, { did, resource, columns, of }: Several): Promise<Result> {
  const { items } = ended;
  const client = await context.client();
  const idType = client.idType(resource === 'proctor' ? 'exam' : resource);
  const failure = failureOf(ended, { did: 'done', idType });
  const [only, ...others] = items;
  if (failure && others.length === 0) return { kind: 'nothing', failure };
  for (const { error, evidence, reason, id = '' } of items) {
    if (error) context.warn(reason === 'changed' ? error.message : sentence`${id}: ${error.message}`);
    else if (evidence !== undefined) context.say(others.length === 0 ? evidence : sentence`${id}: ${evidence}`);
  }
  if (!failure) sayUndo(context, ended);
  const typed = (kind: 'exam' | 'session', id: string | undefined) => (id === undefined ? null : idAs(id, client.idType(kind)));
  const subjectsOf = (item: Item): readonly Subject[] => {
    const { id, step } = item;
    if (resource === 'exam') return [{ exam: typed('exam', id) }];
    return of?.(item) ?? [{ exam: typed('exam', step.exam), session: typed('session', id), email: step.email ?? null }];
  };
  const shown = context.format === 'id' ? items.filter(({ state }) => state === 'done') : items;
  const rows = shown.flatMap((item) =>
    subjectsOf(item).map(({ before, ...subject }): Row => ({ ...subject, ...(before ?? outcomeOf(item, did)) })),
  );
  const alone = columns && others.length === 0 && only?.shown ? { alone: { row: only.shown, columns } } : {};
  return { kind: 'list', rows, columns: columnsOf[resource], id: resource, ...alone, ...(failure ? { failure } : {}) };
}

export function outcomeOf({ state, reason, error, evidence }: Item, did: string): { result: string; reason: string | null } {
  if (state === 'done' && reason === undefined) return { result: did, reason: evidence ?? null };
  return { result: reason ?? state, reason: error?.message ?? evidence ?? meaningOf(state, reason) };
}

/** Where a run can be undone, a person is told the command once; `isRunning`: with the reason that an exam that runs asks for. */
export function sayUndo({ globals, host, say }: Context, { run, items }: Ended, isRunning = false): void {
  const isUndoable = ({ ours, state, step }: Item) =>
    ours && state === 'done' && !step.raw && !['mails', 'deletion', 'other'].includes(kindOf(step));
  if (run === undefined || globals.quiet || !host.stderr.isTTY || !items.some(isUndoable)) return;
  say(sentence`Undo it with: proctor-cli ${typedCommand('runs undo', [run], isRunning ? '--during-exam "REASON"' : '')}`);
}
