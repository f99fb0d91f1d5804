/** What a check may need. */
import { count } from '../../model/count.ts';
import type { Moment, Subject } from './subject.ts';

/** In words, why a field gives no time. */
function whyNot(moment: Moment, field: string): string | undefined {
  if (moment.at !== undefined) return undefined;
  if (moment.why === 'hidden') return `the service shows no ${field}`;
  return moment.why === 'none' ? `the exam has no ${field}` : `the ${field} that the service shows cannot be read`;
}

const isUnknown = (moment: Moment) => moment.at === undefined && moment.why !== 'none';

function unknownTimes({ students }: Subject, field: 'open_time' | 'close_time'): string | undefined {
  const moments = students.map((student) => (field === 'open_time' ? student.opens : student.closes));
  const unknown = moments.find(isUnknown);
  if (unknown === undefined || unknown.at !== undefined) return undefined;
  if (unknown.why === 'hidden') return `the service shows no ${field} of its sessions`;
  const unreadable = moments.filter((moment) => moment.at === undefined && moment.why === 'unreadable').length;
  return `the ${field} of ${count(unreadable, 'session')} cannot be read`;
}

/** By what is needed: the reason for which it is not there; undefined where it is. */
export const needs = {
  times: ({ starts, ends }) => whyNot(starts, 'start_time') ?? whyNot(ends, 'end_time'),
  /** An exam without times is judged, one whose times are not known is not. */
  shownTimes: ({ starts, ends }) =>
    (isUnknown(starts) ? whyNot(starts, 'start_time') : undefined) ?? (isUnknown(ends) ? whyNot(ends, 'end_time') : undefined),
  zone: ({ zone }) => (zone === undefined ? 'no time zone is set: --timezone' : undefined),
  students: ({ unread }) => unread.students,
  addresses: ({ students }) =>
    students.length > 0 && !students.some(({ showsEmail }) => showsEmail) ? 'the service shows no addresses' : undefined,
  statuses: ({ students }) =>
    students.length > 0 && students.every(({ status }) => status === undefined) ? 'the service shows no status' : undefined,
  windows: (subject) => unknownTimes(subject, 'open_time') ?? unknownTimes(subject, 'close_time'),
  proctors: ({ unread }) => unread.proctors,
  proctorIds: ({ proctors }) =>
    proctors.some(({ id }) => id === undefined) ? 'the service shows no IDs that tell its proctors apart' : undefined,
} as const satisfies Record<string, (subject: Subject) => string | undefined>;

export type NeedName = keyof typeof needs;
