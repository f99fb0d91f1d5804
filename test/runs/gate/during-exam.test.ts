/** What lets a write to a running exam through: a reason that is confirmed, or the gate disabled for the profile. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openRecord } from '../../../src/record/index.ts';
import type { RunOptions } from '../../../src/runs/active-run.ts';
import type { Service } from '../../support/service.ts';
import { served } from './gate-office.ts';

const deletion = 'exams delete 3 --yes';

describe('--during-exam', () => {
  const withReason = ['exams', 'delete', '3', '--during-exam', 'Fire alarm: password=open-sesame'];

  test('with --yes lets the write through; the reason is recorded without secrets, and in no file in clear', async () => {
    const service = served();
    const { code, stderr } = await service.run([...withReason, '--yes']);
    expect([code, service.writes()], stderr).toEqual([0, ['DELETE /exams/3']]);
    expect(await reasons(service)).toEqual([expect.stringMatching(/^Fire alarm: password=\*+$/)]);
    const state = join(service.home, 'state');
    const files = readdirSync(state, { withFileTypes: true }).filter((each) => each.isFile());
    const kept = [stderr, ...files.map(({ name }) => readFileSync(join(state, name), 'latin1'))].join('\n');
    expect(kept).not.toMatch(/open-sesame|Fire alarm/);
  });

  test('on a terminal has the ID of the exam typed, in the question of the command, which is the only one; a no leaves nothing behind', async () => {
    const service = served();
    const printed = await service.run(withReason, { tty: true, answers: ['y', ''] });
    expect([printed.code, printed.refusals, service.writes()]).toEqual([130, ['Type 3 to confirm, or press Enter to cancel.'], []]);
    expect(await reasons(service)).toEqual([]);
    const { code, questions } = await service.run(withReason, { tty: true, answers: ['3'] });
    expect([code, service.writes(), questions.length]).toEqual([0, ['DELETE /exams/3'], 1]);
    expect(questions[0]).toMatch(
      /^Exam 3 \(Running, .*\) has been running for 1 h, .*; the request would take it from its students\. Delete exam 3 \(Running, .*\) with 3 students .*, which cannot be undone, at http.* \(profile default\)\? Type 3 to confirm:$/,
    );
  });

  test('is confirmed once for an exam, with what is sent', async () => {
    const service = served();
    const line = ['sessions', 'delete', '31', '33', '--during-exam', 'Fire alarm'];
    const { code, questions } = await service.run(line, { tty: true, answers: ['3'] });
    expect([code, questions.length, service.writes().length]).toEqual([0, 1, 2]);
    expect(questions[0]).toContain('Delete 2 student sessions');
  });

  test('is confirmed for each exam, and for a plan with other exams in a question of its own', async () => {
    const service = served();
    const { code, questions } = await service.run('exams delete 3 5 --during-exam Fire', { tty: true, answers: ['3', 'delete 2 exams'] });
    expect([code, questions.length, service.writes().length]).toEqual([0, 2, 2]);
  });

  test.each([
    ['without --yes in a script', ['exams', 'update', '3', '--no-allow-headphones', '--during-exam', 'Fire alarm']],
    ['without words', ['exams', 'delete', '3', '--yes', '--during-exam', '  ']],
  ])('%s is refused', async (_how, line) => {
    const service = served();
    expect(await service.run(line)).toMatchObject({ code: 2 });
    expect(service.writes()).toEqual([]);
  });
});

test('protectRunningExams off disables the gate in a profile, and on enables it again', async () => {
  const service = served();
  await service.run('config set protectRunningExams off');
  expect(await service.run('exams delete 6 --yes')).toMatchObject({ code: 0 });
  await service.run('config set protectRunningExams on');
  expect(await service.run(deletion)).toMatchObject({ code: 12 });
  expect(service.writes()).toEqual(['DELETE /exams/6']);
});

async function reasons({ home }: Service): Promise<unknown[]> {
  const host = { env: {}, now: Date.now, random: Math.random, pid: process.pid, platform: 'linux', sleep: async () => {} } as const;
  const record = await openRecord({
    host,
    at: 'local',
    folder: () => join(home, 'state'),
    who: 'test',
    inWords: String,
    say() {},
    onClosed() {},
  });
  try {
    return (await record.runs({})).map(({ more }) => (more as RunOptions).reason);
  } finally {
    await record.close();
  }
}
