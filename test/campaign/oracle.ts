/**
 * What an import promises, as checks of what the service saw: P1 an intent is durable before its
 * request arrives, P2 nothing is POSTed again without proof, P3 each student is there once.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { statePaths } from '../../src/state/open-database.ts';
import { readKeys } from '../../src/state/student-keys.ts';

import type { Home } from './importer.ts';
import type { Event, ExamService } from './service.ts';

/** Watches a service's POSTs; the list grows by one sentence for each that arrived without a durable intent. */
export function watchIntents(service: ExamService, { state }: Pick<Home, 'state'>): string[] {
  const broken: string[] = [];
  service.onPost = (email) => {
    if (email === undefined) return;
    if (!intends(state, email)) broken.push(`P1: a POST of ${email} arrived before its intent was durable`);
  };
  return broken;
}

type Row = Record<string, unknown>;

/** What the database of the runs holds: what is committed there is durable. */
function rowsIn(state: string, sql: string, ...values: string[]): Row[] {
  const { database } = statePaths(state);
  if (!existsSync(database)) return [];
  const opened = new DatabaseSync(database, { readOnly: true });
  try {
    return opened.prepare(sql).all(...values) as Row[];
  } finally {
    opened.close();
  }
}

const lastEvents =
  'SELECT s.run, s.n, (SELECT event FROM events e WHERE e.run = s.run AND e.n = s.n ORDER BY e.i DESC LIMIT 1) AS event FROM steps s';

/**
 * Whether the last durable word on a student is that it is about to be created. `unknown` after it is as good: a busy service may read
 * a POST only after the importer has given it up and said so.
 */
function intends(state: string, email: string): boolean {
  const key = readKeys(statePaths(state).key)?.studentKey(email) ?? '';
  const steps = rowsIn(state, `${lastEvents} WHERE s.sent_key = ? AND s.op = 'createSession'`, key);
  return steps.some(({ event }) => event === 'sending' || event === 'unknown');
}

/** P6: after a kill, no more steps have an intent without an outcome than requests are in flight at the most. */
export function brokenFlight({ state }: Pick<Home, 'state'>, most: number): string[] {
  const open = rowsIn(state, lastEvents).filter(({ event }) => event === 'sending').length;
  return open <= most ? [] : [`P6: ${open} lines were in flight, and at most ${most} may be`];
}

/** What of a journal would survive a power cut: its header and its records. */
function durableRecords(path: string, durable: string): Record<string, unknown>[] {
  if (!existsSync(join(durable, basename(path)))) return [];
  const lengths = readFileSync(join(durable, basename(path)), 'utf8').split('\n');
  const length = Number(lengths.at(-2));
  const lines = readFileSync(path).subarray(0, length).toString().split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** P5: whether the deletion of a session is the last durable word on it. */
export function intendsDeletion({ state }: Pick<Home, 'state'>, session: string): boolean {
  const steps = rowsIn(state, `${lastEvents} WHERE s.target = ? AND s.op = 'deleteSession'`, session);
  return steps.some(({ event }) => event === 'sending' || event === 'unknown');
}

/** P2: a second POST of a student only if the first was never obeyed, and after a refusal for too many requests, or a complete listing that does not show it. */
export function brokenResends(log: readonly Event[]): string[] {
  const broken: string[] = [];
  const last = new Map<string, { at: number; post: number }>();
  const created = new Set(log.flatMap((event) => (event.what === 'created' ? [event.post] : [])));
  const refused = new Set(log.flatMap((event) => (event.what === 'refused' ? [event.post] : [])));
  log.forEach((event, at) => {
    if (event.what !== 'post' || event.email === undefined) return;
    const { email, post } = event;
    const before = last.get(email);
    last.set(email, { at, post });
    if (!before) return;
    if (created.has(before.post)) broken.push(`P2: ${email} was POSTed again, and the first POST was obeyed`);
    const looked = log.slice(before.at, at).some((one) => one.what === 'listing' && one.whole && !one.emails.has(email.toLowerCase()));
    if (!looked && !refused.has(before.post)) broken.push(`P2: ${email} was POSTed again without a listing in between`);
  });
  return broken;
}

/** Each at most once, also where nothing can be finished. */
export function doubled(service: ExamService): string[] {
  return [...presentIn(service)].flatMap(([email, found]) => (found.length > 1 ? [`P2: ${email} is there ${found.length} times`] : []));
}

/** The students by address, however the service spells it. */
function presentIn(service: ExamService) {
  return Map.groupBy(service.students(), ({ email }) => email?.toLowerCase());
}

/** P3: each of these once, and with these fields, times as the service writes them. */
export function brokenPresence(service: ExamService, expected: Iterable<{ email: string } & Record<string, unknown>>): string[] {
  const present = presentIn(service);
  return [...expected].flatMap((wanted) => {
    const found = present.get(wanted.email) ?? [];
    if (found.length !== 1) return [`P3: ${wanted.email} is there ${found.length} times`];
    const wrong = Object.entries(wanted).filter(([field, value]) => field !== 'email' && found[0]?.[field] !== value);
    return wrong.map(([field, value]) => `P3: ${wanted.email} has ${field} ${found[0]?.[field]}, not ${value}`);
  });
}

const notStates = ['exam', 'lines', 'open_time_open', 'extra_time', 'not_in_file', 'removed', 'seconds', 'rate'];

/** P4: each row in exactly one state, and a status that tells whether all is done. */
export function brokenReport(stdout: string, code: number | null, rows: number): string[] {
  if (stdout === '') return code === 0 ? ['P4: success without a report'] : [];
  const report = JSON.parse(stdout) as Record<string, unknown>;
  const states = Object.entries(report).filter(([key, value]) => !notStates.includes(key) && typeof value === 'number') as [
    string,
    number,
  ][];
  const sum = states.reduce((total, [, count]) => total + count, 0);
  const good = states.filter(([state]) => ['created', 'updated', 'unchanged', 'different'].includes(state));
  const done = good.reduce((total, [, count]) => total + count, 0);
  return [
    ...(sum === rows ? [] : [`P4: ${sum} of ${rows} rows have a state: ${stdout}`]),
    ...(code !== 0 || done === rows ? [] : [`P4: exit ${code} with ${done} of ${rows} rows done: ${stdout}`]),
  ];
}

/** C2: whether a durable journal of a change has begun a move of this exam or session. */
export function intendsChange({ state, durable }: Pick<Home, 'state' | 'durable'>, kind: string, id: string): boolean {
  const folder = join(state, 'changes');
  if (!existsSync(folder)) return false;
  const paths = readdirSync(folder).filter((name) => name.endsWith('.ndjson'));
  return paths.some((name) => {
    const [, ...records] = durableRecords(join(folder, name), durable);
    const moves = records.filter((record) => record.times !== undefined);
    return records.some(({ move, is }) => {
      const planned = moves[Number(move) - 1];
      return is === 'begun' && planned?.kind === kind && planned.id === id;
    });
  });
}
