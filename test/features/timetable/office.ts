/** An exam office with a timetable in a folder of its own, and the service of the tests: what it sends and what is there are compared. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Run, World } from '../../support/run.ts';
import { Service, type ServiceOptions } from '../../support/service.ts';
import type { Fields } from '../../support/truth.ts';

export type Row = { line: number; exam: number | null; name: string | null; action: string; changes: Fields[]; reason: string | null };
type Failure = { code: string; message: string; hint: string; items?: { line: number; column: string | null; reason: string }[] };

export type Ran = Run & {
  rows: Row[];
  /** "2 create" for each line. */
  actions: string[];
  error: Failure | undefined;
  /** The writes that it sent: "POST /exams". */
  sent: string[];
  bodies: Fields[];
};

export const header = 'name,date,start,end';
export const zone = 'Europe/Vienna';

export type Office = ReturnType<typeof office>;

/** An exam of 2027: start and end in UTC. */
export const at = (id: number, name: string, starts = '02-08T09:00', ends = '11:00', more: Fields = {}) => {
  const restrictions = { allow_headphones: false, allow_whiteboard: false, allow_leave_room: true, allow_pen_paper: true };
  const times = { start_time: `2027-${starts}:00Z`, end_time: `2027-${starts.slice(0, 6)}${ends}:00Z` };
  return { id, name, ...times, save_recording: true, ...restrictions, ...more };
};

const time = (text: unknown) => (typeof text === 'string' ? text.slice(5, 16) : 'none');

export function office(options: ServiceOptions = {}) {
  const service = new Service(options);
  service.clock.set('2027-01-04T08:00:00Z');
  const folder = join(service.home, 'office');
  mkdirSync(folder, { recursive: true });
  const file = (name: string, text: string | Buffer) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  /** Unattended, unless the world says otherwise. */
  const run = async (words: string, world: World = {}): Promise<Ran> => {
    const before = service.written().length;
    const more = world.tty ? '' : ' -o json --yes --no-input';
    const ended = await service.run(`${words}${more}`.split(' '), {
      ...world,
      env: { PROCTOR_TIMEZONE: zone, PROCTOR_INSTITUTE: '1', ...world.env },
    });
    const written = service.written().slice(before);
    const rows: Row[] = world.tty || !ended.stdout.startsWith('[') ? [] : JSON.parse(ended.stdout);
    const error = ended.stderr
      .split('\n')
      .filter((line) => line.startsWith('{"error"'))
      .at(-1);
    return {
      ...ended,
      rows,
      actions: rows.map(({ line, action }) => `${line} ${action}`),
      error: error === undefined ? undefined : JSON.parse(error).error,
      sent: written.map(({ line }) => line),
      bodies: written.map(({ body }) => body),
    };
  };
  const path = join(folder, 'period.csv');
  return {
    service,
    file,
    run,
    path,
    /** Writes the timetable: a header, and its lines. */
    timetable: (...lines: string[]) => file('period.csv', `${lines.join('\n')}\n`),
    roster: (name: string, ...students: string[]) =>
      file(name, `email,name\n${students.map((each) => `${each}@example.org,${each}\n`).join('')}`),
    apply: (more = '', world: World = {}) => run(`exams apply ${path} ${more}`.trim(), world),
    /** "Algebra 02-08T09:00 02-08T11:00" */
    exams: () => service.exams.map(({ name, start_time, end_time }) => `${name} ${time(start_time)} ${time(end_time)}`).toSorted(),
    idOf: (name: string) => service.exams.find((exam) => exam.name === name)?.id ?? 0,
    pool: (exam: number) => [...(service.truth.pools.get(exam) ?? [])].sort(),
    /** "ada 02-08T09:00 none": with the window of each. */
    students: (exam: number) =>
      service.truth
        .inExam(exam)
        .map(({ email, open_time, close_time }) => `${email?.split('@')[0]} ${time(open_time)} ${time(close_time)}`)
        .toSorted(),
    emails: () => service.sessions.map(({ email }) => email).toSorted(),
  };
}
