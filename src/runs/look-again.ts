/**
 * Before the creates of a run that goes on are sent, it is looked once more whether they are there: since the run was planned, somebody
 * else may have created the same.
 */
import { idOf } from '../api/client.ts';
import { type Consents, consentTo, examsLike, refuseHidden, thereAlready } from './look-first.ts';
import { readExam } from './reading.ts';
import { type SettleParts, settled } from './settle.ts';
import { createsExam, createsStudent } from './step.ts';

/** A student who is there is not created; throws `already_there` for an exam that is, unless somebody consents to another one. */
export async function lookAgain(parts: SettleParts, consents: Consents): Promise<void> {
  const { book, world } = parts;
  const students = new Map<string, number[]>();
  for (const index of [...book.inState('planned')]) {
    const step = book.steps.at(index);
    // A number is given where a duplicate was asked for.
    if (!step || step.number !== undefined) continue;
    const exam = parts.examOf(index);
    if (createsStudent(step) && step.email !== undefined && exam !== undefined) students.set(exam, [...(students.get(exam) ?? []), index]);
    if (!createsExam(step)) continue;
    const { alike } = await examsLike(world, step);
    const other = alike.flatMap((each) => idOf(each, world.client) ?? []).find((id) => !parts.wasListed('exam', id, undefined));
    if (other !== undefined) await consentTo(world, consents.allowDuplicate, thereAlready(world, step, other));
  }
  for (const [exam, indices] of students) {
    const reading = await readExam(world.client, world.host, exam);
    refuseHidden(reading, exam, consents);
    for (const index of indices) {
      const [there] = reading.withAddress(book.steps.at(index)?.email ?? '');
      if (there?.id !== undefined) settled(parts, index, 'there', { shown: there.data }, { id: there.id, ours: false });
    }
  }
}
