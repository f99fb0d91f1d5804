/** The question about a plan; after the yes it is computed again, and asked about again where one of its steps has changed. */
import { CliError } from '../errors.ts';
import { canAsk } from '../host/host.ts';
import { firstLines } from '../model/first-of.ts';
import { stringifyJson } from '../model/json.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import type { ExamGate } from './gate/exam-gate.ts';
import { lookFirst } from './look-first.ts';
import type { Looked } from './looked.ts';
import type { RunRequest } from './run-request.ts';
import { type Plan, type Step, withFirst } from './step.ts';
import type { World } from './world.ts';

/** The plan, with what was there before it and what the gate says of it. */
export type Prepared = { plan: Plan; listed: readonly string[]; stale: Extract<Looked, { is: 'free' }>['stale'] };

/** Asks; after the yes the plan is computed again, and asked about again where one of its steps has changed. */
export async function asked(world: World, request: RunRequest, gate: ExamGate, first: Prepared): Promise<Prepared> {
  const { context } = world;
  const { question, typed } = request;
  if (!question) return first;
  let prepared = first;
  for (let attempt = 1; ; attempt += 1) {
    const { plan } = prepared;
    // Nobody is asked, so nobody has seen another plan than the one that is sent.
    if (context.globals.yes) return prepared;
    const words = await question(plan);
    if (words === undefined) return prepared;
    const whole = sentence`${words} ${context.place()}?`;
    if (!canAsk(context.host, context.globals.noInput)) throw unasked(whole);
    await context.confirm(() => whole, typed?.(plan));
    const again = await lookFirst(world, await request.plan(world), {
      ...request.consents,
      allowDuplicate: true,
    });
    if (again.is !== 'free') return prepared;
    const differences = changesOf(plan, again.plan);
    const next: Prepared = { ...again, plan: withNumbers(again.plan, plan) };
    // While the question was open, an exam may have begun.
    const refused = next.plan.refused ?? (await gate.judgePlan(next.plan));
    if (refused) throw refused;
    if (differences.length === 0) return next;
    for (const line of firstLines(differences, (text) => text)) context.warn(line);
    if (!canAsk(context.host, context.globals.noInput) || attempt === 5)
      throw new CliError('changed_meanwhile', sentence`The plan has changed since it was shown: ${differences[0] ?? ''}`);
    await request.tell?.(next.plan);
    prepared = next;
  }
}

/** A script learns what it would have to confirm. */
function unasked(question: Sentence): CliError {
  return new CliError('needs_confirmation', sentence`Confirmation required, but this is not an interactive terminal: ${question}`, {
    hint: 'Preview it with --dry-run, then add --yes to confirm. Nothing was sent.',
  });
}

/** The numbers of claims to which the question has led. */
function withNumbers(plan: Plan, asked: Plan): Plan {
  const { number } = asked.steps.at(0) ?? {};
  const next = plan.steps.at(0);
  return number === undefined || !next ? plan : { ...plan, steps: withFirst(plan.steps, { ...next, number }) };
}

/** Steps that were not in the plan that was asked about. Steps that have fallen away are no difference: somebody has done them. */
function changesOf(before: Plan, now: Plan): Sentence[] {
  let alike = 0;
  while (alike < now.steps.length && keyOf(before.steps.at(alike)) === keyOf(now.steps.at(alike))) alike += 1;
  const changed: Sentence[] = [];
  if (alike === now.steps.length) return changed;
  const known = new Set<string>();
  for (let index = 0; index < before.steps.length; index += 1) known.add(keyOf(before.steps.at(index)));
  for (let index = alike; index < now.steps.length && changed.length < 100; index += 1) {
    const step = now.steps.at(index);
    if (step && !known.has(keyOf(step))) changed.push(changeInWords(step));
  }
  return changed;
}

function keyOf(step: Step | undefined): string {
  if (!step) return '';
  const { operation, params, body, email, expects, expectsExam, exam, provenId } = step;
  return stringifyJson([
    operation.id,
    { ...params },
    body ?? null,
    email ?? null,
    expects ?? null,
    expectsExam ?? null,
    exam ?? null,
    provenId ?? null,
  ]);
}

function changeInWords({ operation, params, email, body }: Step): Sentence {
  const what = operation.does.replace(/:(\w+)/g, (_, name: string) => params[name] ?? 'ID');
  const values = body && Object.keys(body).length > 0 ? `, and now sends ${stringifyJson(body)}` : '';
  return sentence`The request to ${what}${email === undefined ? '' : ` (${email})`} has changed${values}.`;
}
