/** An exam office with a timetable in a folder of its own, and a service whose truth the tests compare with. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ended, Given } from '../../campaign/story/machine.ts';
import { minute, type Stage, stage } from '../../campaign/story/stage.ts';
import type { ServiceOptions } from '../../support/service.ts';

type Plan = { [key: string]: unknown; plan: Record<string, unknown>[] };

export type Ran = Ended & {
  /** What it printed as JSON. */
  plan: Plan | undefined;
  /** The error on stderr. */
  error: { code: string; message: string; hint: string; exit: number; items?: { id: string; message: string }[] } | undefined;
  /** The writes that it sent. */
  writes: { method: string; path: string; body: unknown }[];
};

export type Office = Stage & {
  /** Writes the timetable: a header, and its lines. */
  timetable(...lines: string[]): string;
  apply(more?: string, given?: Given): Promise<Ran>;
  check(more?: string): Promise<Ran>;
  /** Name, start and end of the exams of the service, without exam 6. */
  exams(): unknown[][];
  /** The file beside the timetable. */
  ids(): string;
};

export const header = 'key,name,date,start,end';

/** Exam 6 of the stage has a name that no line has. */
export async function office(options: Omit<ServiceOptions, 'clock'> = {}, name = 'period.csv'): Promise<Office> {
  const made = await stage(options);
  const { machine, service, clock } = made;
  const path = join(machine.folder, name);
  const ran = async (words: string, given: Given = {}): Promise<Ran> => {
    await clock.pass(minute);
    const before = service.written().length;
    const ended = await made.run(words, given);
    const error = ended.stderr
      .split('\n')
      .filter((line) => line.startsWith('{"error"'))
      .map((line) => JSON.parse(line).error)
      .at(-1);
    return {
      ...ended,
      plan: ended.stdout === '' || given.tty ? undefined : JSON.parse(ended.stdout),
      error,
      writes: service
        .written()
        .slice(before)
        .map(({ method, path, body }) => ({ method, path, body })),
    };
  };
  return {
    ...made,
    timetable: (...lines) => machine.file(name, `${lines.join('\n')}\n`),
    apply: (more = '', given) => ran(`exams apply ${path} ${given?.tty ? '' : '-o json'} ${more}`.trim().replace(/ +/g, ' '), given),
    check: (more = '') => ran(`exams check ${path} -o json ${more}`.trim()),
    exams: () =>
      [...service.truth.exams.values()].flatMap(({ id, name, start_time, end_time }) => (id === 6 ? [] : [[name, start_time, end_time]])),
    ids: () => {
      const beside = join(machine.folder, name.replace(/\.\w+$/, '.ids.csv'));
      return existsSync(beside) ? readFileSync(beside, 'utf8') : '';
    },
  };
}

/** What becomes of each line: "2 create", and afterwards "2 create created". */
export const actions = ({ plan }: Ran) =>
  plan?.plan.map(({ line, action, result }) => [line, action, ...(result === undefined ? [] : [result])].join(' '));
