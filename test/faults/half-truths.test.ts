/** Answers that look like success and are not the whole truth, and what a program that reads the outcome gets to see. */
import { describe, expect, test } from 'vitest';
import { ada, bob, held } from '../support/algebra.ts';
import { refused } from '../support/service.ts';
import { attempt, failureOf } from './outcome.ts';
import { answer, faultServer } from './server.ts';

test('as IDs, only deleted ones are printed, because another command may read them', async () => {
  const service = held({ sessions: [ada, bob, { ...ada, id: 9 }] });
  service.next('write', undefined, refused(422, { message: 'no' }));
  expect(await service.run('sessions delete 7 8 9 --yes -o id')).toMatchObject({ code: 9, stdout: '7\n9\n' });
});

describe('a failure has stderr to itself when a program reads it', () => {
  const late = 'sessions update 7 --close-time 2020-01-01T00:00Z';

  test('also after a warning', async () => {
    const service = held({ sessions: [ada] });
    service.next('write', refused(422, { message: 'no' }));
    failureOf(await service.run(`${late} -o json`));
  });

  test('and a warning stands there when there is none', async () => {
    const service = held({ sessions: [ada] });
    const { code, stderr } = await service.run(`${late} -o json`);
    expect(code).toBe(0);
    expect(stderr).toBe('warning: the close time is in the past; the student can no longer start.\n');
  });

  test('also where the variable says so', async () => {
    const server = await faultServer([answer(404, { message: 'no such exam' })]);
    expect(failureOf(await attempt('exams get 1', server.origin, { env: { PROCTOR_OUTPUT: 'json' } })).exit).toBe(6);
  });
});
