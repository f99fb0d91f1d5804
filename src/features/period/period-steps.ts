/** The plan of a period as steps: exams to create, values to set, and times that move with the windows of their students. */

import type { Client } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Step } from '../../runs-before/index.ts';
import { replacedBy, withRestrictions } from '../writes/sent-values.ts';
import { knownBy } from './exam-entry.ts';
import { stepsOfMoves, type TimeMove } from './exam-moves.ts';
import { bodyOf, changesExam, type PlanItem } from './period-plan.ts';
import { poolSteps } from './pools.ts';
import { rosterSteps } from './rosters.ts';

/** The steps, and which of them are those of a line. */
export type PeriodSteps = { steps: readonly Step[]; of: ReadonlyMap<PlanItem, readonly number[]> };

/** `creates`: the steps that create exams, in the order of all lines to be created, with the numbers of their claims. */
export function stepsOf(
  items: readonly PlanItem[],
  moving: ReadonlyMap<PlanItem, readonly TimeMove[]>,
  { creates, dialect }: { creates: readonly Step[]; dialect: Client['dialect'] },
): PeriodSteps {
  const sent = items.filter(({ held }) => held === undefined);
  const moves = sent.flatMap((item) => (moving.get(item) ?? []).map((move) => ({ item, move })));
  const steps: Step[] = stepsOfMoves(moves.map(({ move }) => move)).map((step, at) => ({ ...step, line: moves[at]?.item.entry.line }));
  const of = new Map<PlanItem, number[]>();
  for (const [index, { item }] of moves.entries()) of.set(item, [...(of.get(item) ?? []), index]);
  const add = (item: PlanItem, step: Step) => {
    of.set(item, [...(of.get(item) ?? []), steps.length]);
    steps.push({ line: item.entry.line, ...step });
  };
  for (const item of sent.filter(changesExam)) {
    const step = updateOf(item, of.get(item) ?? []);
    if (step) add(item, step);
    const id = item.exam?.id ?? '';
    for (const each of poolSteps(item.changes, { params: { id }, exam: id }, dialect)) add(item, each);
  }
  for (const item of sent)
    if (item.exam && item.roster) for (const each of rosterSteps(item.roster, { id: item.exam.id }, steps.length)) add(item, each);
  const created = items.filter(({ action }) => action === 'create');
  for (const [index, item] of created.entries()) {
    if (item.held) continue;
    const by = steps.length;
    add(item, creates[index] ?? createOf(item));
    for (const each of poolSteps(item.changes, { params: {}, made: { param: 'id', by } }, dialect)) add(item, each);
    if (item.roster) for (const each of rosterSteps(item.roster, { by }, steps.length)) add(item, each);
  }
  return { steps, of };
}

export function createOf(item: PlanItem): Step {
  return { operation: operations.createExam, params: {}, body: bodyOf(item), lineKey: knownBy(item.entry) };
}

/** The values of an exam that are no times moved already. `after`: the steps that move them. */
function updateOf(item: PlanItem, after: readonly number[]): Step | undefined {
  const { exam } = item;
  if (!exam) return undefined;
  const { start_time, end_time, ...settings } = bodyOf(item);
  const times: JsonObject = { ...(start_time === undefined ? {} : { start_time }), ...(end_time === undefined ? {} : { end_time }) };
  const body: JsonObject = after.length > 0 ? settings : { ...times, ...settings };
  if (Object.keys(body).length === 0) return undefined;
  const { sent, expects } = withRestrictions(exam.id, exam.shown, body);
  const { start_time: starts = null, end_time: ends = null } = exam.shown;
  const timesBefore = after.length === 0 && Object.keys(times).length > 0 ? { start_time: starts, end_time: ends } : {};
  return {
    operation: operations.patchExam,
    params: { id: exam.id },
    exam: exam.id,
    body: sent,
    expects: { ...replacedBy(sent, exam.shown), ...expects, ...timesBefore },
    after,
  };
}
