/**
 * An import that is resumed: the lines of the file, which may have changed, are carried over to the steps of the run by their exam and
 * the key of their address. Known lines keep the state of their step; lines that are new get further steps; steps whose line has gone are given
 * up unless something was sent for them, which is looked up then.
 */
import { operations } from '../../api/operations.ts';
import type { Recorded } from '../../runs-before/index.ts';
import { lineKeyOf, openTimeOf } from './line-steps.ts';
import type { ImportScope, RosterPlan } from './roster-plan.ts';

type ResumedLines = { giveUp: number[]; stepOf: Map<number, number> };

type Carried = { recorded: Recorded; plan: RosterPlan; options: ImportScope; resendAbsent: boolean };

/** The places of the lines by their exam and the key under which their steps are recorded; of lines that say the same, in their order. */
function placesByKey({ plan, recorded, options }: Carried): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [entry, , place] of plan.lines()) {
    const student = recorded.keyOf(entry.email === undefined ? { lineKey: lineKeyOf(entry) } : { email: entry.email }) ?? '';
    const key = inExam(options.exams[entry.exam] ?? '', student);
    const alike = places.get(key);
    if (alike) alike.push(place);
    else places.set(key, [place]);
  }
  return places;
}

function inExam(exam: string, student: string): string {
  return `${exam} ${student}`;
}

const notDone: ReadonlySet<string> = new Set(['rejected', 'not_applied', 'changed', 'skipped']);

/** Adds the steps of the resumed run to `plan.steps`, which is empty. */
export function carryOver(carried: Carried): ResumedLines {
  const { recorded, plan, options, resendAbsent } = carried;
  const { steps } = plan;
  const byKey = placesByKey(carried);
  const resumed: ResumedLines = { giveUp: [], stepOf: new Map() };
  const planned = new Set<number>();
  for (const [index, record] of recorded.records.entries()) {
    if (!record) {
      steps.add('recorded', index);
      continue;
    }
    const { op, exam, sentKey, values } = record;
    const state = recorded.state(index);
    const isOpen = state === 'planned';
    const made = values?.made !== undefined;
    // The step before it has found its line.
    const before = made && steps.kindAt(index - 1) === 'create' ? steps.placeAt(index - 1) : undefined;
    const alike = sentKey === null || exam === null ? undefined : byKey.get(inExam(exam, sentKey));
    const place = made ? before : alike?.[0];
    if (values?.last === true) {
      steps.add('recorded', index, true);
      // The student is in the file by now, or nothing in it is about the exam any more.
      if (isOpen && (place !== undefined || !options.exams.includes(exam ?? ''))) resumed.giveUp.push(index);
      continue;
    }
    const entry = place === undefined ? undefined : plan.entries.at(place);
    if (place === undefined || !entry) {
      steps.add('recorded', index);
      // Nobody wants the student any more; one who may still come is given up with the same consent as one who is sent again.
      if (isOpen || (state === 'absent' && resendAbsent)) resumed.giveUp.push(index);
      continue;
    }
    if (op === operations.createSession.id) {
      steps.add('create', place);
      // Somebody has added the student meanwhile: what the plan says of that is done instead.
      if (isOpen && plan.planOf(place, entry).action !== 'create') {
        resumed.giveUp.push(index);
        planned.add(place);
        continue;
      }
    } else if (made && openTimeOf(entry, options)) {
      steps.add('open', place);
      if (isOpen && planned.has(place)) resumed.giveUp.push(index);
      continue;
    } else {
      steps.add('recorded', index);
      if (made && isOpen) resumed.giveUp.push(index);
      if (made) continue;
    }
    // An update that was not done is planned again.
    if (state === 'given_up' || (op !== operations.createSession.id && notDone.has(state))) continue;
    alike?.shift();
    resumed.stepOf.set(place, index);
  }
  for (const [entry, { action }, place] of plan.lines()) {
    if (resumed.stepOf.has(place) || (action !== 'create' && action !== 'update')) continue;
    resumed.stepOf.set(place, steps.add(action, place));
    if (action === 'create' && openTimeOf(entry, options)) steps.add('open', place);
  }
  return resumed;
}
