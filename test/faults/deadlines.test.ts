/** `--timeout` ends a request at its deadline, whether the service is silent or sends a byte at a time. */
import { describe, expect, test } from 'vitest';
import { ada } from '../support/algebra.ts';
import { timeLimit } from '../support/time-limit.ts';
import { attempt, attemptWith, failureOf } from './outcome.ts';
import { also, type Reaction, silence, writesMeet } from './server.ts';

/** A byte in each turn of the event loop, for ever. */
const dripping: Reaction = (socket) => {
  socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n{"id":1');
  const next = () => void (socket.destroyed || socket.write(' ', () => setImmediate(next)));
  next();
};

const working: Reaction = (socket) => socket.write('HTTP/1.1 102 Processing\r\n\r\n'.repeat(2000));

describe.each([
  ['is silent', silence],
  ['answers a byte at a time', dripping],
  ['says that it is working on it, and nothing else', working],
])('of a service that %s', (_what, reaction) => {
  test('a read is given up at its deadline, after three tries', async () => {
    const { option, end } = timeLimit();
    const passing = also(() => setImmediate(end), reaction);
    const outcome = await attemptWith(passing, `exams get 1 -o json ${option}`);
    expect(failureOf(outcome)).toMatchObject({ code: 'timeout', exit: 8, message: expect.stringContaining('answer within 20 s') });
    expect(outcome.server.requests()).toEqual(Array(3).fill('GET /exams/1'));
  });

  test('mails are asked for once, and the outcome is unknown', async () => {
    const { option, end } = timeLimit();
    const server = await writesMeet(
      also(() => setImmediate(end), reaction),
      [ada],
    );
    const outcome = await attempt(`exams send-emails 1 --yes -o json ${option}`, server.origin);
    expect(failureOf(outcome)).toMatchObject({ code: 'outcome_unknown', exit: 10 });
    expect(server.writes()).toEqual(['POST /exams/1/send_emails']);
  });
});
