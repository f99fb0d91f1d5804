/** What a check may need, each with the reason for which it is skipped. */
import { count } from '../../model/count.ts';
import type { Moment, Subject } from './subject.ts';

export type Need = {
  /** Undefined where it is there. */
  missing(subject: Subject): string | undefined;
  /** It comes with this option: without it the check was not asked for. */
  option?: string;
};

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

export const needs = {
  start: { missing: ({ starts }) => whyNot(starts, 'start_time') },
  times: { missing: ({ starts, ends }) => whyNot(starts, 'start_time') ?? whyNot(ends, 'end_time') },
  /** An exam without times is judged, one whose times are not known is not. */
  shownTimes: {
    missing: ({ starts, ends }) =>
      (isUnknown(starts) ? whyNot(starts, 'start_time') : undefined) ?? (isUnknown(ends) ? whyNot(ends, 'end_time') : undefined),
  },
  zone: { missing: ({ zone }) => (zone === undefined ? 'no time zone is set: --timezone' : undefined) },
  students: { missing: ({ unread }) => unread.students },
  addresses: {
    missing: ({ students }) =>
      students.length > 0 && !students.some(({ showsEmail }) => showsEmail) ? 'the service shows no addresses' : undefined,
  },
  statuses: {
    missing: ({ students }) =>
      students.length > 0 && students.every(({ status }) => status === undefined) ? 'the service shows no status' : undefined,
  },
  windows: { missing: (subject) => unknownTimes(subject, 'open_time') ?? unknownTimes(subject, 'close_time') },
  proctors: { missing: ({ unread }) => unread.proctors },
  proctorIds: {
    missing: ({ proctors }) =>
      proctors.some(({ id }) => id === undefined) ? 'the service shows no IDs that tell its proctors apart' : undefined,
  },
  roster: { missing: ({ roster }) => (roster ? undefined : 'needs --roster FILE'), option: '--roster' },
  accommodations: {
    missing: ({ accommodations }) => (accommodations ? undefined : 'needs --accommodations FILE'),
    option: '--accommodations',
  },
  like: { missing: ({ like }) => (like ? undefined : 'needs --like ID'), option: '--like' },
} as const satisfies Record<string, Need>;

export type NeedName = keyof typeof needs;
