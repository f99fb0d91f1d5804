/** The record as evidence: who did what, when, and what became of it, for whoever asks about a time, a user or an exam. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { parseTeamPlace } from '../../src/model/team-place.ts';
import { type Evidence, evidenceOf, isMeant } from '../../src/runs/index.ts';
import { initState, openState } from '../../src/state/open-state.ts';
import { DatabaseSync } from '../../src/state/sqlite.ts';
import type { State } from '../../src/state/state.ts';
import { host } from '../state/plain-world.ts';
import { eachKind, newRun, opened, step, steps } from '../state/state-world.ts';
import { newDatabase, owner, whySkipped } from '../support/cluster.ts';
import { temporaryFolder, type World } from '../support/run.ts';
import { ada, bob, type Held, held } from './held-service.ts';

const days = { monday: '2127-01-04T08:00:00Z', tuesday: '2127-01-05T08:00:00Z', friday: '2127-01-08T08:00:00Z' } as const;
const job = 'https://ci.example/exams/jobs/17';
const exam = (id: number) => ({ id, name: `Exam ${id}`, start_time: '2127-02-01T08:00:00Z', end_time: '2127-02-01T10:00:00Z' });

type Row = Record<string, unknown>;

const skipped = whySkipped() === undefined ? '' : ` (skipped: ${whySkipped()})`;

/** On Monday, ada extended her student of exam 1; on Tuesday, a CI job registered zoe for exam 2. */
async function recorded(): Promise<Held> {
  const service = await held({ exams: [exam(1), exam(2)], sessions: [ada, { ...bob, exam_id: 2 }] });
  const done = async (line: string, now: string, env: Record<string, string>) => {
    const { code, stderr } = await service.run(line, { now, env });
    expect(code, stderr).toBe(0);
  };
  await done('sessions update 7 --close-time 2127-02-01T09:30Z', days.monday, { USER: 'ada' });
  await done('sessions create --exam 2 --email zoe@example.org --name Zoe', days.tuesday, { CI_JOB_URL: job });
  return service;
}

const commandsOf = async (service: Held, filters: string, now: string = days.friday) => {
  const { code, stdout, stderr } = await service.run(`runs list -o json ${filters}`, { now });
  expect(code, stderr).toBe(0);
  return (JSON.parse(stdout) as Row[]).map(({ kind }) => kind);
};
const exported = async (service: Held, filters = '') => {
  const { code, stdout, stderr } = await service.run(`runs export -o ndjson ${filters}`.trim(), { now: days.friday });
  expect(code, stderr).toBe(0);
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Row]));
};
/** Another process takes the run over, as it does when the same command is run again. */
const takenOver = async (service: Held, id: string, who: string) => {
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
    for (const command of ['runs list', 'runs export']) {
      const { code, stdout, stderr } = await (await recorded()).run(`${command} ${filters}`, { now: days.friday });
      expect([code, stdout]).toEqual([3, '']);
      expect(stderr).toContain(`error: ${message}`);
    }
  });
});

describe('runs export', () => {
  test('has who did what, when, and what became of it', async () => {
    const rows = await exported(await recorded());
    expect(rows).toMatchObject([
      {
        entry: 'run',
        at: '2127-01-04T08:00:00.000Z',
        who: 'ada@test',
        does: 'sessions update 7 --close-time 2127-02-01T09:30:00Z',
        steps: 1,
      },
      {
        ...{
          entry: 'step',
          at: '2127-01-04T08:00:00.000Z',
          who: 'ada@test',
          operation: 'patchSession',
          exam: 1,
          session: 7,
          result: 'done',
        },
        ...{ email: 'ada@example.org', sets: { close_time: '2127-02-01T09:30:00Z' }, replaces: { close_time: null } },
      },
      { entry: 'run', who: job, does: 'sessions create --exam 2 --email ADDRESS --name NAME' },
      {
        entry: 'step',
        at: '2127-01-05T08:00:00.000Z',
        sent: '2127-01-05T08:00:00.000Z',
        exam: 2,
        session: 101,
        result: 'done',
        ours: true,
      },
    ]);
    expect(new Set(rows.map(({ run }) => run)).size).toBe(2);
  });

  test('has the runs that runs list has with the same filters, each of them whole', async () => {
    const service = await recorded();
    for (const filters of ['--since 73h', '--user ada', '--exam 2', '--exam 3', '--user ada --exam 2']) {
      const runs = (await exported(service, filters)).filter(({ entry }) => entry === 'run');
      const listed = JSON.parse((await service.run(`runs list -o json ${filters}`, { now: days.friday })).stdout) as Row[];
      expect(runs.map(({ run }) => run)).toEqual(listed.map(({ run }) => run).reverse());
    }
    expect((await exported(service, '--exam 2')).map(({ entry }) => entry)).toEqual(['run', 'step']);
  });

  test('has the reason for which something was done during an exam', async () => {
    const service = await recorded();
    const now = '2127-02-01T08:10:00Z';
    const { code, stderr } = await service.run(['exams', 'update', '1', '--end', '2127-02-01T09:50Z', '--during-exam', 'fire alarm'], {
      now,
    });
    expect(code, stderr).toBe(0);
    expect((await service.run('runs export --user nobody -o json', { now })).stdout).toBe('[]\n');
    const rows = JSON.parse((await service.run('runs export --since 1h -o json', { now })).stdout) as Row[];
    expect(rows).toMatchObject([
      { entry: 'run', reason: 'fire alarm' },
      { entry: 'step', exam: 1 },
    ]);
  });

  test('has nothing of a student who was forgotten, and no address of a line of a file', async () => {
    const service = await recorded();
    const imported = await service.run('sessions import - --exam 2 --yes', { stdin: 'email\numa@example.org\n', now: days.friday });
    expect(imported.code, imported.stderr).toBe(0);
    const forgotten = await service.run('runs forget --student ada@example.org --yes', { now: days.friday });
    expect(forgotten.code, forgotten.stderr).toBe(0);
    const rows = await exported(service);
    expect(rows.filter(({ entry }) => entry === 'step')).toHaveLength(2);
    expect(JSON.stringify(rows)).not.toMatch(/ada@example|uma@/);
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

const inWords = async (state: State, ids: Readonly<Record<string, string>>) => {
  const words: string[] = [];
  const name = ({ run: { id } }: Evidence) => Object.keys(ids).find((key) => ids[key] === id);
  for await (const entry of evidenceOf(state, {}))
    words.push(`${name(entry)} ${entry.entry === 'step' ? `${entry.shown.n} ${entry.shown.state}` : entry.entry} by ${entry.who}`);
  return words;
};

eachKind(({ newFolder }) => {
  test('runs of several machines at the same time are in the order of time, each step with whoever did it', async () => {
    const state = await opened(await newFolder());
    const desk = await state.begin({ ...newRun, who: 'ada@desk' }, steps(3));
    await pause(5);
    const build = await state.begin({ ...newRun, who: 'grace@build' }, steps(1));
    const happens = async (held: typeof desk, n: number, event: string) => {
      await pause(5);
      await held.intend(n, 'sending');
      held.record({ n, event });
      await held.flush();
    };
    await happens(desk, 2, 'done');
    await happens(build, 1, 'rejected');
    await happens(desk, 1, 'unknown');
    await desk.close('open');
    await pause(5);
    const taken = await state.take(desk.run.id, 'eve@laptop');
    await happens(taken, 1, 'done');
    expect(await inWords(state, { desk: desk.run.id, build: build.run.id })).toEqual([
      'desk run by ada@desk',
      'desk 3 planned by ada@desk',
      'build run by grace@build',
      'desk 2 done by ada@desk',
      'build 1 rejected by grace@build',
      'desk taken by eve@laptop',
      'desk 1 done by eve@laptop',
    ]);
  });

  test('a run is read in parts, of which none is missing and none twice', async () => {
    const state = await opened(await newFolder());
    const held = await state.begin(newRun, steps(2_000, { values: { exam: '42' } }));
    for (let n = 1; n <= 1_500; n += 1) held.record({ n, event: 'skipped' });
    await held.close('finished');
    const entries = await inWords(state, { run: held.run.id });
    expect(entries).toHaveLength(2_001);
    expect(new Set(entries).size).toBe(2_001);
    expect(entries.filter((entry) => entry.includes('skipped'))).toHaveLength(1_500);
    expect(await isMeant(state, held.run, { exam: '42' })).toBe(true);
    expect(await isMeant(state, held.run, { exam: '4' })).toBe(false);
  });
});

test.skipIf(whySkipped() !== undefined)(`what one machine of a team did, another one sees${skipped}`, async () => {
  const service = await held({ exams: [exam(1)], sessions: [ada] });
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
  expect(JSON.parse(await done('runs export --exam 1 -o json', elsewhere))).toMatchObject([
    { entry: 'run', who: 'ada@test' },
    { entry: 'step', who: 'ada@test', email: 'ada@example.org', result: 'done' },
  ]);
});

describe.skipIf(whySkipped() !== undefined)(`with the grants that state init prints${skipped}`, () => {
  test('an importer adds to the history, and can neither change nor delete what is in it', async () => {
    const database = await newDatabase();
    const folder = temporaryFolder();
    const teamAs = (user?: string) => ({ place: parseTeamPlace(database.url(user)), password: async () => owner.password });
    const { grants } = await initState({ folder, host, team: teamAs() });
    const importer = `importer_${database.name}`;
    for (const statement of grants) await database.sql(statement.replaceAll('proctor_importer', importer));
    await database.sql(`ALTER ROLE ${importer} LOGIN PASSWORD '${owner.password}'`);

    const state = await opened(folder, { team: teamAs(importer) });
    const held = await state.begin(newRun, steps(1));
    await held.intend(1, 'sending');
    held.record({ n: 1, event: 'done' });
    await held.close('finished');
    expect(await inWords(state, { run: held.run.id })).toEqual(['run run by ada on build-7', 'run 1 done by ada on build-7']);

    for (const table of ['runs', 'steps', 'events']) {
      for (const change of [
        `UPDATE proctor_cli.${table} SET record = '{}'`,
        `DELETE FROM proctor_cli.${table}`,
        `TRUNCATE proctor_cli.${table}`,
      ]) {
        await expect(database.sql(`SET ROLE ${importer}; ${change}`), change).rejects.toMatchObject({ code: '42501' });
      }
    }
    expect(await inWords(state, { run: held.run.id })).toHaveLength(2);
  });
});

test('a step or an event that has vanished from the database is no evidence: it is said, and nothing is left out in silence', async () => {
  for (const statement of ['DELETE FROM steps WHERE n = 2', 'DELETE FROM events WHERE i = 1']) {
    const folder = temporaryFolder();
    const state = await opened(folder);
    const held = await state.begin(newRun, [step(1), step(2), step(3)]);
    for (const n of [1, 2, 3]) held.record({ n, event: 'skipped' });
    await held.close('finished');
    const database = new DatabaseSync(join(folder, 'runs.sqlite'));
    database.exec(statement);
    database.close();
    await expect(inWords(state, {})).rejects.toMatchObject({ code: 'state_damaged' });
  }
});
