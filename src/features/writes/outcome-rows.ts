/** The result of single writes: the resource as it is afterwards, or a row for each where a command takes several. */
import type { Column, Context, Result } from '../../command.ts';
import type { CliError } from '../../errors.ts';
import { type IdType, idAs } from '../../model/id.ts';
import { isJsonObject } from '../../model/json.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { type Ended, isGood, isUndoable, type Outcome } from '../../runs-before/index.ts';
import { sentence } from '../../text/sentence.ts';

const outcomeColumns = (about: string): readonly Column[] => [
  { key: 'id', title: about },
  { key: 'result', identifies: true },
  { key: 'problem' },
];

/** Of a command with one step. Throws its error, unless what it created is to be printed all the same. */
export async function oneResult(context: Context, ended: Ended, did: string, columns: readonly Column[]): Promise<Result> {
  const [outcome] = ended.outcomes();
  const failure = ended.failure({ did, idType: await idTypeOf(context, ended) });
  if (ended.there?.is === 'there') {
    context.say('It is there already; nothing was sent.');
    return { kind: 'one', row: ended.there.shown, columns };
  }
  if (outcome?.evidence !== undefined) context.say(outcome.evidence);
  if (outcome?.stored !== undefined) context.say(sentence`Stored as ${outcome.stored}.`);
  const isThere = outcome !== undefined && ['done', 'there', 'different', 'duplicate'].includes(outcome.state);
  if (failure && !isThere) throw failure;
  sayUndo(context, ended);
  const shown = outcome?.shown;
  if (isJsonObject(shown)) return { kind: 'one', row: shown, columns, ...(failure ? { failure } : {}) };
  if (Array.isArray(shown)) {
    return {
      kind: 'list',
      rows: shown.map((item) => (isJsonObject(item) ? item : { id: item })),
      columns,
      ...(failure ? { failure } : {}),
    };
  }
  return { kind: 'nothing', ...(failure ? { failure } : {}) };
}

/** Where a run can be undone, the command is said once; `isRunning`: with the reason that an exam that runs asks for. */
export function sayUndo(context: Context, { run, outcomes }: Ended, isRunning = false): void {
  if (run === undefined || context.globals.quiet || !context.host.stderr.isTTY) return;
  for (const { ours, state, step } of outcomes()) {
    if (!ours || state !== 'done' || !isUndoable(step) || step.raw) continue;
    context.say(sentence`Undo it with: proctor-cli ${typedCommand('runs undo', [run], isRunning ? '--during-exam "REASON"' : '')}`);
    return;
  }
}

/**
 * A row for each step of a command that takes several subjects: done, failed, unknown, kept or not tried. `columns`: each row also has the
 * session as it is then, which a table shows where it is the only one.
 */
export async function severalResult(context: Context, ended: Ended, did: string, columns?: readonly Column[]): Promise<Result> {
  const idType = await idTypeOf(context, ended);
  const outcomes = [...ended.outcomes()];
  const failure = ended.failure({ did: 'done', idType });
  if (failure && outcomes.length === 1) throw failure;
  for (const { error, evidence, id = '', state } of outcomes) {
    if (error && state !== 'planned') context.warn(state === 'changed' ? error.message : sentence`${id}: ${error.message}`);
    else if (evidence !== undefined) context.say(outcomes.length === 1 ? evidence : sentence`${id}: ${evidence}`);
  }
  sayUndo(context, ended);
  const rows = outcomes.map((outcome) => ({
    ...rowOf(outcome, did, idType),
    ...(columns && isJsonObject(outcome.shown) ? { now: outcome.shown } : {}),
  }));
  const shown = context.format === 'id' ? rows.filter(({ result }) => result === did) : rows;
  const [only, ...others] = outcomes;
  const alone = columns && others.length === 0 && isJsonObject(only?.shown) ? { alone: { row: only.shown, columns } } : {};
  return {
    kind: 'list',
    rows: shown,
    columns: outcomeColumns(ended.book.steps.at(0)?.operation.resource ?? 'id'),
    id: 'id',
    ...alone,
    ...(failure ? { failure } : {}),
  };
}

/** How the service writes the IDs of what the steps are about, which is of one kind. */
async function idTypeOf(context: Context, { book }: Ended): Promise<IdType | undefined> {
  const { resource } = book.steps.at(0)?.operation ?? {};
  return resource && (await context.client()).idType(resource);
}

function rowOf(outcome: Outcome, did: string, idType: IdType | undefined) {
  const { id = '', state, error, evidence } = outcome;
  const problem = error?.message ?? (isGood(state) ? undefined : evidence);
  return { id: idAs(id, idType), result: wordOf(state, did, error), ...(problem === undefined ? {} : { problem }) };
}

/** The user's word for what became of a step. */
export function wordOf(state: Outcome['state'], did: string, error: CliError | undefined): string {
  switch (state) {
    case 'done':
    case 'there':
      return did;
    case 'unknown':
    case 'confirmed':
    case 'absent':
    case 'sending':
      return 'unknown';
    case 'changed':
      return 'kept';
    case 'planned':
      return error ? 'failed' : 'not tried';
    case 'skipped':
      return 'skipped';
    default:
      return 'failed';
  }
}
