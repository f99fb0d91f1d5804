/** Checks of extra time: what the list of accommodations grants, and whether the sessions have it. */
import { count } from '../../model/count.ts';
import { firstInLine } from '../../model/first-of.ts';
import { typedOption } from '../../model/shell-quote.ts';
import { type Check, failed, ok, warning } from './preflight-check.ts';
import { namedAtMost, namesOf } from './student-checks.ts';
import { type ExtraTime, type GrantedTime, hasOwnWindow, type Subject, spanOf, targetOf, windowOf } from './subject.ts';

function list({ accommodations }: Subject): GrantedTime {
  if (!accommodations) throw new Error('A check does not say that it needs the accommodations.');
  return accommodations;
}

const line = (verb: string, { exam, command, accommodations }: Subject) =>
  command(`accommodations ${verb}`, [accommodations?.file ?? ''], typedOption('--exam', exam.id), ...(accommodations?.options ?? []));

const counted = (judged: readonly ExtraTime[], states: readonly string[]) =>
  states.flatMap((state) => {
    const those = judged.filter((each) => each.state === state);
    return those.length === 0 ? [] : [`${those.length} ${state} (${firstInLine(those, ({ email }) => email, namedAtMost)})`];
  });

export const accommodations: Check = {
  name: 'accommodations',
  title: 'each session has the extra time of the list (--accommodations)',
  needs: ['students', 'addresses', 'windows', 'accommodations'],
  judge(subject) {
    const { judged } = list(subject);
    const short = counted(judged, ['missing', 'less']);
    if (short.length > 0) return failed(`extra time: ${short.join(', ')} of ${count(judged.length, 'session')}`, line('apply', subject));
    const conflicts = counted(judged, ['conflict']);
    if (conflicts.length > 0) return failed(`extra time: ${conflicts.join(', ')}`, line('check', subject));
    const more = counted(judged, ['more']);
    if (more.length > 0) return warning(`extra time: ${more.join(', ')}`, line('check', subject));
    return ok(judged.length === 0 ? 'no session has extra time' : `${count(judged.length, 'session')} with the extra time of the list`);
  },
};

export const windowsExtraTime: Check = {
  name: 'windows: extra time',
  title: 'a window that a session has of its own has room for the extra time of its student (--accommodations)',
  needs: ['students', 'addresses', 'times', 'windows', 'accommodations'],
  judge(subject) {
    const span = spanOf(subject);
    const short = subject.students.filter((student) => {
      const target = targetOf(student, subject);
      return target !== undefined && hasOwnWindow(student) && windowOf(student, span).closes < target;
    });
    if (short.length === 0) return ok(`room for the extra time of ${count(list(subject).targets.size, 'session')}`);
    const many = short.length === 1 ? '1 window is' : `${short.length} windows are`;
    return failed(`${many} too short for exam and extra time: ${namesOf(short)}`, line('apply', subject));
  },
};
