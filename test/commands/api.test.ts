import { describe, expect, test } from 'vitest';
import { run } from '../support/run.ts';
import { type Data, embedded } from './embedded.ts';

describe('api', () => {
  test('GET prints the answer as it is', async () => {
    const service = embedded();
    expect(await service.json('api GET /exams/1')).toEqual(await service.json('exams get 1'));
    expect(await service.json('api get exams')).toEqual(await service.json('exams list'));
    expect(await service.json('api GET /exams/1/show_student -F student_session_id=2')).toEqual(await service.json('sessions get 2'));
  });

  test.each([[{ tty: true }], [{ tty: false }], [{ env: { PROCTOR_OUTPUT: 'table' } }]])(
    'prints JSON where no format is given: %j',
    async (world) => {
      const service = embedded();
      for (const line of ['api GET /exams', 'api GET /exams/1']) {
        const { code, stdout } = await service.run(line, world);
        expect(code).toBe(0);
        expect(JSON.parse(stdout)).toEqual(await service.json(line));
      }
    },
  );

  test('prints a table with -o table, and another format where it is set', async () => {
    const service = embedded();
    expect((await service.run('api GET /exams -o table')).stdout).toMatch(/^ID +NAME/);
    expect((await service.run('api GET /exams/1 -o table')).stdout).toMatch(/^ID +1$/m);
    expect((await service.run('api GET /exams', { env: { PROCTOR_OUTPUT: 'csv' } })).stdout).toMatch(/^id,name/);
    expect((await service.run('exams list')).stdout).toMatch(/^ID +NAME/);
  });

  test('POST, PATCH, PUT and DELETE', async () => {
    const service = embedded();
    const made = await service.json<Data>('api POST /exams --body -', {
      stdin: '{"start_time":"2027-01-01T09:00:00Z","end_time":"2027-01-01T10:00:00Z"}',
    });
    expect(await service.json(`api PATCH /exams/${made.id} -F name=x`)).toHaveProperty('name', 'x');
    expect(await service.json(`api PUT /exams/${made.id} -f name=12`)).toHaveProperty('name', '12');
    expect(await service.json('api DELETE /exams/1/proctor_pool --body - --yes', { stdin: '{"proctors":[3]}' })).toHaveLength(2);
    expect(await service.run(`api DELETE /exams/${made.id} --yes -o json`)).toMatchObject({ code: 0, stdout: '' });
    expect((await service.run(`api GET /exams/${made.id}`)).code).toBe(6);
  });
});

describe('api --list', () => {
  test('has the 20 operations, and the one that the service removed', async () => {
    // Neither a login nor a service is needed.
    const rows: Data[] = JSON.parse((await run(['api', '--list', '-o', 'json'])).stdout);
    expect(rows.filter(({ supported }) => supported)).toHaveLength(20);
    expect(rows.filter(({ supported }) => !supported)).toEqual([
      expect.objectContaining({ method: 'POST', path: '/student_sessions/:id/end_exam', note: expect.stringContaining('2022-05-17') }),
    ]);
  });
});
