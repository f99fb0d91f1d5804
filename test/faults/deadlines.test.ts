/** `--timeout` ends a request at its deadline, whether the service is silent or sends a byte at a time. */
import { describe, expect, test } from 'vitest';
import { ada, held } from '../runs/held-service.ts';
import { attempt, failureOf } from './outcome.ts';
import { drip, faultServer, silence } from './server.ts';

const dripping = drip(200, ['{"id":1', ...Array.from({ length: 500 }, () => ' ')], 20);

describe.each([
  ['is silent', silence],
  ['answers a byte at a time', dripping],
])('of a service that %s', (_what, reaction) => {
  test('a read is tried three times, and fails', async () => {
    const server = await faultServer([reaction, reaction, reaction]);
    const outcome = await attempt('exams get 1 -o json --timeout 500ms', server.origin);
    expect(failureOf(outcome)).toMatchObject({ code: 'timeout', exit: 8, message: expect.stringContaining('within 0.5 s') });
    expect(server.requests()).toEqual(['GET /exams/1', 'GET /exams/1', 'GET /exams/1']);
  });

  test('mails are asked for once, and the outcome is unknown', async () => {
    const service = await held({ sessions: [ada] });
    service.faults = [{ obeyed: false, answers: reaction }];
    const outcome = await service.run('exams send-emails 1 --yes -o json --timeout 500ms');
    expect(failureOf(outcome)).toMatchObject({ code: 'outcome_unknown', exit: 10 });
    expect(service.writes()).toEqual(['POST /exams/1/send_emails']);
  });
});
