/** How short the way of one write is: the calls from the run to the socket, and how often what it did is compared. */
import { Session } from 'node:inspector';
import { expect, onTestFinished, test } from 'vitest';
import { held } from '../support/algebra.ts';

const line = 'exams update 1 --allow-headphones';

test('each request of exams update is at most twelve calls from the plan, or from the execution of its steps, to the socket', async () => {
  const service = held();
  const stacks: string[][] = [];
  const { dispatch } = service.dispatcher;
  const limit = Error.stackTraceLimit;
  onTestFinished(() => {
    Error.stackTraceLimit = limit;
  });
  Error.stackTraceLimit = 100;
  service.dispatcher.dispatch = (...given) => {
    stacks.push([...(new Error().stack ?? '').matchAll(/\/src\/([\w-]+\/[\w-]+)[\w/-]*\.ts:/g)].map(([, module = '']) => module));
    return dispatch(...given);
  };
  expect((await service.run(line)).code).toBe(0);
  const [read = [], write = [], proof = []] = stacks;
  expect(service.requests()).toEqual(['GET /exams/1', 'PATCH /exams/1', 'GET /exams/1']);
  expect(stacks).toHaveLength(3);
  // Where a call waits in the queue of the pacer, the trace ends: two calls of the pacer and the execution are behind it.
  const behind = 3;
  expect(read).toContain('features/writes');
  expect(read.lastIndexOf('features/writes') + 1).toBeLessThanOrEqual(12);
  expect(write).toContain('runs/send');
  expect(write.length + behind).toBeLessThanOrEqual(12);
  expect(proof).toContain('runs/look');
  expect(proof.length).toBeLessThanOrEqual(12);
});

test('what it did is compared with what was sent once', async () => {
  const service = held();
  const session = new Session();
  session.connect();
  onTestFinished(() => session.disconnect());
  /** How often each function was called since the last time. */
  const calls = () => {
    const counts = new Map<string, number>();
    session.post('Profiler.takePreciseCoverage', (_, { result }) => {
      for (const { url, functions } of result) {
        if (!url.includes('/src/')) continue;
        for (const { functionName, ranges } of functions)
          counts.set(functionName, (counts.get(functionName) ?? 0) + (ranges[0]?.count ?? 0));
      }
    });
    return counts;
  };
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  service.fault = ({ line: request }) => {
    if (request.startsWith('PATCH')) calls();
    return undefined;
  };
  expect((await service.run(line)).code).toBe(0);
  const since = calls();
  session.post('Profiler.stopPreciseCoverage');
  expect(service.requests().at(-2)).toBe('PATCH /exams/1');
  expect(since.get('asSent')).toBe(1);
});
