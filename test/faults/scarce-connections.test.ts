/** A service that takes few connections at a time: no command that sends many requests loses one to those that are too many. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { run, temporaryFolder } from '../support/run.ts';
import { token } from './outcome.ts';

const [start, end, later] = ['2127-03-22T08:00:00Z', '2127-03-22T10:00:00Z', '2127-03-22T10:30:00Z'];

type Record = { id: number; [field: string]: unknown };

/** What becomes of a connection beyond the limit. */
const beyond = {
  'resets them': (socket: Socket) => void socket.resetAndDestroy(),
  'ends them at once': (socket: Socket) => void socket.resume().end(),
  'resets them once a request comes': (socket: Socket) => void socket.once('data', () => socket.resetAndDestroy()),
};

/** Exams and their sessions, at a service that takes so many connections; `writes` are those that were carried out. */
async function scarce(limit: number, { exams: number = 1, sessions = 0, refuses = beyond['resets them once a request comes'] } = {}) {
  const exams = Array.from(
    { length: number },
    (_, at): Record => ({ id: at + 1, name: `Exam ${at + 1}`, start_time: start, end_time: end }),
  );
  const students = new Map(
    Array.from({ length: sessions }, (_, at): [number, Record] => [
      at + 1,
      { id: at + 1, exam_id: 1 + (at % number), email: `s${at}@example.org`, status: 'registered', open_time: null, close_time: end },
    ]),
  );
  const writes: string[] = [];
  let [open, refused] = [0, 0];
  const answerTo = ({ method, url = '' }: IncomingMessage, body: string): [status: number, body: unknown] => {
    const [, kind, id, list] = url.replace('/api/v1', '').split('/');
    if (method !== 'GET') writes.push(`${method} ${kind} ${id}`);
    if (kind === 'exams' && id === undefined) return [200, exams];
    if (list !== undefined) return [200, [...students.values()].filter(({ exam_id }) => String(exam_id) === id)];
    const record = kind === 'exams' ? exams[Number(id) - 1] : students.get(Number(id));
    if (!record) return [404, {}];
    if (method === 'DELETE') students.delete(Number(id));
    if (method === 'PATCH') Object.assign(record, JSON.parse(body));
    return [200, record];
  };
  const server = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    setTimeout(() => {
      const [status, answer] = answerTo(request, body);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    }, 5);
  });
  const serve = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection').on('connection', (socket) => {
    open += 1;
    const isBeyond = open > limit;
    socket
      .on('error', () => {})
      .on('close', () => {
        open -= 1;
      });
    if (!isBeyond) return serve.forEach((each) => void each.call(server, socket));
    refused += 1;
    refuses(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // With the gate of the running exam, which reads before each write.
  const env = { PROCTOR_BASE_URL: origin, PROCTOR_TOKEN: token, PROCTOR_TIMEZONE: 'Europe/Vienna' };
  const home = temporaryFolder();
  const command = (line: string) => run([...line.split(' '), '-o', 'json', '--timeout', '2s'], { env, home, sleeps: true });
  return { command, writes, exams, students, refused: () => refused };
}

const ids = (number: number) => Array.from({ length: number }, (_, at) => at + 1);

describe('A service that takes 4 connections, and resets others', () => {
  test('gets each change of many sessions once, after as many commands as it takes.', async () => {
    const { command, writes, students } = await scarce(4, { sessions: 24, refuses: beyond['resets them'] });
    let { code, stderr } = await command('sessions extend --exam 1 --by 30m --yes');
    for (let times = 0; code !== 0 && times < 6; times += 1) ({ code, stderr } = await command('sessions extend --exam 1 --by 30m --yes'));
    expect(code, stderr).toBe(0);
    expect(writes.toSorted()).toEqual(
      ids(24)
        .map((id) => `PATCH student_sessions ${id}`)
        .toSorted(),
    );
    expect([...students.values()].map(({ close_time }) => close_time)).toEqual(Array(24).fill(later));
  });
});

describe.each([4, 6])('A service that resets connections beyond %i once a request comes', (limit) => {
  test('gets each change of several sessions once.', async () => {
    const { command, writes, students } = await scarce(limit, { sessions: 5 });
    const { code } = await command('sessions extend --exam 1 --by 30m --yes');
    expect(code).toBe(0);
    expect(writes).toEqual(ids(5).map((id) => `PATCH student_sessions ${id}`));
    expect([...students.values()].map(({ close_time }) => close_time)).toEqual(Array(5).fill(later));
  });

  test('gets each deletion once.', async () => {
    const { command, writes } = await scarce(limit, { sessions: 5 });
    const { code } = await command('sessions delete 1 2 3 4 5 --yes');
    expect(code).toBe(0);
    expect(writes).toEqual(ids(5).map((id) => `DELETE student_sessions ${id}`));
  });
});

test.each(Object.keys(beyond) as (keyof typeof beyond)[])(
  'Reads of many exams all come, with fewer at a time, where a service takes two connections and %s.',
  // On a busy machine the service hears late that a connection was closed, and resets the next one.
  { retry: 2 },
  async (kind) => {
    const { command, refused } = await scarce(2, { exams: 12, sessions: 24, refuses: beyond[kind] });
    const { code, stdout, stderr } = await command('exams report --from 2127-01-01');
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toHaveLength(12);
    expect(refused()).toBeGreaterThan(0);
  },
);
