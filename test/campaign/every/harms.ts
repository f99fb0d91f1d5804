/** What may happen to a request, and what has happened in the office since a command. */
import { doneButReplies, ignored, lostAfter, lostBefore, type Reply, refused } from '../../support/service.ts';
import type { Fields, Truth } from '../../support/truth.ts';
import { folded, later } from '../oracle/wish.ts';
import type { Command } from './commands.ts';
import type { Harm, Office } from './office.ts';

type Kind = Omit<Harm, 'at' | 'name'>;
type Act = NonNullable<Harm['act']>;

/** The subject of a command: by its ID, or by the address under which it was created. */
function subjectOf({ truth }: { truth: Truth }, { subject, email }: Command) {
  const there = [...truth.sessions.values()].find((one) => folded(one.email) === email);
  if (subject?.kind === 'session' && !truth.sessions.has(subject.id)) return there && { kind: 'session' as const, id: there.id };
  return subject;
}

const deeds: Record<string, (office: Office, command: Command) => void> = {
  creates({ service: { truth } }, { email, subject }) {
    const exam = subject?.kind === 'exam' ? subject.id : (truth.sessions.get(subject?.id ?? 0)?.exam_id ?? 6);
    const fields = { name: 'Optics', start_time: '2027-03-01T09:00:00Z', end_time: '2027-03-01T11:00:00Z' };
    if (email === undefined) truth.createExam(fields);
    else truth.createSession(exam, { email, name: 'Colleague' });
  },
  renames({ service: { truth } }, command) {
    const subject = subjectOf({ truth }, command);
    if (subject) truth.change(subject.kind, subject.id, { name: 'Renamed' });
  },
  extends({ service: { truth } }, command) {
    const subject = subjectOf({ truth }, command);
    if (!subject) return;
    const session = truth.sessions.get(subject.id);
    const field = subject.kind === 'exam' ? 'end_time' : 'close_time';
    const time =
      subject.kind === 'exam'
        ? truth.exams.get(subject.id)?.end_time
        : (session?.close_time ?? truth.exams.get(session?.exam_id ?? 0)?.end_time);
    truth.change(subject.kind, subject.id, { [field]: later(time, 37) });
  },
  deletes({ service: { truth } }, command) {
    const subject = subjectOf({ truth }, command);
    if (subject) truth.remove(subject.kind, subject.id);
  },
  starts({ service: { truth } }, command) {
    const subject = subjectOf({ truth }, command);
    const id = subject?.kind === 'session' ? subject.id : truth.inExam(subject?.id ?? 6)[0]?.id;
    truth.change('session', id ?? 0, { status: 'exam_started' });
  },
};

/** As it is kept: the first value that can be another one is. */
const otherwise: Act = (_, { body, method }) => {
  if (method === 'DELETE' || Object.keys(body).length === 0) return ignored;
  for (const [name, value] of Object.entries(body)) {
    if (name === 'email' || Array.isArray(value)) continue;
    if (typeof value === 'boolean') body[name] = !value;
    else if (typeof value === 'string') body[name] = Number.isFinite(Date.parse(value)) ? later(value, -5) : `${value}?`;
    else continue;
    return undefined;
  }
  return ignored;
};
const anothers: Act = ({ service: { truth } }, { path, method }) => {
  const all = /exams(\/\d+)?$/.test(path) ? truth.exams : truth.sessions;
  const other = [...all.values()].findLast(({ id }) => !path.endsWith(`/${id}`));
  return method === 'DELETE' || !other ? ignored : { answer: (whole) => ({ ...whole, body: { ...other } }) };
};
const says = (reply: Reply): Kind => ({ act: () => reply });
const colleague = (deed: string, command: Command): Kind => ({ act: (office) => void deeds[deed]?.(office, command) });

/** All that may happen to a request of this method. */
export function harmsOf(command: Command, method: string): Record<string, Kind> {
  const both = {
    'lost before': says(lostBefore),
    500: says(refused(500)),
    'killed before': { ...says(lostBefore), kills: 'before' as const },
    ...Object.fromEntries(Object.keys(deeds).map((deed) => [deed, colleague(deed, command)])),
  };
  if (method === 'GET') return both;
  return {
    ...both,
    'lost after': says(lostAfter),
    late: {
      act(office, request) {
        office.later(request);
        return lostBefore;
      },
    },
    429: says(refused(429, undefined, { 'retry-after': '1' })),
    409: says(refused(409, { error: 'conflict' })),
    422: says(refused(422, { errors: { name: 'is invalid' } })),
    otherwise: { act: otherwise },
    anothers: { act: anothers },
    'says no': says(doneButReplies(500)),
    'refuses after': says(doneButReplies(400, { error: 'is invalid' })),
    'killed after': { kills: 'after' },
  };
}

/** Faults that are over with their request: what was asked for can be done afterwards. */
export const passing = new Set([
  'none',
  'lost before',
  '500',
  'killed before',
  'lost after',
  'late',
  '429',
  '409',
  '422',
  'says no',
  'refuses after',
  'killed after',
]);

/** What has happened since. `elsewhere`: another profile is in force. */
export const since: Record<string, { act(office: Office, command: Command): unknown; elsewhere?: true; calm?: true }> = {
  extended: { act: (office, command) => deeds.extends?.(office, command) },
  renamed: { act: (office, command) => deeds.renames?.(office, command) },
  'moved on': {
    act({ service: { truth } }, command) {
      const subject = subjectOf({ truth }, command);
      const { id: _id, exam_id: _exam, ...fields } = (truth.sessions.get(subject?.kind === 'session' ? subject.id : 11) ?? {}) as Fields;
      if (!truth.sessions.has(Number(_id))) return;
      truth.remove('session', Number(_id));
      truth.createSession(8, fields);
    },
  },
  shifted: {
    act({ service: { truth } }) {
      const week = (record: Fields) =>
        Object.fromEntries(
          Object.entries(record).flatMap(([name, value]) => (name.endsWith('_time') && value ? [[name, later(value, 9 * 1440)]] : [])),
        );
      for (const { id, ...exam } of [truth.exams.get(6) ?? { id: 0 }]) truth.change('exam', id, week(exam));
      for (const { id, ...session } of truth.inExam(6)) truth.change('session', id, week(session));
    },
  },
  taken: { act: (office, command) => deeds.creates?.(office, command) },
  mailed: { act: ({ service: { truth } }) => truth.mail(6) },
  forgotten: { act: (office) => office.call('runs forget --exam 6 --yes', 'none') },
  'another file': { act: (office) => Object.assign(office, { isOther: true }) },
  'clock on': { act: ({ clock }) => clock.jump(3_600_000), calm: true },
  'clock back': { act: ({ clock }) => clock.jump(-3_600_000), calm: true },
  'another profile': { act: () => {}, elsewhere: true },
};
