/**
 * A service with exams before, during and after their time, whose clock can be another than this machine's. It
 * logs each request, and does what writes say.
 */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openState } from '../../../src/state/open-state.ts';
import { type Run, run, temporaryFolder, type World } from '../../support/run.ts';

type Fields = Record<string, unknown>;

/** The service's time in all tests. */
export const now = Date.parse('2026-11-22T09:00:00Z');
/** So many minutes from now. */
export const at = (minutes: number) => new Date(now + minutes * 60_000).toISOString().replace('.000Z', 'Z');

const restrictions = { allow_headphones: true, allow_whiteboard: true, allow_leave_room: false, allow_pen_paper: false };
const exam = (id: number, name: string, begins: number, ends: number): Fields => ({
  id,
  name,
  start_time: at(begins),
  end_time: at(ends),
  save_recording: true,
  ...restrictions,
});
const session = (id: number, exam_id: number, status: string, times: Fields = {}): Fields => ({
  id,
  exam_id,
  email: `student${id}@example.org`,
  name: `Student ${id}`,
  status,
  open_time: null,
  close_time: null,
  ...times,
});

/** Exam 3 runs, 6 is about to begin, 4 has ended with a window still open, 2 and 5 are long over and far ahead, 7 shows no times. */
function firstData() {
  const exams = [
    exam(2, 'Past', -1500, -1380),
    exam(3, 'Running', -60, 60),
    exam(4, 'Extended', -130, -10),
    exam(5, 'Coming', 1440, 1560),
    exam(6, 'Soon', 20, 140),
    { id: 7, name: 'Timeless' },
  ];
  const sessions = [
    session(21, 2, 'exam_finished', { close_time: at(-1370) }),
    session(31, 3, 'exam_started'),
    session(32, 3, 'registered', { close_time: at(30), open_time: at(-60) }),
    session(33, 3, 'check_started'),
    session(41, 4, 'exam_started', { close_time: at(20) }),
    session(51, 5, 'registered', { close_time: at(1560) }),
    session(61, 6, 'registered'),
    session(62, 6, 'registered', { open_time: at(20), close_time: at(140) }),
    session(71, 7, 'exam_started'),
  ];
  return { exams, sessions };
}

export type Served = {
  exams: Fields[];
  sessions: Fields[];
  /** Method and path of each request. */
  requests: string[];
  writes(): string[];
  origin: string;
  home: string;
  /** Runs a line against the service, on a machine whose clock is right unless the world says otherwise. */
  run(line: string | readonly string[], world?: World): Promise<Run>;
  /** The reasons that runs were recorded with, the latest first. */
  reasons(): Promise<(string | undefined)[]>;
  /** Answers a request in place of the service; undefined leaves it to the service. */
  fault(request: string): number | undefined;
};

type Options = {
  /** Minutes by which the service's clock is ahead. */
  ahead?: number;
  /** Whether answers have a Date header. */
  dated?: boolean;
  /** Seconds for which a cache in front of the service has kept each answer. */
  age?: number;
  /** The field that a body is wrapped in. */
  shown?(resource: Fields): Fields;
};

export async function served({ ahead = 0, dated = true, age, shown = (same) => same }: Options = {}): Promise<Served> {
  const { exams, sessions } = firstData();
  const requests: string[] = [];
  const origin = { value: '' };
  let next = 900;
  const service: Served = {
    exams,
    sessions,
    requests,
    writes: () => requests.filter((request) => !request.startsWith('GET ')),
    get origin() {
      return origin.value;
    },
    home: temporaryFolder(),
    run: (line, world) =>
      run(typeof line === 'string' ? line.split(' ') : line, {
        home: service.home,
        now: at(0),
        ...world,
        env: { PROCTOR_BASE_URL: origin.value, PROCTOR_TOKEN: 'gate-token-0123456789', ...world?.env },
      }),
    async reasons() {
      const host = {
        env: {},
        now: Date.now,
        random: Math.random,
        pid: process.pid,
        machine: 'test',
        platform: 'linux',
        sleep: async () => {},
      } as const;
      const state = await openState({ folder: join(service.home, 'state'), host });
      try {
        return (await state.runs()).map(({ reason }) => reason);
      } finally {
        await state.close();
      }
    },
    fault: () => undefined,
  };
  const pools = new Map<string, string[]>();
  const pool = (method: string, id: string, { proctors }: Fields): [number, unknown?] => {
    const given = [(proctors ?? []) as string | string[]].flat();
    const before = pools.get(id) ?? [];
    if (method === 'GET') return [200, before.map((each) => ({ id: each }))];
    pools.set(id, method === 'POST' ? [...before, ...given] : before.filter((each) => !given.includes(each)));
    return [204];
  };
  const answer = (method: string, segments: string[], body: Fields): [number, unknown?] => {
    const [collection, id, below] = segments;
    const all = collection === 'exams' ? exams : collection === 'student_sessions' ? sessions : undefined;
    if (!all) return [404, {}];
    if (id === undefined && method === 'POST') {
      const made = { id: ++next, ...body };
      all.push(made);
      return [201, shown(made)];
    }
    if (id === undefined) return method === 'GET' ? [200, all.map(shown)] : [404, {}];
    const one = all.find((each) => String(each.id) === id);
    if (!one) return [404, {}];
    if (below === 'student_sessions' && method === 'GET') return [200, sessions.filter(({ exam_id }) => exam_id === one.id).map(shown)];
    if (below === 'student_sessions' || below === 'add_student') {
      const made = { ...session(++next, Number(one.id), 'registered'), ...body };
      sessions.push(made);
      return [201, shown(made)];
    }
    if (below === 'proctor_pool') return pool(method, String(one.id), body);
    if (below === 'send_emails')
      for (const each of sessions) if (each.exam_id === one.id && each.status === 'registered') each.status = 'mail_sent';
    if (below !== undefined) return method === 'POST' ? [204] : [404, {}];
    if (method === 'GET') return [200, shown(one)];
    if (method === 'DELETE') all.splice(all.indexOf(one), 1);
    else Object.assign(one, body);
    return method === 'DELETE' ? [204] : [200, shown(one)];
  };
  const server = createServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString();
    const path = decodeURIComponent((request.url ?? '').replace('/api/v1', '').replace(/\?.*/, ''));
    const said = `${request.method} ${path}`;
    requests.push(said);
    const sent = text === '' ? {} : (JSON.parse(text) as Fields);
    const [only, ...others] = Object.values(sent);
    const body = (only && typeof only === 'object' && !Array.isArray(only) && others.length === 0 ? only : sent) as Fields;
    const fault = service.fault(said);
    const segments = path.split('/').filter(Boolean);
    const [status, data] = fault === undefined ? answer(request.method ?? '', segments, body) : [fault, {}];
    response.sendDate = false;
    if (dated) response.setHeader('date', new Date(now + ahead * 60_000).toUTCString());
    if (age !== undefined) response.setHeader('age', age);
    response.writeHead(status, { 'content-type': 'application/json' }).end(data === undefined ? undefined : JSON.stringify(data));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close().closeAllConnections());
  origin.value = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return service;
}

/** The failure that -o json prints. */
export function failureIn({ stderr }: Run): { code: string; message: string; hint: string; exit: number } {
  return JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error;
}
