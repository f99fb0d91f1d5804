/** Times that are set once more: by a job that is run again, beside another command, after a part, after a kill. Minutes are added once. */
import { describe, expect, test } from 'vitest';
import { ada, algebra, bob, serviceWithExam } from '../support/algebra.ts';
import { type Run, ungatedFolder, type World } from '../support/run.ts';
import { refused, type Service } from '../support/service.ts';
import { latest } from '../support/story.ts';
import { killed, openRun } from './small-office.ts';

/** Three exams from 08:00 to 10:00; one student of exam 1 has half an hour more, one of exam 2 has no times of their own. */
const office = () =>
  serviceWithExam({
    exams: [1, 2, 3].map((id) => ({ ...algebra, id, name: `Exam ${id}` })),
    sessions: [
      { ...ada, close_time: '2127-02-01T10:30:00Z' },
      { ...bob, exam_id: 2 },
    ],
    showing: { dated: true },
  });
const minute = 60_000;
const short = (time: unknown) => String(time).slice(5, 16);
/** "02-01T08:00" */
const closes = ({ sessions }: Service) => short(sessions[0]?.close_time);
const ends = ({ exams }: Service) => exams.map(({ end_time }) => short(end_time)).join(' ');
const holds = ({ exams, sessions }: Service) => structuredClone({ exams, sessions });
const listed = { stdin: 'email,extra\nada@example.org,50%\nbob@example.org,30m\n' };
const apply = 'accommodations apply - --exam 1 --exam 2';

/** Nothing was sent, and this is named. */
async function expectRefused(service: Service, line: string, words: string, world: World = {}): Promise<void> {
  const writes = service.writes().length;
  const { code, stderr } = await service.run(`${line} --yes`, { ...listed, ...world });
  expect([code, service.writes().length - writes, stderr], line).toEqual([11, 0, expect.stringContaining(words)]);
}

async function expectDone(service: Service, line: string, world: World = {}): Promise<Run> {
  const printed = await service.run(`${line} --yes`, { ...listed, ...world });
  expect(printed.code, `${line}\n${printed.stderr}`).toBe(0);
  return printed;
}

/** When the window of the student closes after each time that it was done. */
const weeks = ['02-08T10:30', '02-15T10:30', '02-22T10:30'];
const quarters = ['02-01T10:45', '02-01T11:00', '02-01T11:15'];
const amounts: [line: string, closes: string[]][] = [
  ['exams shift --exam 1 --by 7d', weeks],
  ['exams shift --from now --by 7d', weeks],
  ['exams delay --exam 1 --by 15m', quarters],
  ['exams delay --name exam* --by 15m', quarters],
  ['sessions extend --exam 1 --by 15m', quarters],
  ['sessions extend 7 --by 15m', quarters],
];

describe.each(amounts)('%s', (line, [once, twice, thrice]) => {
  test('by a job that is run again is done once within the hour, and once more with --again.', async () => {
    const service = office();
    await expectDone(service, line);
    for (const passed of [0, 59]) {
      await service.clock.pass(passed * minute);
      await expectRefused(service, line, '--again');
      await expectRefused(service, `${line} --dry-run`, '--again');
      expect(closes(service)).toBe(once);
    }
    await service.clock.pass(2 * minute);
    await expectDone(service, line);
    expect(closes(service)).toBe(twice);
    await expectDone(service, `${line} --again`);
    expect(closes(service)).toBe(thrice);
  });

  test('is asked about on a terminal.', async () => {
    const service = office();
    await expectDone(service, line);
    const writes = service.writes().length;
    const no = await service.run(line, { tty: true, answers: [false] });
    expect([no.code === 0, service.writes().length - writes, no.questions[0]]).toEqual([
      false,
      0,
      expect.stringMatching(/ has done the same at .* Once more: /),
    ]);
    expect((await service.run(line, { tty: true, answers: [true, true] })).code).toBe(0);
    expect(closes(service)).toBe(twice);
  });

  test('in CI with a record that is new is done with --again only.', async () => {
    const service = office();
    const ci = { home: ungatedFolder(), env: { CI: 'true' } };
    await expectRefused(service, line, '--again', ci);
    await expectDone(service, `${line} --again`, ci);
    expect(closes(service)).toBe(once);
    await expectDone(service, 'sessions extend 8 --by 1h', ci);
  });
});

const delay = 'exams delay --exam 2 --by 15m';

test.each<[what: string, ends: string, meanwhile: (service: Service) => unknown]>([
  ['that was undone', '02-01T10:15', async (service) => expectDone(service, `runs undo ${await latest(service)}`)],
  ['that a colleague has changed since', '02-01T11:15', (service) => service.change('exam', 2, { end_time: '2127-02-01T11:00:00Z' })],
  ['of which another amount is set', '02-01T10:25', (service) => expectDone(service, 'exams delay --exam 2 --by 10m')],
])('An amount %s is no repetition.', async (what, end, meanwhile) => {
  const service = office();
  await expectDone(service, delay);
  await meanwhile(service);
  if (!what.startsWith('of which')) await expectDone(service, delay);
  expect(short(service.exams[1]?.end_time)).toBe(end);
});

test('An amount that later commands have moved on is repeated all the same, until it is undone.', async () => {
  const service = office();
  const extend = 'sessions extend 7 --by 15m';
  await expectDone(service, extend);
  const undoExtension = `runs undo ${await latest(service)}`;
  await service.clock.pass(minute);
  await expectDone(service, 'exams shift --exam 1 --by 1h');
  const undoShift = `runs undo ${await latest(service)}`;
  await service.clock.pass(minute);
  await expectDone(service, 'exams delay --exam 1 --by 5m');
  const undoDelay = `runs undo ${await latest(service)}`;
  await expectRefused(service, extend, '--again');
  for (const undo of [undoDelay, undoShift, undoExtension]) await expectDone(service, undo);
  await expectDone(service, extend);
  expect(closes(service)).toBe('02-01T10:45');
});

/** Of selections with the half that is done, each is refused. */
const selections = ['--exam 2 --exam 3 --by 7d', '--from now --by 7d', '--exam 1 --exam 2 --by 7d', '--exam 2 --by 1w'];
const shifts = selections.map((each) => `exams shift ${each}`);
const ofExam1 = [
  ...['exams shift --exam 1 --by 1d', 'exams delay --exam 1 --by 15m', 'exams update 1 --end 2127-02-08T11:00Z'],
  // These compute from the length of the exam, which is another one as long as only its end has moved.
  ...[apply, 'sessions extend 7 --by 25%', 'exams clone 1 --start 2127-03-01T08:00Z'],
  // This one by how far the window is from the start, which has not moved yet.
  'sessions move 7 --exam 2',
];

test.each<[sent: string, line: string, others: readonly string[], ends: string]>([
  ['PATCH /exams/3', 'exams shift --exam 2 --exam 3 --by 7d', shifts, '02-01T10:00 02-08T10:00 02-08T10:00'],
  ['PATCH /exams/3', 'exams shift --from now --by 7d', shifts, '02-08T10:00 02-08T10:00 02-08T10:00'],
  ['PATCH /student_sessions/7', 'exams shift --exam 1 --by 7d', ofExam1, '02-08T10:00 02-01T10:00 02-01T10:00'],
  ['PATCH /student_sessions/8', 'sessions extend 7 8 --by 15m', ['sessions extend 7 --by 15m'], '02-01T10:00 02-01T10:00 02-01T10:00'],
])('Where %s is refused, what %s did stands: what would move it again names the run, which goes on.', async (sent, line, others, end) => {
  const service = office();
  let refuses = true;
  service.fault = (request) => (refuses && request.line === sent ? refused(422) : undefined);
  const half = await service.run(`${line} --yes`);
  const run = await latest(service);
  expect([half.code, half.stderr]).toEqual([9, expect.stringContaining(`runs resume ${run}`)]);
  await service.clock.pass(minute);
  for (const other of [line, ...others].flatMap((each) => [each, `${each} --dry-run`]))
    await expectRefused(service, other, `runs resume ${run}`);
  refuses = false;
  await expectDone(service, `runs resume ${run}`);
  expect(ends(service)).toBe(end);
});

/** Each ends in two steps at least: of an exam, and of the window of its student. */
const changes: [line: string, ends: string, closes: string][] = [
  ['exams shift --from now --by 7d', '02-08T10:00 02-08T10:00 02-08T10:00', '02-08T10:30'],
  ['exams delay --exam 1 --by 15m', '02-01T10:15 02-01T10:00 02-01T10:00', '02-01T10:45'],
  ['exams update 1 --end 2127-02-01T10:20Z', '02-01T10:20 02-01T10:00 02-01T10:00', '02-01T10:50'],
  ['exams update 1 --end 2127-02-01T09:40Z', '02-01T09:40 02-01T10:00 02-01T10:00', '02-01T10:10'],
];
const others = [
  ...changes.map(([line]) => line),
  ...['exams shift --exam 1 --by 1d', 'exams update 1 --start 2127-02-01T07:00Z', 'sessions extend 7 --by 15m', apply],
  'sessions update 7 --close-time 2127-02-01T11:00Z',
];

describe.each(changes)('%s, killed after its first write', (line, end, close) => {
  test.each([1, 61])('is finished by runs resume after %i minutes; other commands there are refused.', async (minutes) => {
    const service = office();
    const home = await killed(service, `${line} --yes`);
    expect([service.writes().length, closes(service)]).not.toEqual([2, close]);
    await service.clock.pass(minutes * minute);
    const run = await openRun(service, home);
    // An amount is not finished by its command an hour later; else, the same command does the rest.
    const isSame = (other: string) => other === line && !(line.includes('--by') && minutes > 60);
    for (const other of others) if (!isSame(other)) await expectRefused(service, other, `runs resume ${run}`, { home });
    await expectDone(service, `runs resume ${run}`, { home });
    expect([ends(service), closes(service)]).toEqual([end, close]);
  });
});

/** What two commands come to: the second begins when so many requests of the first have arrived, or after it. */
async function beside(one: string, two: string, n: number) {
  const service = office();
  let second: Promise<Run> | undefined;
  service.onArrival = () => {
    if (service.arrived.length === n) second ??= service.run(`${two} --yes -o json`);
  };
  const runs: Run[] = [await service.run(`${one} --yes -o json`)];
  runs.push(await (second ?? service.run(`${two} --yes -o json`)));
  return { ended: Object.fromEntries(runs.map(({ code, stdout }, at) => [[one, two][at], { code, stdout }])), ...holds(service) };
}

test.each([
  ['exams shift --exam 1 --by 7d', 'exams shift --exam 1 --by 1d', 0],
  ['exams shift --exam 1 --exam 2 --by 7d', 'exams shift --exam 1 --by 1w', 11],
  ['exams delay --exam 1 --by 15m', 'exams delay --from now --by 10m', 0],
  ['exams delay --exam 1 --by 15m', 'sessions extend 7 --by 15m', 0],
  ['sessions extend --exam 1 --by 25%', 'sessions extend --exam 1 --by 30m', 0],
  ['sessions extend --exam 1 --by 15m', 'sessions extend 7 --by 15m', 11],
  ['exams update 1 --end 2127-02-01T10:20Z', 'exams delay --exam 1 --by 15m', 0],
  ['sessions update 7 --close-time 2127-02-01T10:15Z', 'sessions extend 7 --by 15m', 0],
])('Two at once come to what they come to one after the other, and each says what it did: %s, %s', async (one, two, code) => {
  const inTurn = [await beside(one, two, 0), await beside(two, one, 0)];
  expect(inTurn[0]?.ended).toMatchObject({ [one]: { code: 0 }, [two]: { code } });
  for (const n of [1, 2, 4, 6, 8]) expect(inTurn, `at request ${n}`).toContainEqual(await beside(one, two, n));
});
