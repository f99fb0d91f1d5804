/** Several IDs on one line are several requests, each with a result of its own. */
import { expect, test } from 'vitest';
import { embedded } from './embedded.ts';

test('a missing one does not stop the others', async () => {
  const service = embedded();
  const { code, stdout, stderr } = await service.run('sessions delete 7 999 8 --yes -o json');
  expect(code).toBe(9);
  expect(JSON.parse(stdout)).toEqual([
    { exam: 1, session: 7, email: 'tomas.stastny@example.net', result: 'deleted', reason: null },
    { exam: null, session: 999, email: null, result: 'gone', reason: expect.stringContaining('404') },
    { exam: 1, session: 8, email: null, result: 'deleted', reason: null },
  ]);
  expect(JSON.parse(stderr).error).toMatchObject({
    code: 'partly_done',
    message: expect.stringMatching(/^2 of 3 deleted, 1 failed: .*404/),
  });
  for (const id of [7, 8]) expect((await service.run(`sessions get ${id}`)).code).toBe(6);
});

test('a reader that has gone does not turn a failure into a success', async () => {
  const { code, stderr } = await embedded().run('sessions delete 7 999 --yes', { closeStdoutAfter: 0 });
  expect(code).toBe(9);
  expect(stderr).toContain('1 of 2 deleted');
});
