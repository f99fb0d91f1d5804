/** Several IDs on one line are several requests, each with a result of its own. */
import { describe, expect, test } from 'vitest';
import { type Data, embedded, requestsIn, seededExams, ungated } from './embedded.ts';

const ids = (rows: Data[]) => rows.map(({ id }) => id);

test('each is deleted, in the order given', async () => {
  const service = embedded();
  const { code, stdout, stderr } = await service.run('exams delete 5 2 --yes -o json --debug');
  expect(requestsIn(stderr).filter((request) => !request.startsWith('GET '))).toEqual(['DELETE /exams/5', 'DELETE /exams/2']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual([
    { id: 5, result: 'deleted' },
    { id: 2, result: 'deleted' },
  ]);
  expect(ids(await service.json('exams list'))).toEqual(seededExams.filter((id) => ![2, 5].includes(id)));
});

test('a missing one does not stop the others', async () => {
  const service = embedded();
  const { code, stdout, stderr } = await service.run('sessions delete 7 999 8 --yes -o json');
  expect(code).toBe(9);
  expect(JSON.parse(stdout)).toEqual([
    { id: 7, result: 'deleted' },
    { id: 999, result: 'failed', problem: expect.stringContaining('404') },
    { id: 8, result: 'deleted' },
  ]);
  expect(JSON.parse(stderr).error).toMatchObject({ code: 'partly_done', message: expect.stringMatching(/^2 of 3 done, 1 failed: .*404/) });
  expect(ids(await service.json('sessions list'))).not.toEqual(expect.arrayContaining([7]));
  expect((await service.run('sessions get 8')).code).toBe(6);
});

test('a person reads which one failed, whatever is printed', async () => {
  const { code, stdout, stderr } = await embedded().run('sessions delete 7 999 --yes -o id');
  expect(code).toBe(9);
  expect(stdout).toContain('7');
  expect(stderr).toContain('999');
});

test('a reader that has gone does not turn a failure into a success', async () => {
  const { code, stderr } = await embedded().run('sessions delete 7 999 --yes', { closeStdoutAfter: 0 });
  expect(code).toBe(9);
  expect(stderr).toContain('1 of 2 done');
});

test('none that is there: the status is that of their common failure', async () => {
  const { code, stderr } = await embedded().run('exams delete 998 999 --yes');
  expect(code).toBe(6);
  expect(stderr).toContain('0 of 2 done');
});

test('a single missing one is a plain failure, without a result', async () => {
  const { code, stdout, stderr } = await embedded().run('exams delete 999 --yes -o json');
  expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
  expect(JSON.parse(stderr).error).toMatchObject({ code: 'not_found', status: 404 });
});

test('an ID that would lead elsewhere stops the line before the first request', async () => {
  const service = embedded();
  const { stderr, code } = await service.run('exams delete 1 2/../3 --yes --debug');
  expect(requestsIn(stderr)).toEqual([]);
  expect(code).toBe(3);
  expect(ids(await service.json('exams list'))).toContain(1);
});

describe('IDs on stdin', () => {
  test('come from -o id', async () => {
    const service = ungated();
    const { stdout } = await service.run('sessions list --exam 3 --status exam_started -o id');
    expect(stdout.split('\n').filter(Boolean)).toHaveLength(5);
    expect((await service.run('sessions delete - --yes', { stdin: stdout })).code).toBe(0);
    expect(await service.json('sessions list --exam 3 --status exam_started')).toEqual([]);
  });
});
