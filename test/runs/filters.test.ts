/** Which runs are listed, for whoever asks about a time, a user or an exam; and who took a run over. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DatabaseSync } from '../../src/files/sqlite.ts';
import { isMeant } from '../../src/runs-before/index.ts';
import { openState } from '../../src/state/open-state.ts';
import { host } from '../state/plain-world.ts';
import { newRun, opened, step } from '../state/state-world.ts';
import { ada, bob, held } from '../support/algebra.ts';
import { newDatabase, owner, whySkipped } from '../support/cluster.ts';
import { temporaryFolder, type World } from '../support/run.ts';
import type { Service } from '../support/service.ts';

const days = { monday: '2127-01-04T08:00:00Z', tuesday: '2127-01-05T08:00:00Z', friday: '2127-01-08T08:00:00Z' } as const;
const job = 'https://ci.example/exams/jobs/17';
const exam = (id: number) => ({ id, name: `Exam ${id}`, start_time: '2127-02-01T08:00:00Z', end_time: '2127-02-01T10:00:00Z' });

type Row = Record<string, unknown>;

const skipped = whySkipped() === undefined ? '' : ` (skipped: ${whySkipped()})`;

/** On Monday, ada extended her student of exam 1; on Tuesday, a CI job registered zoe for exam 2. */
async function recorded(): Promise<Service> {
  const service = held({ exams: [exam(1), exam(2)], sessions: [ada, { ...bob, exam_id: 2 }] });
  const done = async (line: string, now: string, env: Record<string, string>) => {
    const { code, stderr } = await service.run(line, { now, env });
    expect(code, stderr).toBe(0);
  };
  await done('sessions update 7 --close-time 2127-02-01T09:30Z', days.monday, { USER: 'ada' });
  await done('sessions create --exam 2 --email zoe@example.org --name Zoe', days.tuesday, { CI_JOB_URL: job });
  return service;
}

const commandsOf = async (service: Service, filters: string, now: string = days.friday) => {
  const { code, stdout, stderr } = await service.run(`runs list -o json ${filters}`, { now });
  expect(code, stderr).toBe(0);
  return (JSON.parse(stdout) as Row[]).map(({ kind }) => kind);
};
/** Another process takes the run over, as it does when the same command is run again. */
const takenOver = async (service: Service, id: string, who: string) => {
  const state = await openState({ folder: join(service.home, 'state'), host });
  await (await state.take(id, who)).close('finished');
  await state.close();
};

describe('runs list', () => {
  test.each([
    ['--since 2127-01-05T00:00Z', ['sessions create']],
    ['--since 4d', ['sessions create', 'sessions update']],
    ['--since 73h', ['sessions create']],
    ['--since 2127-01-05 --timezone UTC', ['sessions create']],
    ['--user ada', ['sessions update']],
    ['--user ada@test', ['sessions update']],
    [`--user ${job}`, ['sessions create']],
    ['--user https://ci.example/exams/jobs/1', []],
    ['--user ad', []],
    ['--user ada@tes', []],
    ['--exam 1', ['sessions update']],
    ['--exam 2', ['sessions create']],
    ['--exam 3', []],
    ['--user ada --exam 2', []],
    ['--user ada --exam 1 --since 4d', ['sessions update']],
  ])('%s', async (filters, kinds) => {
    expect(await commandsOf(await recorded(), filters)).toEqual(kinds);
  });

  test('an exam that a run created is one of its exams', async () => {
    const service = await recorded();
    const created = await service.run('exams create --name New --start 2127-03-01T08:00Z --end 2127-03-01T10:00Z -o json');
    expect(created.code, created.stderr).toBe(0);
    expect(await commandsOf(service, `--exam ${JSON.parse(created.stdout).id}`)).toEqual(['exams create']);
  });

  test('whoever took a run over counts, as does whoever began it', async () => {
    const service = await recorded();
    const [, update] = JSON.parse((await service.run('runs list -o json')).stdout);
    await takenOver(service, update.run, 'grace@build-8');
    expect(await commandsOf(service, '--user grace', '2127-01-06T08:00:00Z')).toEqual(['sessions update']);
    expect(await commandsOf(service, '--user ada')).toEqual(['sessions update']);
  });

  test.each([
    ['--since 30', '"30" is not a duration: its unit is missing.'],
    ['--since yesterday', '"yesterday"'],
    ['--since 2127-01-09T00:00Z', '"2127-01-09T00:00Z" is still to come.'],
    ['--since +2h', '"+2h" is still to come.'],
    ['--since=', '"" is not a duration.'],
    ['--user=', '--user is empty.'],
    ['--exam=', '--exam is empty.'],
  ])('%s is refused', async (filters, message) => {
    const { code, stdout, stderr } = await (await recorded()).run(`runs list ${filters}`, { now: days.friday });
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain(`error: ${message}`);
  });
});

test('runs show says when a run was taken over, and by whom', async () => {
  const service = await recorded();
  const [, update] = JSON.parse((await service.run('runs list -o json')).stdout);
  expect((await service.run(`runs show ${update.run}`)).stderr).not.toContain('Taken over');
  await takenOver(service, update.run, 'grace@build-8');
  expect((await service.run(`runs show ${update.run}`)).stderr).toMatch(
    /^Taken over by grace@build-8 at \d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)? \+00:00\.$/m,
  );
});

test.skipIf(whySkipped() !== undefined)(`what one machine of a team did, another one sees${skipped}`, async () => {
  const service = held({ exams: [exam(1)], sessions: [ada] });
  const there = { PROCTOR_STATE: (await newDatabase()).url(), PGPASSWORD: owner.password };
  const done = async (line: string, world: World) => {
    const { code, stdout, stderr } = await service.run(line, { ...world, env: { ...there, ...world.env } });
    expect(code, stderr).toBe(0);
    return stdout;
  };
  await done('state init', { env: { USER: 'ada' } });
  await done('sessions update 7 --close-time 2127-02-01T09:30Z', { env: { USER: 'ada' } });
  const elsewhere = { home: temporaryFolder(), env: { USER: 'grace', PROCTOR_STATE_KEY_FILE: join(service.home, 'state', 'runs.key') } };
  expect(JSON.parse(await done('runs list --since 1h --user ada -o json', elsewhere))).toMatchObject([
    { kind: 'sessions update', who: 'ada@test' },
  ]);
  expect(await done('runs list --user grace -o json', elsewhere)).toBe('[]\n');
  const [{ run }] = JSON.parse(await done('runs list --exam 1 -o json', elsewhere)) as [{ run: string }];
  expect(JSON.parse(await done(`runs show ${run} -o json`, elsewhere))).toMatchObject([{ email: 'ada@example.org', result: 'done' }]);
});

test('a step or an event that has vanished from the database is noticed, and nothing is left out in silence', async () => {
  for (const statement of ['DELETE FROM steps WHERE n = 2', 'DELETE FROM events WHERE i = 1']) {
    const folder = temporaryFolder();
    const state = await opened(folder);
    const { run, record, close } = await state.begin(newRun, [step(1), step(2), step(3)]);
    for (const n of [1, 2, 3]) record({ n, event: 'skipped' });
    await close('finished');
    const database = new DatabaseSync(join(folder, 'runs.sqlite'));
    database.exec(statement);
    database.close();
    const filter = { exam: '42', since: undefined, user: undefined };
    await expect(isMeant(state, run, filter)).rejects.toMatchObject({ code: 'state_damaged' });
  }
});
