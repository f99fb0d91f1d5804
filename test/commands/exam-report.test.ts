/** `exams report`: one value in every format, a page that harms no file, and no judgement too early. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/run.ts';
import { type Data, embedded, requestsIn } from './embedded.ts';

describe('a report', () => {
  test('is the whole report in JSON, with the students behind the numbers', async () => {
    const service = embedded();
    const [report] = await service.json<Data[]>('exams report 1');
    expect(report).toMatchObject({
      exam: 1,
      name: 'Lineare Algebra I',
      standing: 'over',
      preliminary: false,
      counts: { students: 8, present: 6, finished: 6, no_shows: 2, not_mailed: 1 },
      no_show_students: [
        { id: 1, status: 'registered' },
        { id: 2, status: 'mail_sent' },
      ],
    });
    expect((await service.run('exams report 1 -o id')).stdout).toBe('1\n');
    expect(await service.json('exams report 1 --columns exam,counts.stuck')).toEqual([{ exam: 1, 'counts.stuck': 0 }]);
  });

  test('names the requested students', async () => {
    const service = embedded();
    expect((await service.run('exams report 1 --list no-shows -o id')).stdout).toBe('1\n2\n');
    expect((await service.run('exams report 2 --list stuck -o csv --columns email,status')).stdout).toMatch(
      /^email,status\r\n.*,check_completed\r\n.*,exam_started\r\n$/,
    );
    const suspicious = await service.json<Data[]>('exams report 1 --list suspicious');
    expect(suspicious.map(({ level_of_suspicion }) => level_of_suspicion)).toEqual([3, 2]);
    expect(await service.json('exams report 6 --list stuck')).toEqual([]);
    expect(await service.run('exams report 1 --list all')).toMatchObject({ code: 2, stdout: '' });
  });

  test('keeps the IDs where the service calls them otherwise', async () => {
    const service = embedded();
    await service.run('config set dialect.idKey uuid');
    expect((await service.run('exams report 1 -o id')).stdout).toBe('1\n');
    expect((await service.run('exams report 1 --list no-shows -o id')).stdout).toBe('1\n2\n');
  });

  test('says that it is preliminary while a student may still start, also with --quiet', async () => {
    const service = embedded();
    const preliminary = async (id: number) => (await service.run(`exams report ${id} --quiet`)).stderr;
    expect(await preliminary(1)).toBe('');
    expect(await preliminary(3)).toMatch(/^Preliminary: the exam is not over\..*\n$/);
    expect(await preliminary(5)).toMatch(/^Preliminary: the exam has not started\..*\n$/);
    expect(await service.json('exams report 5')).toMatchObject([{ counts: { not_started_yet: 5, no_shows: 0 }, no_show_students: [] }]);
  });
});

describe('the page of a report', () => {
  test('replaces a file only with --force, and is refused before anything is asked', async () => {
    const page = join(temporaryFolder(), 'report.html');
    writeFileSync(page, 'precious');
    const refused = await embedded().run(['exams', 'report', '1', '--html', page, '--debug']);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('already exists');
    expect(requestsIn(refused.stderr)).toEqual([]);
    expect(readFileSync(page, 'utf8')).toBe('precious');
    expect(await embedded().run(['exams', 'report', '1', '--html', page, '--force'])).toMatchObject({ code: 0 });
    expect(readFileSync(page, 'utf8')).toMatch(/^<!doctype html>/);
  });
});
