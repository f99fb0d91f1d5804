/** What is said is so, and leads on: while it waits, when it ends, and afterwards, in `runs show`. */
import { renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { counted, errorOf, exam, three } from '../features/students/importing.ts';
import { killed, newExam } from '../runs/small-office.ts';
import { ada, algebra, bob, serviceWithExam } from '../support/algebra.ts';
import { temporaryFolder } from '../support/run.ts';
import { lostBefore, refused, type Service } from '../support/service.ts';
import { done, latest, mailsOf } from '../support/story.ts';
import type { Fields } from '../support/truth.ts';

afterEach(() => vi.useRealTimers());

/** The lines of stderr: objects; a line that is none is under `plain`. */
const linesOf = (stderr: string) =>
  stderr
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line): Fields => (line.startsWith('{') ? JSON.parse(line) : { plain: line }));
/** What a command prints to be pasted, up to the end of its sentence. */
const printed = (text: string, beginning: string) =>
  new RegExp(`proctor-cli (${beginning}[^;\\n]*?)\\.?(?=[;\\n"]|$)`).exec(text)?.[1] ?? '';
const shownRun = async (service: Service, home = service.home) =>
  JSON.parse((await service.run(`runs show ${await latest(service, { home })} -o json`, { home })).stdout) as Fields & {
    counts: Record<string, number>;
    steps: { result: string }[];
  };

test('story 26: A result that is not shown for long is waited for with a line of JSON on stderr, which names its ID, and how long at most.', async () => {
  const create = 'sessions create --exam 1 --email eve@example.org -o json';
  const atOnce = await serviceWithExam().run(create);
  expect([atOnce.code, linesOf(atOnce.stderr)]).toEqual([0, []]);
  for (const [showing, status] of [
    [{ lag: 20_000 }, 0],
    [{ unseen: new Set([101]) }, 10],
  ] as const) {
    const { code, stderr } = await serviceWithExam({ showing: { dated: false, ...showing } }).run(create);
    expect(code, stderr).toBe(status);
    const lines = linesOf(stderr);
    expect([...new Set(lines.map((line) => Object.keys(line).join()))]).toEqual(status === 0 ? ['waiting'] : ['waiting', 'error']);
    expect(JSON.stringify(lines[0]).match(/\d+/g)).toEqual(expect.arrayContaining(['101', expect.stringMatching(/^[1-6]\d/)]));
  }
});

test.each([1, 2])('story 27: Where the mails of exam %i are refused, the printed command mails it, and nobody twice.', async (which) => {
  const service = serviceWithExam({ exams: [algebra, { ...algebra, id: 2, name: 'Geometry' }], sessions: [ada, { ...bob, exam_id: 2 }] });
  service.next(`POST /exams/${which}/send_emails`, refused(429));
  const { code, stderr } = await service.run('exams send-emails 1 2 --yes');
  expect([code, mailsOf(service), service.writes().length], stderr).toEqual([9, [3 - which], 2]);
  expect(stderr).not.toMatch(/--resend|runs resume/);
  const again = await service.run(`${printed(stderr, 'exams send-emails')} --yes`);
  expect([again.code, mailsOf(service), service.writes().length], stderr + again.stderr).toEqual([0, [3 - which, which], 3]);
});

test('story 27: Of mails that were killed after the first exam, `runs resume` prints the command that mails the others.', async () => {
  const service = serviceWithExam({ exams: [algebra, { ...algebra, id: 2, name: 'Geometry' }], sessions: [ada, { ...bob, exam_id: 2 }] });
  const home = await killed(service, 'exams send-emails 1 2 --yes');
  const { stderr } = await done(service, `runs resume ${await latest(service, { home })} --yes`, 9, { home });
  await done(service, `${printed(stderr, 'exams send-emails')} --yes`, 0, { home });
  expect(service.writes()).toEqual(['POST /exams/1/send_emails', 'POST /exams/2/send_emails']);
});

test.each([
  ['a move into such an exam', 'sessions move 7 --exam 2 --yes', 0],
  ['an exam that was left out', 'exams send-emails 1 2 3 --unless-mailed --yes', 9],
  ['a refusal of a second mail', 'exams send-emails 1 2 --resend --yes', 9],
] as const)('story 27: Where students were mailed before, the command that is printed mails them: after %s.', async (_, line, status) => {
  const [mailed, cy] = [
    [ada, { ...bob, exam_id: 2 }].map((student) => ({ ...student, status: 'mail_sent' })),
    { ...bob, id: 9, email: 'cy@example.org', exam_id: 2 },
  ];
  const service = serviceWithExam({
    exams: [1, 2, 3].map((id) => ({ ...algebra, id, name: `Algebra ${id}` })),
    sessions: [...mailed, cy, { ...bob, id: 10, email: 'di@example.org', exam_id: 3 }],
  });
  if (line.includes('--resend')) service.next('POST /exams/2/send_emails', refused(429));
  const { code, stderr } = await service.run(line);
  expect([code, mailsOf(service).includes(2)], stderr).toEqual([status, false]);
  const again = await service.run(`${printed(stderr, 'exams send-emails')} --yes`);
  expect([again.code, mailsOf(service).filter((id) => id === 2)], stderr + again.stderr).toEqual([0, [2]]);
});

test('story 27: Beside mails of unknown outcome, the first command that is printed mails the exam that was refused, and nobody twice.', async () => {
  const exams = [1, 2, 3].map((id) => ({ ...algebra, id, name: `Exam ${id}` }));
  const service = serviceWithExam({ exams, sessions: exams.map(({ id }) => ({ ...ada, id: 10 + id, exam_id: id })) });
  service.next('POST /exams/2/send_emails', refused(429));
  service.next('POST /exams/3/send_emails', lostBefore);
  const { code, stderr } = await service.run('exams send-emails 1 2 3 --yes');
  expect([code, mailsOf(service)], stderr).toEqual([10, [1]]);
  expect(stderr).toMatch(/exams send-emails 2; .*exams send-emails 3 --resend$/m);
  expect((await service.run(`${printed(stderr, 'exams send-emails')} --yes`)).code).toBe(0);
  expect(mailsOf(service)).toEqual([1, 2]);
});

const creating = [newExam, 'exams clone 1 --start 2127-05-01T08:00:00Z --yes'];
test.each(creating)(
  'story 28: Two at once that share no record: the commands that they print leave the exam there once: %s',
  async (line) => {
    const service = serviceWithExam();
    const { promise: bothWrite, resolve } = Promise.withResolvers<void>();
    let creates = 0;
    service.onArrival = async ({ method }) => {
      if (method === 'POST') creates += 1;
      if (creates === 2) resolve();
      if (method === 'POST') await bothWrite;
    };
    const homes = [temporaryFolder(), temporaryFolder()];
    const both = await Promise.all(homes.map((home) => service.run(line, { home })));
    expect([service.exams.length, both.map(({ code }) => code)]).toEqual([3, expect.arrayContaining([9])]);
    for (const [at, { code, stderr }] of both.entries()) {
      const home = homes[at] ?? '';
      if (code === 9) await service.run(`${printed(stderr, 'runs undo')} --yes`, { home });
    }
    expect(service.exams).toHaveLength(2);
  },
);

test('story 28: Two imports at once that share no record: the commands that they print leave each student there once.', async () => {
  const service = serviceWithExam();
  const homes = [temporaryFolder(), temporaryFolder()];
  // Both have read the list before either of them writes.
  const { promise: bothWrite, resolve } = Promise.withResolvers<void>();
  let firstLines = 0;
  service.onArrival = async ({ method, body }) => {
    if (method !== 'POST') return;
    if (body.email === 'ann@example.org') firstLines += 1;
    if (firstLines === 2) resolve();
    await bothWrite;
  };
  const imports = (home: string) =>
    service.run('sessions import - --exam 1 --yes', { home, stdin: 'email\nann@example.org\nbob@example.org\n' });
  const both = await Promise.all(homes.map(imports));
  expect(service.sessions).toHaveLength(4);
  expect(both.map(({ code }) => code)).toContain(9);
  for (const [at, { stderr }] of both.entries()) {
    const undo = printed(stderr, 'runs undo');
    if (both[at]?.code === 9) expect(undo, stderr).not.toBe('');
    if (undo) await service.run(`${undo} --yes`, { home: homes[at] ?? '' });
  }
  expect(service.sessions.map(({ email }) => email).toSorted()).toEqual(['ann@example.org', 'bob@example.org']);
});

test('story 29: A delay that reset restrictions is not done by `runs show`, and the command that is printed sets them back.', async () => {
  const plain = serviceWithExam();
  expect((await plain.run('exams delay 1 --by 15m --yes')).code).toBe(0);
  expect(await shownRun(plain)).toMatchObject({ state: 'finished', counts: { done: 1 } });

  const service = serviceWithExam();
  const restrictions = { allow_headphones: false, allow_whiteboard: true, allow_leave_room: true, allow_pen_paper: true };
  service.onAnswer = ({ line, body }) => {
    const isReset = line === 'PATCH /exams/1' && !('allow_whiteboard' in body);
    if (isReset) service.change('exam', 1, { allow_whiteboard: false, allow_leave_room: false, allow_pen_paper: false });
  };
  const { stderr } = await done(service, 'exams delay 1 --by 15m --yes', 9);
  const { state, steps, counts } = await shownRun(service);
  expect([state, counts.done ?? 0, steps.map(({ result }) => result)]).toEqual(['partial', 0, [expect.not.stringMatching(/^done$/)]]);
  expect((await service.run(printed(stderr, 'exams update'))).code).toBe(0);
  expect(service.exams[0]).toMatchObject({ ...restrictions, end_time: '2127-02-01T10:15:00Z' });
});

test('story 29: What somebody has set between a rejected delay and its `runs resume` is no reset.', async () => {
  const service = serviceWithExam();
  service.next('PATCH /exams/1', refused(422));
  expect((await service.run('exams delay 1 --by 15m --yes')).code).toBe(7);
  const { run } = await shownRun(service);
  expect((await service.run('exams update 1 --allow-headphones')).code).toBe(0);
  await done(service, `runs resume ${run} --yes`);
  expect(service.exams[0]).toMatchObject({ allow_headphones: true, end_time: '2127-02-01T10:15:00Z' });
});

test('story 29: A restriction that was reset by an update of `api` is no success either.', async () => {
  const line = 'api PATCH /exams/1 -f end_time=2127-02-01T10:15:00Z';
  expect((await serviceWithExam().run(line)).code).toBe(0);
  const service = serviceWithExam();
  service.onAnswer = ({ method }) => {
    if (method === 'PATCH') service.change('exam', 1, { allow_whiteboard: false });
  };
  const { stderr } = await done(service, line, 9);
  service.onAnswer = () => {};
  expect((await service.run(printed(stderr, 'exams update'))).code).toBe(0);
  expect(service.exams[0]).toMatchObject({ allow_whiteboard: true, end_time: '2127-02-01T10:15:00Z' });
});

test('story 30: Who was created without the open time of the file is incomplete; who was not sent is not.', async () => {
  const roster = 'email,open_time\nann@example.org,2127-02-01T08:30:00Z\nbob@example.org,2127-02-01T08:30:00Z\n';
  for (const status of [403, 422]) {
    const { service, imports } = exam();
    service.fault = ({ method }) => (method === 'PATCH' ? refused(status) : undefined);
    const first = await imports(roster);
    expect([first.code, service.sessions.length, counted(first)], first.stderr).toEqual([9, 2, { incomplete: 2 }]);
    expect(errorOf(first.stderr).message).toMatch(/2 incomplete/);
    service.fault = () => undefined;
    const again = await imports(roster);
    expect([again.code, service.sessions.map(({ open_time }) => open_time)]).toEqual([0, Array(2).fill('2127-02-01T08:30:00Z')]);
  }
  const { service, imports } = exam();
  service.always('POST', refused(403));
  expect(counted(await imports(roster))).toEqual({ not_sent: 2 });
});

test('story 31: `runs show` of an import that was killed counts its steps as it shows them.', async () => {
  const service = serviceWithExam();
  const home = await killed(service, 'sessions import - --exam 1 --yes', { stdin: three });
  const { counts, steps } = await shownRun(service, home);
  expect(steps).toHaveLength(3);
  const results = [...Map.groupBy(steps, ({ result }) => result)].map(([result, of]) => [result, of.length]);
  expect(counts).toEqual(Object.fromEntries(results));
});

const invalid = 'email,close_time\nann@example.org,\nbob@example.org,nonsense\n';

test('story 32: A check of a file with an invalid line prints a command that checks, an import one that imports.', async () => {
  for (const [option, code, students] of [
    ['--check', 11, 0],
    ['', 9, 1],
  ] as const) {
    const { service, imports } = exam();
    const first = await imports(invalid, option);
    expect([first.code, service.writes()]).toEqual([3, []]);
    const again = await service.run(printed(String(errorOf(first.stderr).hint), 'sessions import').split(' '));
    expect([again.code, service.sessions.length], again.stderr).toEqual([code, students]);
  }
});

test('story 33: The file of the rejected lines is named only where it was written.', async () => {
  const written = async (isExchanged: boolean) => {
    const { service, imports } = exam();
    const rejects = join(temporaryFolder(), 'rejects.csv');
    writeFileSync(rejects, 'email,reject_line,reject_reason\r\nzoe@example.org,2,older\r\n');
    service.onArrival = ({ method }) => {
      if (method !== 'POST' || !isExchanged) return;
      renameSync(rejects, `${rejects}.old`);
      symlinkSync(`${rejects}.old`, rejects);
    };
    const { code, stderr } = await imports(invalid, `--skip-invalid --rejects ${rejects}`);
    return { code, hint: String(errorOf(stderr).hint), file: `Correct the lines in ${rejects}` };
  };
  const [good, bad] = [await written(false), await written(true)];
  expect([good.code, good.hint]).toEqual([9, expect.stringContaining(good.file)]);
  expect([bad.code, bad.hint]).toEqual([9, expect.not.stringContaining(bad.file)]);
});

test('story 34: While a service refuses an update for good, JSON says why before the command ends; a line is tried ten times at most.', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  const { service, imports } = exam();
  const roster = 'email,open_time\nann@example.org,2127-02-01T08:30:00Z\nbob@example.org,2127-02-01T08:30:00Z\n';
  service.fault = ({ method }) => (method === 'PATCH' ? refused(429) : undefined);
  const first = await imports(roster, '', { onSleep: (milliseconds) => void vi.advanceTimersByTime(milliseconds) });
  const patches = Map.groupBy(
    service.written().filter(({ method }) => method === 'PATCH'),
    ({ path }) => path,
  );
  expect([first.code, service.sessions.length, Math.max(...[...patches.values()].map(({ length }) => length)) <= 10]).toEqual([9, 2, true]);
  const lines = linesOf(first.stderr);
  expect(
    lines.slice(0, -1).filter((line) => /429|too many requests/i.test(JSON.stringify(line))),
    first.stderr,
  ).not.toEqual([]);
  for (const line of lines) expect(['progress', 'waiting', 'warning', 'error'], first.stderr).toContain(Object.keys(line).join());
  service.fault = () => undefined;
  expect((await imports(roster)).code).toBe(0);
  expect(service.sessions.map(({ open_time }) => open_time)).toEqual(Array(2).fill('2127-02-01T08:30:00Z'));
});
