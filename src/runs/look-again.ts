/**
 * Before the creates of a run that goes on are sent, it is looked once more whether they are there: since the run was planned, somebody
 * else may have created the same.
 */

import { operations } from '../api/operations.ts';
import { addTo } from '../model/groups.ts';
import { idOf } from '../model/id.ts';
import type { JsonObject } from '../model/json.ts';
import { consentTo, isAlike, refuseHidden, thereAlready } from './look-first.ts';
import type { Consents } from './looked.ts';
import type { Reading } from './reading.ts';
import { type SettleParts, settled } from './settle.ts';
import { createsExam, createsStudent } from './step.ts';
import { lookForStudents } from './students-there.ts';

/** A student who is there is not created; throws `already_there` for an exam that is, unless somebody consents to another one. Resolves to the readings. */
export async function lookAgain(parts: SettleParts, consents: Consents): Promise<ReadonlyMap<string, Reading>> {
  const { book, world, run } = parts;
  const readings = new Map<string, Reading>();
  const students = new Map<string, number[]>();
  let exams: readonly JsonObject[] | undefined;
  for (const index of [...book.inState('planned')]) {
    const step = book.steps.at(index);
    // A number is given where a duplicate was asked for.
    if (!step || step.number !== undefined) continue;
    const exam = book.examOf(index);
    if (createsStudent(step) && step.email !== undefined && exam !== undefined) {
      addTo(students, exam, index);
    }
    if (!createsExam(step)) continue;
    exams ??= await world.client.all(operations.listExams, {});
    const alike = exams.filter((exam) => isAlike(world, step, exam)).flatMap((each) => idOf(each) ?? []);
    const other = alike.find((id) => !parts.wasListed('exam', id, undefined) && book.withId(id, 'exam') === undefined);
    if (other !== undefined) await consentTo(world, consents.allowDuplicate, thereAlready(world, step, other));
  }
  for (const [exam, indices] of students) {
    const emails = function* () {
      for (const index of indices) yield { email: book.steps.at(index)?.email };
    };
    const { reading, claimed, stale } = await lookForStudents(world, exam, { [Symbol.iterator]: emails });
    readings.set(exam, reading);
    const sent = indices.flatMap((index, at) => {
      const email = book.steps.at(index)?.email;
      return email === undefined || claimed.has(at) || reading.withAddress(email).length > 0 ? [] : [email];
    });
    const others = reading.sessions.filter(({ id }) => id === undefined || book.withId(id) === undefined);
    refuseHidden(reading.hiding(sent, others), exam, consents);
    for (const claim of stale) run.endClaim(claim, 0);
    for (const [at, index] of indices.entries()) {
      const there = reading.withAddress(book.steps.at(index)?.email ?? '')[0] ?? claimed.get(at);
      if (there?.id !== undefined) settled(parts, index, 'there', { shown: there.data }, { id: there.id, ours: false });
    }
  }
  return readings;
}
