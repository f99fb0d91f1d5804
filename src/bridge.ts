/**
 * Between the records of both engines (`src/runs`, `src/runs-before`): which has a run, and that they never write to one exam at the
 * same time. It goes with the older engine.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from './command.ts';
import { stateFolder } from './config/folders.ts';
import { CliError, orGone } from './errors.ts';
import { runOrigin } from './model/run-origin.ts';
import type { RunRecord } from './record/index.ts';
import type { State } from './state/state.ts';
import { type Sentence, sentence } from './text/sentence.ts';

export type Side = 'runs' | 'runs-before';

/** The record; undefined where nothing was ever recorded: a question makes none. */
export async function recordIfThere(context: Context): Promise<RunRecord | undefined> {
  return isThere(context, 'record.sqlite') ? context.record() : undefined;
}

/** The same of the older engine. */
export async function stateIfThere(context: Context): Promise<State | undefined> {
  if (!isThere(context, 'runs.sqlite')) return undefined;
  return (await statusBefore(context)).standing === 'none' ? undefined : context.state();
}

function isThere({ host, settings }: Context, file: string): boolean {
  const { state } = settings();
  return state !== 'none' && (state !== 'local' || existsSync(join(stateFolder(host), file)));
}

async function statusBefore(context: Context) {
  const { stateOptions } = await import('./config/state-options.ts');
  return (await import('./state/open-state.ts')).stateStatus(stateOptions(context));
}

/** Which of them has a run. Throws `not_found`. */
export async function sideOf(context: Context, id: string): Promise<Side> {
  const record = await recordIfThere(context);
  if (record && (await orGone(record.run(id)))) return 'runs';
  if (await (await stateIfThere(context))?.run(id)) return 'runs-before';
  throw new CliError('not_found', sentence`No run ${JSON.stringify(id)} is recorded.`, { hint: 'List them with: proctor-cli runs list' });
}

/** Called once this engine's own work is known to the other one, and before its first request. Throws `already_running`. */
export async function refuseWhileOther(context: Context, side: Side, exams: Iterable<string>): Promise<void> {
  // Until then a late request may still arrive.
  const since = context.host.now() - 3 * context.settings().timeoutMilliseconds;
  const what = await (side === 'runs' ? workBefore : workNow)(context, [...new Set(exams)], since);
  const hint = 'Nothing was sent. Run the same command again once it has ended; look at it with: proctor-cli runs list --open';
  if (what) throw new CliError('already_running', sentence`Another proctor-cli is at work in the same exam: ${what}.`, { hint });
}

async function workNow(context: Context, exams: readonly string[], since: number): Promise<Sentence | undefined> {
  const record = exams.length === 0 ? undefined : await recordIfThere(context);
  const origin = runOrigin(context.settings());
  const [lock] = (await record?.living(exams.flatMap((exam) => [`${origin} exam ${exam}`, `${origin} students ${exam}`]))) ?? [];
  if (lock) return sentence`${lock.command} (${lock.who})`;
  const sent = await record?.find(origin, { exams, states: ['sending', 'unknown'] });
  const late = sent?.find(({ at }) => at > since);
  return late && sentence`run ${late.run}`;
}

async function workBefore(context: Context, exams: readonly string[], since: number): Promise<Sentence | undefined> {
  if (exams.length === 0 || !isThere(context, 'runs.sqlite')) return undefined;
  const { open, locks } = await statusBefore(context);
  const held = new Set(locks.map(({ name }) => name));
  const recent = open.filter(({ lastAt }) => lastAt > since).map(({ id }) => `run-${id}`);
  for (const name of new Set([...held, ...recent])) {
    const state = await context.state();
    const run = name.startsWith('run-') ? await state.run(name.slice('run-'.length)) : undefined;
    if (run?.origin !== runOrigin(context.settings())) continue;
    const last = new Map((await state.events(run.id)).map(({ n, event }) => [n, event]));
    const isAtWork = (n: number) => held.has(name) || ['sending', 'unknown', 'confirmed'].includes(last.get(n) ?? '');
    const steps = (await state.steps(run.id)).filter(({ n, exam }) => exam !== null && exams.includes(exam) && isAtWork(n));
    if (steps.length > 0) return sentence`run ${run.id}, ${run.command} (${run.who})`;
  }
  return undefined;
}
