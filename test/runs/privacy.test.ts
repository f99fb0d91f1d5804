/**
 * What this machine keeps about students: names, addresses, free fields and words of the service are planted, and looked for
 * in the bytes of the state folder after each kind of run.
 */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/run.ts';
import { type Reply, refused, Service } from '../support/service.ts';

const [begins, ends] = ['2027-02-01T08:00:00Z', '2027-02-01T10:00:00Z'];

/** All that is planted has this in it: in plain, in UTF-16, in hexadecimal, and in base64 at each offset. */
const core = 'planted';
const inBase64 = [0, 1, 2].map((offset) =>
  // So long that a random key does not have it by chance.
  Buffer.from(`${'x'.repeat(offset)}${core}`)
    .toString('base64')
    .slice(offset === 0 ? 0 : 4, offset === 0 ? 8 : 8 + 2 * offset),
);
const spellings = [core, Buffer.from(core).toString('hex'), Buffer.from(core, 'utf16le').toString('latin1')];

/** Where something planted is found below a folder, with what is around it. */
function found(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(folder, name)).isFile());
  return files.flatMap((name) => {
    const text = readFileSync(join(folder, name)).toString('latin1');
    const small = text.toLowerCase();
    const places = [...spellings.map((one) => small.indexOf(one)), ...inBase64.map((one) => text.indexOf(one))];
    return places.flatMap((at) => (at < 0 ? [] : [`${name}: ${JSON.stringify(text.slice(Math.max(0, at - 60), at + 60))}`]));
  });
}

const address = (index: number) => `planted-${index}@example.org`;
const words = (index: number) => `Planted words about Planted Name ${index}`;
const indices = Array.from({ length: 48 }, (_, index) => index);

/** What becomes of the first write of a command: one after the other. */
const troubles: readonly Reply[] = [
  { answer: 'lost', done: 'never' },
  refused(422, { errors: { email: words(1) } }),
  refused(500, words(2)),
  refused(200, { success: false, error: words(3) }),
  refused(409, { message: words(4) }),
];

test('No name, address, note or word of the service is in the state after any kind of run.', async () => {
  const home = temporaryFolder();
  const service = new Service();
  const { truth, clock } = service;
  for (const id of [6, 7])
    truth.createExam(
      { name: 'Planted exam', start_time: begins.replace('01T', `0${id}T`), end_time: ends.replace('01T', `0${id}T`) },
      'colleague',
      id,
    );
  truth.users.push({ id: 99, name: 'Planted proctor', email: 'planted-proctor@example.org' });
  const run = (line: string) => service.run(`${line} --yes --no-input`, { home });
  const folder = join(home, 'planted-folder');
  mkdirSync(folder);
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const roster = (some: readonly number[]) =>
    file('roster.csv', `email,name,open_time\n${some.map((at) => `${address(at)},Planted Name ${at},${begins}\n`).join('')}`);
  const list = file('list.csv', `email,extra\n${address(3)},25%\n`);
  const timetable = file('table.csv', 'name,start,end,roster\nPlanted course,2027-03-01T08:00:00Z,2027-03-01T10:00:00Z,roster.csv\n');
  const idOf = (email: string) => [...truth.sessions.values()].find((one) => one.email?.toLowerCase() === email)?.id;
  const latest = async () => (JSON.parse((await run('runs list -o json')).stdout) as { run: string }[])[0]?.run;
  const lines: (() => string | Promise<string>)[] = [
    () => `sessions import ${roster(indices)} --exam 6`,
    async () => {
      // An import that is open keeps mails from being sent.
      for (const id of (await run('runs list --open -o id')).stdout.split('\n').filter(Boolean)) await run(`runs close ${id}`);
      return 'exams send-emails 6';
    },
    () => `sessions import ${roster([...indices, 67])} --exam 6 --accept different`,
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
    () => `exams apply ${timetable}`,
    () => 'exams update 7 -F note=Planted --allow-headphones',
    () => 'exams clone 7 --start 2027-03-01T08:00:00Z --name Planted-Clone --with-students',
    () => 'exams shift 6 --by 7d',
    () => 'exams delay 6 --by 15m',
    async () => `runs undo ${await latest()}`,
    () => 'proctors add planted-proctor@example.org --exam 6 --institute 1',
    () => 'proctors remove planted-proctor@example.org --exam 6 --institute 1',
    () => `api POST /exams/6/student_sessions -F email=${address(80)} -F name=Planted`,
    () => `api PATCH /student_sessions/${idOf(address(9))}?name=Planted -F name=Planted`,
    () => `api POST /planted/${address(81)} -F name=Planted`,
    () => 'exams delete 7',
    () => `sessions import ${roster([90])} --exam 6`,
    async () => `runs close ${await latest()}`,
    () => `sessions delete ${idOf(address(9))} --during-exam Planted`,
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
      expect(found(join(home, 'state')), line).toEqual([]);
      await clock.pass(600_000);
    }
    if (!line.startsWith('runs close')) expect(service.writes().length, line).toBeGreaterThan(before);
  }
  const planted = new Set([...JSON.stringify(truth.record).matchAll(/"([^"]*planted[^"]*)"/gi)].map(([, text]) => text));
  expect(planted.size).toBeGreaterThan(100);
});
