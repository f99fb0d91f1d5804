/** The memory of the gate: what it reads and asks once, and for how long that stands. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defaultDialect } from '../../../src/api/dialect.ts';
import type { GateReads } from '../../../src/api/gate.ts';
import type { Outgoing } from '../../../src/api/request.ts';
import { gateOf } from '../../../src/cli/run/gate/index.ts';
import type { Context } from '../../../src/command.ts';
import type { Settings } from '../../../src/config/settings.ts';
import { CliError } from '../../../src/errors.ts';
import { Secrets } from '../../../src/model/secrets.ts';
import { temporaryFolder } from '../../support/run.ts';

const minute = 60_000;
const start = Date.parse('2026-11-22T09:00:00Z');

/** A gate in a world whose clock the test moves; exam 3 begins after so many minutes, and ends an hour later. */
function gated({ begins = -30, duringExam }: { begins?: number; duringExam?: string } = {}) {
  const world = { now: start, asked: 0, reads: [] as string[], fails: false, home: temporaryFolder() };
  const time = (minutes: number) => new Date(start + minutes * minute).toISOString();
  const exam = { id: 3, start_time: time(begins), end_time: time(begins + 60) };
  const reads: GateReads = {
    dialect: defaultDialect,
    zone: 'UTC',
    async call({ id }, { params }) {
      world.reads.push(`${id} ${params?.id}`);
      if (world.fails) throw new CliError('unavailable', 'The service is away.');
      return {
        status: 200,
        headers: {},
        sent: world.now,
        received: world.now,
        data: id === 'getExam' ? exam : { id: params?.id ?? '', exam_id: 3, status: 'exam_started', close_time: time(20) },
      };
    },
    async *list() {
      world.reads.push('list');
      yield { id: 9, status: 'registered' };
    },
  };
  const context = {
    host: { now: () => world.now, home: world.home, env: { PROCTOR_STATE_DIR: join(world.home, 'state') }, platform: 'linux' },
    globals: { yes: duringExam !== undefined, noInput: true, ...(duringExam === undefined ? {} : { duringExam }) },
    secrets: new Secrets(),
    place: () => 'at https://proctor.example',
    warn() {},
    async confirm() {
      world.asked += 1;
    },
  } as unknown as Context;
  const target = { examGate: true, sandbox: false, origin: 'https://proctor.example', profile: 'default' } as Settings;
  const gate = gateOf(context, target);
  const write = (method: Outgoing['method'], path: string, body?: Outgoing['body']): Outgoing => ({
    method,
    path,
    repeat: 'reconcile',
    does: `${method} ${path}`,
    ...(body === undefined ? {} : { body }),
  });
  return {
    world,
    gate,
    reads,
    write,
    admit: (one: Outgoing) => gate.admit(one, reads),
    recorded: () =>
      readFileSync(join(world.home, 'state', 'during-exam.ndjson'), 'utf8')
        .split('\n')
        .filter(Boolean),
  };
}

const refusal = expect.objectContaining({ code: 'exam_running' });

test('a request that is sent again passes once: one question, one line in the record', async () => {
  const { world, admit, write, recorded } = gated({ duringExam: 'Fire alarm' });
  const one = write('DELETE', '/exams/3');
  for (let attempt = 1; attempt <= 3; attempt += 1) await admit(one);
  expect([world.asked, recorded().length]).toEqual([1, 1]);
  await admit(write('DELETE', '/exams/3'));
  expect([world.asked, recorded().length]).toEqual([1, 2]);
});

test('writes at once share one read and one question', async () => {
  const { world, admit, write, recorded } = gated({ duringExam: 'Fire alarm' });
  await Promise.all(Array.from({ length: 20 }, () => admit(write('POST', '/exams/3/send_emails'))));
  expect(world.reads.filter((read) => read === 'getExam 3')).toHaveLength(1);
  expect([world.asked, recorded().length]).toEqual([1, 20]);
});

test('an exam and its students are read once, and again after some minutes: it may have begun', async () => {
  const { world, admit, write } = gated({ begins: 32 });
  await admit(write('DELETE', '/exams/3'));
  world.now += minute;
  await admit(write('DELETE', '/exams/3'));
  expect(world.reads).toEqual(['getExam 3', 'list']);
  world.now += 3 * minute;
  await expect(admit(write('DELETE', '/exams/3'))).rejects.toEqual(refusal);
});

test('a read that failed is made again for the next write', async () => {
  const { world, admit, write } = gated({ begins: 600 });
  world.fails = true;
  await expect(admit(write('DELETE', '/exams/3'))).rejects.toMatchObject({ code: 'unavailable' });
  world.fails = false;
  await admit(write('DELETE', '/exams/3'));
});

test('a value that was read is used for seconds, and not after a write to it', async () => {
  const { world, gate, admit, write } = gated();
  const shows = (close: number) =>
    gate.saw({
      resource: 'session',
      id: '9',
      data: { id: 9, exam_id: 3, close_time: new Date(start + close * minute).toISOString() },
      date: undefined,
      sent: world.now,
      received: world.now,
    });
  const closing = (minutes: number) =>
    write('PATCH', '/student_sessions/9', { close_time: new Date(start + minutes * minute).toISOString() });
  shows(10);
  await admit(closing(15));
  expect(world.reads).toEqual([]);
  // The service shows 20 minutes now, so 15 would be earlier.
  await expect(admit(closing(15))).rejects.toEqual(refusal);
  expect(world.reads[0]).toBe('getSession 9');
  shows(10);
  world.now += 6000;
  await expect(admit(closing(15))).rejects.toEqual(refusal);
});

test('a session that the command has created had nothing before', async () => {
  const { world, gate, admit, write } = gated();
  const later = () => write('PATCH', '/student_sessions/9', { open_time: new Date(start + 20 * minute).toISOString() });
  await expect(admit(later())).rejects.toEqual(refusal);
  gate.created('9');
  world.reads.length = 0;
  await admit(later());
  expect(world.reads).toEqual([]);
});
