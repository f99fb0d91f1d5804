/** The results of what still runs on the engine before: updates with times here, and the words that other features share. */
import type { Column, Context, Result } from '../../command.ts';
import type { CliError } from '../../errors.ts';
import { idAs } from '../../model/id.ts';
import { isJsonObject } from '../../model/json.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { type Ended, isGood, isUndoable, type Outcome } from '../../runs-before/index.ts';
import { sentence } from '../../text/sentence.ts';

/** Of a command with one step. Throws its error, unless what it changed is to be printed all the same. */
export async function oneResult(context: Context, ended: Ended, did: string, columns: readonly Column[]): Promise<Result> {
  const [outcome] = ended.outcomes();
  const failure = ended.failure({ did, idType: undefined });
  if (outcome?.evidence !== undefined) context.say(outcome.evidence);
  const isThere = outcome !== undefined && ['done', 'different'].includes(outcome.state);
  if (failure && !isThere) throw failure;
  sayUndo(context, ended);
  const end = failure ? { failure } : {};
  return isJsonObject(outcome?.shown) ? { kind: 'one', row: outcome.shown, columns, ...end } : { kind: 'nothing', ...end };
}

/** A row for each session that was to be updated. */
export async function sessionsResult(context: Context, ended: Ended, columns: readonly Column[]): Promise<Result> {
  const client = await context.client();
  const outcomes = [...ended.outcomes()];
  const failure = ended.failure({ did: 'done', idType: client.idType('session') });
  const [only, ...others] = outcomes;
  if (failure && others.length === 0) throw failure;
  for (const { error, evidence, id = '', state } of outcomes) {
    if (error && state !== 'planned') context.warn(state === 'changed' ? error.message : sentence`${id}: ${error.message}`);
    else if (evidence !== undefined) context.say(others.length === 0 ? evidence : sentence`${id}: ${evidence}`);
  }
  sayUndo(context, ended);
  const shown = context.format === 'id' ? outcomes.filter(({ state }) => isGood(state)) : outcomes;
  const rows = shown.map(({ id = '', step, state, error, evidence }) => ({
    exam: step.exam === undefined ? null : idAs(step.exam, client.idType('exam')),
    session: idAs(id, client.idType('session')),
    email: step.email ?? null,
    ...{ result: isGood(state) ? 'updated' : state, reason: error?.message ?? evidence ?? null },
  }));
  const keys = ['exam', 'session', 'email', 'result', 'reason'].map((key) => ({ key }));
  const alone = others.length === 0 && isJsonObject(only?.shown) ? { alone: { row: only.shown, columns } } : {};
  return { kind: 'list', rows, columns: keys, id: 'session', ...alone, ...(failure ? { failure } : {}) };
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
