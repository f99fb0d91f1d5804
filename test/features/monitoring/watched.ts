/** A service whose exams are watched on an invented clock, and what was told of their changes. */
import { CliError } from '../../../src/errors.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import { type Embedded, embedded } from '../../commands/embedded.ts';
import type { World } from '../../support/run.ts';

export const now = '2026-11-21T09:00:00Z';

/** `sessions`: changes one student session, or all. */
export type Watched = Embedded & { sessions(fields: JsonObject, id?: number): void };

/** A service whose exams 1 and 2 run from 09:00 to 11:00, and whose students are in these exams with these statuses; their IDs count from 1. */
export function watched(...students: (readonly [exam: number, status: string])[]): Watched {
  const service = embedded();
  for (const id of [1, 2]) service.change('exams', { start_time: '2026-11-21T09:00:00Z', end_time: '2026-11-21T11:00:00Z' }, id);
  service.store((store) => {
    for (const table of ['student_sessions', `sqlite_sequence WHERE name = 'student_sessions'`]) store.sql(`DELETE FROM ${table}`).run();
    for (const [index, [exam, status]] of students.entries()) store.insert('student_sessions', student(index + 1, status), exam);
  });
  return { ...service, sessions: (fields, id) => service.change('student_sessions', fields, id) };
}

export function student(number: number, status: string): JsonObject {
  return { status, email: `s${number}@example.org`, open_time: null, close_time: null, skip_requirements: false, level_of_suspicion: 0 };
}

/** Does one thing after the other, each while the watch waits; then stops it, unless it ends by itself. */
export function meanwhile(...acts: (() => unknown)[]): World & { waits: number[] } {
  const stop = new AbortController();
  const waits: number[] = [];
  return {
    now,
    clockRuns: true,
    interrupt: stop.signal,
    waits,
    async onSleep(milliseconds) {
      waits.push(milliseconds);
      const act = acts.shift();
      if (act) await act();
      else stop.abort(new CliError('interrupted', 'Stopped by the test.'));
    },
  };
}

/** The changes that were printed as NDJSON. */
export const events = (stdout: string) =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
