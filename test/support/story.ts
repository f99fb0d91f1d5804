/** What a test of runs says in a line: what a command ends with and says, which run it was, and who is where. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { ada } from './algebra.ts';
import type { World } from './run.ts';
import type { Arrived, Reply, Service } from './service.ts';
import type { Fields } from './truth.ts';

/** Runs a line, which ends with this code, with one of these, or with any but 0, and says each of these texts; with what it wrote. */
export const done = vi.defineHelper(
  async (
    service: Service,
    line: string | readonly string[],
    code: number | readonly number[] | 'fails' = 0,
    ...more: (string | RegExp | World)[]
  ) => {
    const before = service.writes().length;
    const world: World = Object.assign({}, ...more.filter((each) => typeof each !== 'string' && !(each instanceof RegExp)));
    const run = await service.run(line, world);
    if (code === 'fails') expect(run.code, `${line}: ${run.stderr}`).not.toBe(0);
    else expect([code].flat(), `${line}: ${run.stderr}`).toContain(run.code);
    for (const text of more) {
      if (typeof text === 'string') expect(run.stderr, `${line}`).toContain(text);
      if (text instanceof RegExp) expect(run.stderr, `${line}`).toMatch(text);
    }
    return { ...run, service, writes: service.writes().slice(before), rows: () => JSON.parse(run.stdout) as Fields[] };
  },
);
/** Runs lines one after the other; their statuses. */
export async function codesOf(service: Service, ...lines: string[]): Promise<number[]> {
  const codes = [];
  for (const line of lines) codes.push((await service.run(line)).code);
  return codes;
}
export const listed = async (service: Service, world: World = {}) => (await done(service, 'runs list -o json', 0, world)).rows();
export const latest = async (service: Service, world: World = {}) => String((await listed(service, world))[0]?.run ?? '');
export const minuteLater = (service: Service) => service.clock.set(new Date(service.clock.now() + 60_000).toISOString());

export const posts = (service: Service) => service.writes().filter((line) => line.startsWith('POST')).length;
/** Who is in an exam, or in all, by the local part of their addresses. */
export const names = ({ sessions }: Service, exam?: number) =>
  sessions.flatMap(({ email, exam_id }) => (exam === undefined || exam === exam_id ? (email?.split('@')[0] ?? []) : [])).join(' ');
export const inExam = (service: Service, exam: number) => service.truth.inExam(exam).map(({ email }) => email);
/** In which exams somebody is. */
export const where = ({ sessions }: Service) => sessions.map(({ email, exam_id }) => `${email?.split('@')[0]} ${exam_id}`).join(', ');
/** Addresses that are in an exam more than once. */
export const twice = ({ sessions }: Service) =>
  [...Map.groupBy(sessions, ({ exam_id, email }) => `${exam_id} ${email}`)].flatMap(([who, of]) => (of.length > 1 ? who : []));

/** The exams whose mails went out, in their order. */
export const mailsOf = ({ truth }: Service) => truth.record.filter(({ kind }) => kind === 'mails').map(({ id }) => id);

export const isPost = ({ method }: Arrived) => method === 'POST';
/** The first request of this kind gets the reply. */
export function first(service: Service, meets: (request: Arrived) => boolean, reply: Reply | ((request: Arrived) => Reply)): void {
  let left = 1;
  service.fault = (request) => {
    if (left === 0 || !meets(request)) return undefined;
    left -= 1;
    return typeof reply === 'function' ? reply(request) : reply;
  };
}

export const roster = (...who: string[]) => ({ stdin: `email\n${who.map((name) => `${name}@example.org\n`).join('')}` });
const numbered = (students: number) => Array.from({ length: students }, (_, at) => `s${at + 1}`);
export const rosterOf = (students: number) => roster(...numbered(students));
/** So many students of exam 1, as a roster has them. */
export const filled = (students: number) =>
  numbered(students).map((name, at): Fields => ({ ...ada, id: at + 1, email: `${name}@example.org` }));
/** The path of a timetable beside which the roster lies. */
export function timetable({ home }: { home: string }, text: string, line = 'id,roster\n1,r.csv\n'): string {
  writeFileSync(join(home, 'r.csv'), text);
  writeFileSync(join(home, 't.csv'), line);
  return join(home, 't.csv');
}
