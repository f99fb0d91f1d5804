/** The check of extra time: whether the sessions have what the list of accommodations grants. */
import { count } from '../../model/count.ts';
import { firstInLine } from '../../model/first-of.ts';
import { typedOption } from '../../model/shell-quote.ts';
import { type Check, failed, ok, warning } from './preflight-check.ts';
import { namedAtMost } from './student-checks.ts';
import type { ExtraTime, GrantedTime, Subject } from './subject.ts';

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
