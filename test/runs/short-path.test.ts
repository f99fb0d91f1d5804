/** The way of a write is short: few functions from the plan to the socket, few requests, and few files in which its outcome is decided. */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { Service } from '../support/service.ts';

const times = { start_time: '2027-02-01T09:00:00Z', end_time: '2027-02-01T11:00:00Z' };
const four = { allow_headphones: false, allow_whiteboard: false, allow_leave_room: false, allow_pen_paper: true };

/** An update of one restriction: the functions of src that stood before the socket when it left, the last one first, and its requests. */
async function updated() {
  const service = new Service({ exams: [{ id: 6, name: 'Algebra', ...times, ...four }] });
  let stack = '';
  const watched = {
    ...service.dispatcher,
    dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) {
      const { stackTraceLimit } = Error;
      Error.stackTraceLimit = 100;
      if (options.method === 'PATCH') stack = new Error().stack ?? '';
      Error.stackTraceLimit = stackTraceLimit;
      return service.dispatcher.dispatch(options, handler);
    },
  } as unknown as Dispatcher;
  const { code, stderr } = await service.run('exams update 6 --allow-headphones', { now: '2027-01-15T09:00:00Z', dispatcher: watched });
  expect(code, stderr).toBe(0);
  const functions = stack
    .split('\n')
    .flatMap((line) => /at (?:async )?(\S+) \(.*\/src\/(\S+?):\d+/.exec(line)?.slice(1).join(' in ') ?? []);
  return { functions, requests: service.requests() };
}

/** The files of the engine and of the client whose code, without its comments, says this. */
function filesWith(code: RegExp): string[] {
  const src = fileURLToPath(new URL('../../src/', import.meta.url));
  // What an error says of a status decides nothing.
  const files = globSync('{runs,api}/*.ts', { cwd: src, exclude: ['api/answer-errors.ts'] }).sort();
  return files.filter((file) => code.test(readFileSync(src + file, 'utf8').replace(/^\s*(\/\/|\/?\*).*$/gm, '')));
}

test('From its plan to the socket, an update passes through at most nine functions, and takes at most four requests.', async () => {
  const { functions, requests } = await updated();
  // From the loop of the run on; what only hands a promise on (`sendOnce`) is in no stack.
  const loop = functions.indexOf('perform in runs/perform.ts');
  expect(loop).toBeGreaterThan(0);
  const all = functions.slice(0, loop + 1);
  console.log(`${all.length} functions: ${all.join(', ')}\n${requests.length} requests: ${requests.join(', ')}`);
  expect(all.length).toBeLessThanOrEqual(9);
  expect(requests).toEqual(['GET /exams/6', 'PATCH /exams/6', 'GET /exams/6']);
});

test.each([
  ['a write that was refused with 429 is sent again', /=== 429|\.limited\b/, 3],
  ['the outcome of a write is unknown', /\b(is|state): 'unknown'/, 4],
])('Whether %s is decided in few files.', (what, code, most) => {
  const files = filesWith(code);
  console.log(`${files.length} files decide whether ${what}: ${files.join(', ')}`);
  expect(files.length).toBeGreaterThan(0);
  expect(files.length).toBeLessThanOrEqual(most);
});
