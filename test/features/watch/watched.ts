/** A service whose exams are watched on an invented clock, and what was told of their changes. */
import { join } from 'node:path';
import { CliError } from '../../../src/errors.ts';
import { DatabaseSync } from '../../../src/state/sqlite.ts';
import { type Embedded, embedded } from '../../commands/embedded.ts';
import type { World } from '../../support/run.ts';

export const now = '2026-11-21T09:00:00Z';

export type Watched = Embedded & { sql(text: string): void };

/** A service whose exams 1 and 2 run from 09:00 to 11:00, and whose students are in these exams with these statuses; their IDs count from 1. */
export function watched(...students: (readonly [exam: number, status: string])[]): Watched {
  const service = embedded();
  const sql = (text: string) => {
    const database = new DatabaseSync(join(service.home, 'state', 'sandbox', 'sandbox.db'));
    database.exec(text);
    database.close();
  };
  const rows = students.map(([exam, status], index) => `(${index + 1}, ${exam}, '${status}', 's${index + 1}@example.org', 0, 0, '{}')`);
  sql(`
    DELETE FROM student_sessions;
    UPDATE exams SET start_time = '2026-11-21T09:00:00Z', end_time = '2026-11-21T11:00:00Z' WHERE id IN (1, 2);
    INSERT INTO student_sessions (id, exam_id, status, email, skip_requirements, level_of_suspicion, extra)
    VALUES ${rows.join(', ') || "(99, 3, 'registered', NULL, 0, 0, '{}')"}`);
  return { ...service, sql };
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
