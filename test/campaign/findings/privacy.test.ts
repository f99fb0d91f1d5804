/**
 * Finding 15: what this machine keeps about students. Two hundred names, addresses, free fields and words of the service are planted,
 * and looked for in the bytes of the state folder after each kind of run.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openState } from '../../../src/state/open-state.ts';
import { host, worker } from '../../state/state-world.ts';
import type { Reply } from '../../support/service.ts';
import { after, begins, ends, minute, stage } from '../story/stage.ts';

/** The bytes of each file below a folder: the database, its log of commits and the index of that among them. */
function filesIn(folder: string): [name: string, bytes: Buffer][] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => [name, readFileSync(join(folder, name))]);
}

/** The core of all that is planted, in plain, in UTF-16, in hexadecimal, and in base64 at each offset. */
const core = 'planted';
const spellings = [core, Buffer.from(core).toString('hex'), Buffer.from(core, 'utf16le').toString('latin1')].concat(
  // So long that a random key does not have it by chance.
  [
    [0, 8],
    [4, 10],
    [4, 12],
  ].map(([from, to], offset) =>
    Buffer.from(`${'x'.repeat(offset)}${core}`)
      .toString('base64')
      .slice(from, to),
  ),
);

/** Where something planted is found, with what is around it. */
function found(folder: string): string[] {
  return filesIn(folder).flatMap(([name, bytes]) => {
    const text = bytes.toString('latin1');
    const lower = text.toLowerCase();
    return spellings.flatMap((spelling, at) => {
      const place = at < 3 ? lower.indexOf(spelling) : text.indexOf(spelling);
      return place < 0 ? [] : [`${name}: ${JSON.stringify(text.slice(Math.max(0, place - 60), place + 60))}`];
    });
  });
}

const address = (index: number) => `planted-${index}@example.org`;
const indices = Array.from({ length: 66 }, (_, index) => index);

const words = (index: unknown) => `Planted words about Planted Name ${String(index)}`;
const rosterOf = (some: readonly number[]) =>
  `email,name,Seat,open_time\n${some.map((index) => `${address(index)},Planted Name ${index},Planted note ${index},${begins}`).join('\n')}\n`;

test('15: of two hundred planted names, addresses, notes and words of the service none is in the state after any kind of run', async () => {
  const { service, machine, clock, run, named } = await stage();
  const { truth } = service;
  const state = join(machine.folder, 'state');
  truth.createExam({ name: 'Planted exam', start_time: after(begins, 1440), end_time: after(ends, 1440) }, 'colleague', 7);
  truth.users.push({ id: 4, name: 'Planted proctor', email: 'planted-proctor@example.org' });
  const file = (some: readonly number[]) => machine.file('planted-roster.csv', rosterOf(some));
  const list = machine.file('planted.csv', `email,extra\n${address(3)},25%\n`);
  const idOf = (email: string) => named(email)[0]?.id;
  const latest = async () => (JSON.parse((await run('runs list -o json')).stdout) as { run: string }[])[0]?.run;
  const lines: (() => string | Promise<string>)[] = [
    () => `sessions import ${file(indices)} --exam 6 --map seat=Seat`,
    async () => {
      // An import that is open keeps mails from being sent.
      for (const id of (await run('runs list --open -o id')).stdout.split('\n').filter(Boolean)) await run(`runs close ${id}`);
      return 'exams send-emails 6';
    },
    () => `sessions import ${file([...indices, 67])} --exam 6 --map seat=Seat --accept-different`,
    () => `sessions create --exam 6 --email ${address(70)} --name Planted -F note=Planted`,
    () => `students add --exam 6 --email ${address(71)} --name Planted`,
    () => `sessions update ${idOf(address(1))} --name Planted-other -F note=Planted`,
    () => `sessions update ${idOf(address(2)) ?? idOf('planted-other@example.org')} --email planted-other@example.org`,
    () => `sessions delete ${idOf(address(4))}`,
    () => `sessions move ${idOf(address(6))} ${idOf(address(7))} --exam 7`,
    () => `sessions extend ${idOf(address(8))} --by 15m`,
    () => `accommodations apply ${list} --exam 6`,
    () => 'sessions extend --exam 6 --by 30%',
    () => `exams create --name Planted-Exam --start ${begins} --end ${ends} -F note=Planted`,
    () => 'exams update 7 -F note=Planted --allow-headphones',
    () => 'exams clone 7 --start 2027-03-01T08:00:00Z --name Planted-Clone --with-students',
    () => 'exams shift 6 --by 7d',
    () => 'exams delay 6 --by 15m',
    async () => `runs undo ${await latest()}`,
    () => 'proctors add planted-proctor@example.org --exam 6',
    () => 'proctors remove planted-proctor@example.org --exam 6',
    () => `api POST /exams/6/student_sessions -F email=${address(80)} -F name=Planted`,
    () => `api PATCH /student_sessions/${idOf(address(9))}?name=Planted -F name=Planted`,
    () => `api PATCH /student_sessions/${address(9)} -F name=Planted`,
    () => `api POST /planted/${address(81)} -F name=Planted`,
    () => 'exams delete 7',
    () => `sessions import ${file([90])} --exam 6 --map seat=Seat --accept-different`,
    async () => `runs close ${await latest()}`,
    () => `sessions delete ${idOf(address(9))} --during-exam Planted`,
  ];
  /** What becomes of the first write of a command: one after the other. */
  const troubles: readonly Reply[] = [
    { answer: 'lost', done: 'never' },
    { answer: { status: 422, body: { errors: { email: words(1) } } } },
    { answer: { status: 500, body: words(2) } },
    { answer: { status: 200, body: { success: false, error: words(3) } } },
    { answer: { status: 409, body: { message: words(4) } } },
  ];
  for (const [at, lineOf] of lines.entries()) {
    const before = service.writes().length;
    let line = '';
    for (const trouble of [troubles[at % troubles.length], undefined]) {
      line = await lineOf();
      service.fault = ({ method }) => {
        if (method === 'GET') return undefined;
        service.fault = () => undefined;
        return trouble;
      };
      await run(line);
      expect(found(state), line).toEqual([]);
      await clock.pass(10 * minute);
    }
    if (!line.startsWith('runs close')) expect(service.writes().length, line).toBeGreaterThan(before);
  }
  const planted = new Set([...JSON.stringify(truth.record).matchAll(/"([^"]*planted[^"]*)"/gi)].map(([, text]) => text));
  expect(planted.size).toBeGreaterThanOrEqual(200);
});

test('15: nothing of a student who is forgotten is in any byte of the state, while another process has it open as well', async () => {
  const { service, machine, run, named, clock } = await stage({ habits: { firstId: 7_310_001 } });
  const { truth } = service;
  const state = join(machine.folder, 'state');
  truth.createExam({ name: 'Second date', start_time: after(begins, 1440), end_time: after(ends, 1440) }, 'colleague', 8);
  const [ada, bob] = ['ada@example.org', 'bob@example.org'];
  const file = machine.file('roster.csv', `email,name,open_time\n${ada},Ada,${begins}\n${bob},Bob,${begins}\n`);
  const list = machine.file('list.csv', `email,extra\n${ada},25%\n`);
  const idOf = (email: string) => named(email)[0]?.id;
  const lines: (() => string)[] = [
    () => `sessions import ${file} --exam 6`,
    () => `sessions update ${idOf(ada)} --name Augusta`,
    () => `sessions extend ${idOf(ada)} ${idOf(bob)} --by 15m`,
    () => `accommodations apply ${list} --exam 6`,
    () => 'exams clone 6 --start 2027-03-01T08:00:00Z --with-students',
    () => 'exams shift 6 --by 7d',
    () => `sessions move ${idOf(ada)} ${idOf(bob)} --exam 8`,
    () => `api PATCH /student_sessions/${idOf(ada)} -F name=Ada`,
    () =>
      `sessions delete ${truth
        .inExam(8)
        .map(({ id }) => id)
        .join(' ')}`,
    () => `students add --exam 8 --email ${ada}`,
  ];
  for (const lineOf of lines) {
    const line = lineOf();
    const { code, stderr } = await run(line);
    expect(code, `${line}: ${stderr}`).toBe(0);
    await clock.pass(minute);
  }
  const child = worker(state, `const state = await openState(options); await state.runs(); say('open'); setInterval(() => {}, 1000);`);
  await child.said('open');
  const keys = await openState({ folder: state, host });
  const [hers, his] = [keys.studentKey(ada), keys.studentKey(bob)];
  await keys.close();
  const idsOf = (email: string) =>
    new Set(truth.record.flatMap(({ kind, id, after }) => (kind === 'session' && after?.email === email ? [String(id)] : [])));
  const holding = (text: string) => filesIn(state).flatMap(([name, bytes]) => (bytes.includes(text) ? [name] : []));
  for (const trace of [hers, his, ...idsOf(ada), ...idsOf(bob)]) expect(holding(trace), trace).not.toEqual([]);
  expect((await run(`runs forget --student Ada@Example.org`)).code).toBe(0);
  expect(filesIn(state).map(([name]) => name)).toEqual(expect.arrayContaining(['runs.sqlite', 'runs.sqlite-wal', 'runs.sqlite-shm']));
  for (const trace of [hers, ...idsOf(ada)]) expect(holding(trace), trace).toEqual([]);
  for (const trace of [his, ...idsOf(bob)]) expect(holding(trace), trace).not.toEqual([]);
});
