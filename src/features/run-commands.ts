/** `runs resume`, `runs undo` and `runs settle`: what goes on with a recorded run. */
import { ofExams, whoInWords } from '../api/in-words.ts';
import type { Context, Result, Row } from '../command.ts';
import { CliError } from '../errors.ts';
import { canAsk } from '../host/host.ts';
import { count } from '../model/count.ts';
import { firstInLine, firstLines } from '../model/first-of.ts';
import { idAs } from '../model/id.ts';
import { type Json, stringifyJson } from '../model/json.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { instantOf, showTime } from '../model/time.ts';
import {
  carryOut,
  closeRun,
  type Ended,
  type Kept,
  type Plan,
  resumeWith,
  resumption,
  runNamed,
  Settling,
  type Step,
  summaryOf,
  undoPlan,
  worldOf,
} from '../runs-before/index.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { outcomeRow, stepColumns, stepRow } from './run-rows.ts';

export async function resumeRun(context: Context, id: string, resendAbsent: boolean): Promise<Result> {
  const run = await runNamed(context, id);
  if (run.kind === 'sessions import') {
    const { command: line } = run;
    throw new CliError('usage', sentence`Run ${id} is an import, which needs its file to be resumed.`, {
      hint: sentence`Run the same command again: proctor-cli ${line}`,
    });
  }
  const world = await worldOf(context);
  if (run.state === 'finished') {
    const { done } = await summaryOf(world.state, run);
    if (done < run.steps)
      throw new CliError(
        'partly_done',
        sentence`Run ${id} is finished, and ${run.steps - done} of ${count(run.steps, 'step')} was not done.`,
        {
          hint: sentence`Nothing was sent. See what is missing: proctor-cli ${typedCommand('runs show', [id])}; to do it, run the command itself again.`,
        },
      );
    context.say(sentence`Run ${id} is finished; there is nothing to resume.`);
  }
  if (context.globals.dryRun) return resumption(world, run, resendAbsent);
  if (run.state === 'finished') return { kind: 'list', rows: [], columns: stepColumns, id: 'session' };
  await context.confirm(() => sentence`Resume ${run.command} (${count(run.steps, 'step')}) ${context.place()}?`);
  return resumeWith(world, run, { kind: run.kind, resendAbsent, result: (ended) => resultOf(context, ended, 'done', []) });
}

export async function undoRun(context: Context, id: string): Promise<Result> {
  const run = await runNamed(context, id);
  const world = await worldOf(context);
  if (run.state === 'open' && !context.globals.dryRun) {
    const { stopped } = await closeRun(world, run);
    if (stopped) throw stopped;
  }
  let kept: readonly Kept[] = [];
  return carryOut(context, {
    kind: 'runs undo',
    identity: [id],
    again: 'anew',
    undoOf: id,
    async plan() {
      const plan = await undoPlan(world, id);
      kept = plan.kept;
      return plan;
    },
    tell(plan) {
      for (const line of firstLines(stepsOf(plan), (step) => toUndo(step, context.zone()))) context.say(line);
      const stays = kept.filter(({ gone }) => !gone);
      for (const line of firstLines(stays, keptInWords)) context.warn(line);
    },
    async question(plan) {
      const steps = stepsOf(plan);
      const students = new Map(
        steps.flatMap(({ operation, params, email }) => (operation.resource === 'session' ? [[params.id, email]] : [])),
      );
      const deletes = steps.filter(({ operation }) => operation.method === 'DELETE').length;
      const parts = [
        ...(deletes < steps.length ? [`restore ${count(steps.length - deletes, 'value')}`] : []),
        ...(deletes > 0 ? [`delete ${count(deletes, 'record')}`] : []),
      ];
      const who = students.size === 0 ? '' : ` (${whoInWords([...students].map(([session, email]) => ({ session, email })))})`;
      const of = await ofExams(
        world.client,
        steps.flatMap(({ exam }) => exam ?? []),
        context.zone(),
      );
      return sentence`Undo run ${id} (${run.command}, ${showTime(new Date(run.at).toISOString(), context.zone())}): ${parts.join(', ')}${who}${of},`;
    },
    result: (ended) => resultOf(context, ended, 'undone', kept),
  });
}

function stepsOf({ steps }: Plan): Step[] {
  return Array.from({ length: steps.length }, (_, index) => steps.at(index) ?? []).flat();
}

function toUndo({ operation, params, email, body = {} }: Step, zone: string): Sentence {
  const does = operation.does.replace(/:(\w+)/g, (_, name: string) => params[name] ?? 'ID');
  const values = operation.method === 'PATCH' ? Object.entries(body).map(([field, value]) => valueBack(field, value, zone)) : [];
  return sentence`To undo: ${does}${email === undefined ? '' : ` ${email}`}${values.length === 0 ? '' : `: ${values.join(', ')}`}`;
}

/** What a field is set back to. */
function valueBack(field: string, value: Json, zone: string): string {
  if (value === null) return `no ${field}`;
  return `${field} ${instantOf(value) === undefined ? stringifyJson(value) : showTime(String(value), zone)}`;
}

function keptInWords({ step, id, email, why }: Kept): Sentence {
  const what = step.operation.resource === 'exam' ? 'exam' : 'session';
  return sentence`Kept: ${what} ${id ?? ''}${email === undefined ? '' : ` ${email}`}: ${why}.`;
}

function keptOf({ step, id, why }: Kept): string {
  return `${step.operation.resource === 'exam' ? 'exam' : 'session'} ${id ?? ''} (${why})`;
}

async function resultOf(context: Context, ended: Ended, did: string, kept: readonly Kept[]): Promise<Result> {
  const client = await context.client();
  const types = { exam: client.idType('exam'), session: client.idType('session') };
  const rows: Row[] = [...ended.outcomes()].map((outcome) => outcomeRow(outcome, types, did));
  for (const { step, id, email, why, gone } of kept) {
    rows.push({ ...stepRow({ ...step, email: email ?? step.email }, id, types), result: gone ? 'undone before' : 'kept', problem: why });
  }
  const stays = kept.filter(({ gone }) => !gone);
  const failure =
    // What was given up is planned anew by its command, or was settled by a person.
    ended.failure({ did, idType: types.session, of: [...ended.outcomes()].filter(({ state }) => state !== 'given_up') }) ??
    (stays.length > 0
      ? new CliError('partly_done', sentence`${count(stays.length, 'record')} kept: ${firstInLine(stays, keptOf, 3)}.`, {
          hint: 'Each is named above with the reason. The same command keeps all that was changed since.',
          items: stays.map(({ id = '', why }) => ({ id: idAs(id, types.session), code: 'not_applied' as const, message: why })),
        })
      : undefined);
  if (rows.length === 0) context.say(did === 'undone' ? 'There is nothing to undo.' : 'Nothing was open.');
  return { kind: 'list', rows, columns: stepColumns, id: 'session', ...(failure ? { failure } : {}) };
}

export type Settlement = { line: number; created: string | undefined };

/** Lists the open steps with their candidates; settles the named one, or on a terminal asks about each. */
export async function settleRun(context: Context, id: string, settlement: Settlement | undefined): Promise<Result> {
  const run = await runNamed(context, id);
  const settling = await Settling.begin(await worldOf(context), run);
  try {
    if (settlement) {
      const index = settling.at(settlement.line);
      if (settlement.created === undefined) settling.absent(index);
      else await settling.created(index, settlement.created);
    } else if (canAsk(context.host, context.globals.noInput)) await askEach(context, settling);
    const open = await settling.open();
    const rows = open.map(({ index, line, exam, email, isAbsent, candidates }) => ({
      line: line ?? index + 1,
      exam: exam === undefined ? null : idAs(exam, undefined),
      email: email ?? null,
      state: isAbsent ? 'absent' : 'unknown',
      candidates: candidates.map(({ id: session, email: address }) => ({ session: idAs(session, undefined), email: address ?? null })),
    }));
    if (rows.length === 0) context.say(sentence`Run ${id} has no open step that a person could settle.`);
    const unknown = rows.find(({ state }) => state === 'unknown');
    if (unknown)
      context.say(
        sentence`Settle a line with --created or --absent, such as: proctor-cli ${typedCommand('runs settle', [id], `--line ${unknown.line} --created ID`)}`,
      );
    const absent = rows.filter(({ state }) => state === 'absent').length;
    const again =
      run.kind === 'sessions import'
        ? 'run the same import with --resend-absent'
        : `proctor-cli ${typedCommand('runs resume', [id], '--resend-absent')}`;
    if (absent > 0)
      context.say(sentence`${count(absent, 'line')} ${absent === 1 ? 'is' : 'are'} absent, and not sent again unless you say so: ${again}`);
    return {
      kind: 'list',
      rows,
      columns: [{ key: 'line' }, { key: 'exam' }, { key: 'email' }, { key: 'state', identifies: true }, { key: 'candidates', as: 'list' }],
      id: 'line',
    };
  } finally {
    await settling.close();
  }
}

async function askEach({ host }: Context, settling: Settling): Promise<void> {
  for (const { index, line, email, candidates } of await settling.open()) {
    const which = sentence`Line ${line ?? index + 1}${email === undefined ? '' : ` (${email})`}: which session did it create?`;
    const choices = [
      ...candidates.map((each) => ({ value: each.id, label: `${each.id}  ${each.email ?? 'no address'}` })),
      { value: '', label: 'none: it is not in the exam' },
      { value: '?', label: 'leave it open' },
    ];
    const chosen = await host.prompts.search(which, (term) =>
      choices.filter(({ label }) => label.toLowerCase().includes(term.toLowerCase())),
    );
    if (chosen === '?') continue;
    if (chosen === '') settling.absent(index);
    else await settling.created(index, chosen);
  }
}
