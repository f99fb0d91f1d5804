/**
 * What an import promises, as checks of what the service saw: P1 an intent is durable before its
 * request arrives, P2 nothing is POSTed again without proof, P3 each student is there once.
 */
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { statePaths } from '../../../../src/state/open-database.ts';
import { readKeys } from '../../../../src/state/student-keys.ts';

import type { Arrived, Service } from '../../../support/service.ts';

/** Watches a service's POSTs; the list grows by one sentence for each that arrived without a durable intent. */
export function watchIntents(service: Service, { state }: { state: string }): string[] {
  const broken: string[] = [];
  service.onArrival = ({ method, body: { email } }) => {
    if (method !== 'POST' || typeof email !== 'string') return;
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
  "SELECT s.run, s.n, (SELECT e.record ->> 'event' FROM events e WHERE e.run = s.run AND e.record ->> 'n' = s.n ORDER BY e.i DESC LIMIT 1) AS event FROM steps s";

/**
 * Whether the last durable word on a student is that it is about to be created. `unknown` after it is as good: a busy service may read
 * a POST only after the importer has given it up and said so.
 */
function intends(state: string, email: string): boolean {
  const key = readKeys(statePaths(state).key)?.studentKey(email) ?? '';
  const steps = rowsIn(state, `${lastEvents} WHERE s.record ->> 'sentKey' = ? AND s.record ->> 'op' = 'createSession'`, key);
  return steps.some(({ event }) => event === 'sending' || event === 'unknown');
}

/** P2: a second POST of a student only if the first was never obeyed, and after a refusal for too many requests, or a complete listing that does not show it. */
export function brokenResends({ arrived, truth }: Service): string[] {
  const isDone = (n: number) => truth.record.some(({ cause, before }) => cause === n && before === undefined);
  const isRefused = ({ reply }: Arrived) => typeof reply?.answer === 'object' && reply.answer.status === 429;
  return arrived.flatMap((post, at) => {
    const { line, body } = post;
    const before = arrived.slice(0, at).findLast((other) => other.line === line && other.body.email === body.email);
    if (post.method !== 'POST' || !before) return [];
    if (isDone(before.n)) return [`P2: ${body.email} was POSTed again, and the first POST was obeyed`];
    const hasLooked = arrived.slice(before.n, at).some((other) => other.line === line.replace('POST', 'GET') && !other.reply);
    return hasLooked || isRefused(before) ? [] : [`P2: ${body.email} was POSTed again without a listing in between`];
  });
}
