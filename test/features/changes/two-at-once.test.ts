/** Two changes of one service at the same time: the second is refused or leaves what the first has set; neither overwrites. */
import { expect, onTestFinished, test } from 'vitest';
import { examService } from '../../campaign/service.ts';
import { type Run, run, temporaryFolder, type World } from '../../support/run.ts';

const ten = '2027-03-01T10:00:00Z';

/** An exam of five whose window closes at ten, and a machine to extend it from. */
async function five() {
  const service = await examService();
  onTestFinished(() => service.close());
  for (let at = 1; at <= 5; at++) service.add({ email: `s${at}@example.org`, close_time: ten });
  const home = temporaryFolder();
  const env = { PROCTOR_BASE_URL: service.baseUrl, PROCTOR_TOKEN: 'a-token-of-the-tests' };
  return {
    service,
    run: (line: string, world: World = {}) => run(line.split(' '), { home, env, ...world }),
    closeTimes: () => service.students().map(({ close_time }) => close_time),
  };
}

test('The second extension is refused while the first runs, and its error names the first.', async () => {
  const { service, run, closeTimes } = await five();
  let second: Promise<Run> | undefined;
  service.fault = ({ method }) => {
    if (method === 'PATCH') second ??= run('sessions extend --exam 6 --by 1h --yes');
    return method === 'PATCH' ? { takes: 100 } : undefined;
  };
  const first = await run('sessions extend --exam 6 --by 30m --yes');
  expect(first.code).toBe(0);
  expect(await second).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(
      /Another proctor-cli \(process \d+ on test, since \d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)? [+-]\d\d:\d\d, sessions extend --by 30m\) holds the lock/,
    ),
  });
  expect(closeTimes()).toEqual(Array(5).fill('2027-03-01T10:30:00Z'));
});

test('A dry run is refused in the same words: it would show times that the first one is about to replace.', async () => {
  const { service, run } = await five();
  let dry: Promise<Run> | undefined;
  service.fault = ({ method }) => {
    if (method === 'PATCH') dry ??= run('sessions extend --exam 6 --by 1h --dry-run');
    return method === 'PATCH' ? { takes: 100 } : undefined;
  };
  expect((await run('sessions extend --exam 6 --by 30m --yes')).code).toBe(0);
  expect(await dry).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('sessions extend --by 30m) holds the lock') });
});

test('An undo is refused while an extension is at work.', async () => {
  const { service, run, closeTimes } = await five();
  await run('sessions extend --exam 6 --by 30m --yes');
  const [{ change }] = JSON.parse((await run('changes list -o json')).stdout);
  let undo: Promise<Run> | undefined;
  service.fault = ({ method }) => {
    if (method === 'PATCH') undo ??= run(`changes undo ${change} --yes`);
    return method === 'PATCH' ? { takes: 100 } : undefined;
  };
  expect((await run('sessions extend --exam 6 --by 15m --yes')).code).toBe(0);
  expect(await undo).toMatchObject({ code: 3, stderr: expect.stringContaining('sessions extend --by 15m) holds the lock') });
  expect(closeTimes()).toEqual(Array(5).fill('2027-03-01T10:45:00Z'));
});

test('An extension that was planned before another one was applied leaves what that one has set.', async () => {
  const { run, closeTimes } = await five();
  let first: Run | undefined;
  const during = async () => {
    first = await run('sessions extend --exam 6 --by 30m --yes');
    return true;
  };
  const second = await run('sessions extend --exam 6 --by 1h -o csv', { tty: true, answers: [during] });
  expect(first?.code).toBe(0);
  expect(second.code).toBe(7);
  expect(second.stdout.match(/skipped/g)).toHaveLength(5);
  expect(closeTimes()).toEqual(Array(5).fill('2027-03-01T10:30:00Z'));
});

test('An extension that was planned before another one was stopped half-way is refused.', async () => {
  const { service, run, closeTimes } = await five();
  const during = async () => {
    service.fault = ({ method, count }) => (method === 'PATCH' && count === 2 ? { answer: { status: 401 } } : undefined);
    expect((await run('sessions extend --exam 6 --by 30m --yes')).code).toBe(4);
    return true;
  };
  const second = await run('sessions extend --exam 6 --by 1h', { tty: true, answers: [during] });
  expect(second).toMatchObject({ code: 3, stderr: expect.stringMatching(/Change \S+ \(extend by 30m\) is unfinished/) });
  expect(closeTimes().filter((time) => time !== ten)).toHaveLength(1);
});
