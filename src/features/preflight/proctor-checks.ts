/** Checks of the exam's proctor pool. */
import { count, students as studentsInWords } from '../../model/count.ts';
import { typedOption } from '../../model/shell-quote.ts';
import { type Check, failed, ok, skipped, warning } from './preflight-check.ts';
import type { MinProctors, Subject } from './subject.ts';

const add = ({ exam, command }: Subject) => command('proctors add', [], typedOption('--exam', exam.id));

export const proctorPool: Check = {
  name: 'proctors: pool',
  needs: ['proctors'],
  judge(subject) {
    const { proctors } = subject;
    return proctors.length === 0 ? failed('the exam has no proctors', add(subject)) : ok(count(proctors.length, 'proctor'));
  },
};

export const proctorNumber: Check = {
  name: 'proctors: number',
  needs: ['proctors', 'students'],
  judge(subject) {
    const { proctors, students, minProctors } = subject;
    if (proctors.length === 0) return { ...skipped('the exam has no proctors'), quiet: true };
    const needed = proctorsFor(students.length, minProctors);
    const detail = `${count(proctors.length, 'proctor')} for ${studentsInWords(students.length)}, ${needed} needed (${minProctors.proctors} for ${minProctors.students})`;
    if (proctors.length >= needed) return ok(detail);
    return minProctors.given ? failed(detail, add(subject)) : warning(detail, add(subject));
  },
};

/** Every so many students, begun or full, need so many proctors. */
export function proctorsFor(students: number, { proctors, students: each }: MinProctors): number {
  return Math.ceil((students * proctors) / each);
}
