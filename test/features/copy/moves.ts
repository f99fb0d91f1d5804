/** The exams and students of moves, and where each student is. */
import type { Arrived, Reply } from '../../support/service.ts';
import type { Fields } from '../../support/truth.ts';
import { exam, type Office, office } from '../times/exams.ts';

export const [nine, eleven, one] = ['2027-03-22T08:00:00Z', '2027-03-22T10:00:00Z', '2027-03-22T12:00:00Z'];
/** A week later, when the clocks have been set on. */
export const later = ['2027-03-29T07:00:00Z', '2027-03-29T09:00:00Z'] as const;
export const own = { open_time: '2027-03-22T08:10:00Z', close_time: '2027-03-22T10:30:00Z' };
export const ada = { exam_id: 5, name: 'Ada', number: '0123', skip_requirements: true, ...own };

/** Exam 5, with Ada (100) and one who has been mailed (101); 7 at the same time, 8 two hours later, 9 a week later. */
export async function two(...more: Fields[]): Promise<Office> {
  const exams = [exam(5, nine, eleven), exam(7, nine, eleven), exam(8, eleven, one), exam(9, ...later)];
  const it = office(exams, [ada, { exam_id: 5, status: 'mail_sent' }, ...more]);
  await it.run('config set dialect.sessionNumberKey number');
  return it;
}

export const session = ({ service }: Office, id: number) => service.sessions.find((each) => each.id === id);
export const faults = ({ service }: Office, fault: (request: Arrived) => Reply | undefined) => Object.assign(service, { fault });
export const lastRun = async (it: Office) => (await it.rows('runs list'))[0]?.run;
/** In which exams each student is. */
export const where = ({ service }: Office) =>
  Object.fromEntries(
    [...Map.groupBy(service.sessions, ({ email }) => String(email).slice(0, 2))].map(([who, of]) => [who, of.map((each) => each.exam_id)]),
  );
export const [moved, back] = [
  { s1: [8], s2: [8] },
  { s1: [5], s2: [5] },
];
export const move = 'sessions move 100 101 --exam 8 --yes';
/** Both of them have moved. */
export async function gone(): Promise<Office> {
  const it = await two();
  await it.run(move);
  return it;
}
