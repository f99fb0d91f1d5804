/** Checks of the exam's own times. */
import { count } from '../../model/count.ts';
import { durationInWords } from '../../model/duration.ts';
import { showTime, typedTime } from '../../model/time.ts';
import { type Check, type Finding, failed, ok, warning } from './preflight-check.ts';
import { type Subject, spanOf } from './subject.ts';

const minute = 60_000;
const hour = 60 * minute;

/** Shorter or longer exams are unusual. Milliseconds. */
const usual = { least: 15 * minute, most: 6 * hour };

const change = ({ exam, command }: Subject) => command('exams update', [exam.id]);
const shown = (instant: number, { shownZone }: Subject) => showTime(instant / 1000, shownZone);

export const timesOrder: Check = {
  name: 'times: order',
  needs: ['shownTimes'],
  judge(subject) {
    const { starts, ends } = subject;
    if (starts.at === undefined || ends.at === undefined) {
      const lacking = [...(starts.at === undefined ? ['start_time'] : []), ...(ends.at === undefined ? ['end_time'] : [])];
      return failed(`the exam has no ${lacking.join(' and no ')}`, change(subject));
    }
    const span = `${shown(starts.at, subject)} to ${shown(ends.at, subject)}`;
    if (ends.at > starts.at) return ok(span);
    return failed(`the exam ${ends.at === starts.at ? 'ends when it starts' : 'ends before it starts'}: ${span}`, change(subject));
  },
};

export const timesPast: Check = {
  name: 'times: past',
  needs: ['times'],
  judge(subject) {
    const { start, end } = spanOf(subject);
    const { now } = subject;
    if (now >= end) return failed(`the exam ended ${durationInWords(now - end)} ago`, change(subject));
    if (now >= start) return warning(`the exam started ${durationInWords(now - start)} ago`, change(subject));
    return ok(`starts in ${durationInWords(start - now)}`);
  },
};

export const timesMidnight: Check = {
  name: 'times: midnight',
  needs: ['times', 'zone'],
  judge(subject) {
    const { start, end } = spanOf(subject);
    const day = (instant: number) => typedTime(instant, subject.shownZone).slice(0, 10);
    // An exam until 24:00 ends on its day.
    if (end <= start || day(start) === day(end - 1)) return ok(`on ${day(start)}`);
    return warning(`the exam runs past midnight, until ${shown(end, subject)}`, change(subject));
  },
};

export const timesClockChange: Check = {
  name: 'times: clock change',
  needs: ['times', 'zone'],
  judge(subject) {
    const { start, end } = spanOf(subject);
    const moved = offsetAt(end, subject.shownZone) - offsetAt(start, subject.shownZone);
    if (moved === 0) return duringExtraTime(subject, end) ?? ok(`no change in ${subject.shownZone}`);
    const lasts = durationInWords(end - start);
    const looks = durationInWords(end - start + moved);
    return warning(
      `the clocks are set ${moved > 0 ? 'forward' : 'back'} during the exam: it takes ${lasts}, and its times look like ${looks}`,
      change(subject),
    );
  },
};

/** Students whose own windows reach beyond a clock change after the end of the exam. */
function duringExtraTime(subject: Subject, end: number): Finding | undefined {
  const { students, shownZone } = subject;
  const closings = students.flatMap((student) => {
    const closes = student.closes.at ?? end;
    return closes > end && offsetAt(closes, shownZone) !== offsetAt(end, shownZone) ? [closes] : [];
  });
  const [first] = closings;
  if (first === undefined) return undefined;
  const way = offsetAt(first, shownZone) > offsetAt(end, shownZone) ? 'forward' : 'back';
  const whose = count(closings.length, 'student');
  return warning(
    `the clocks are set ${way} during the extra time of ${whose}, until ${shown(Math.max(...closings), subject)}`,
    change(subject),
  );
}

export const timesLength: Check = {
  name: 'times: length',
  needs: ['times'],
  judge(subject) {
    const { start, end } = spanOf(subject);
    const length = end - start;
    if (length <= 0) return { state: 'skipped', detail: 'the exam does not end after it starts' };
    const words = durationInWords(length);
    if (length < usual.least) return warning(`the exam takes only ${words}`, change(subject));
    return length > usual.most ? warning(`the exam takes ${words}`, change(subject)) : ok(words);
  },
};

/** By how much the clocks of a zone are ahead of UTC. Milliseconds. */
function offsetAt(instant: number, zone: string): number {
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(typedTime(instant, zone)) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * hour + Number(minutes) * minute);
}
