/** Several processes at once, and processes that are stopped. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { embedded, seededExams, silent } from '../commands/embedded.ts';
import { temporaryFolder } from '../support/run.ts';
import { type Ended, ended, internals, launch, program } from './program.ts';

type Data = Record<string, unknown>;

const rows = async (line: string, home: string): Promise<Data[]> =>
  JSON.parse((await program(`--profile sandbox ${line} -o json`, { home })).stdout);
/** Those that had to wait for another one say so. */
const failures = (runs: Ended[]) =>
  runs.filter(({ code, stderr }) => code !== 0 || stderr.replace(/^Another run works on .+\n/gm, '') !== '');

test('8 commands at once on a new sandbox lose nothing', async () => {
  const home = temporaryFolder();
  const addresses = Array.from({ length: 8 }, (_, index) => `student${String(index).padStart(2, '0')}@example.org`);
  const runs = await Promise.all(
    addresses.map((email) => program(`--profile sandbox sessions create --exam 6 --email ${email}`, { home })),
  );
  expect(failures(runs)).toEqual([]);
  const stored = (await rows('sessions list --exam 6', home)).map(({ email }) => String(email));
  expect(stored.filter((email) => email.startsWith('student')).sort()).toEqual(addresses);
});

test.each([
  ['sessions update 37 --name Petra', 'PATCH'],
  ['sessions create --exam 6 --email ada@example.org', 'POST'],
])('one process at a time is at the same command: %s', async (line, method) => {
  const home = temporaryFolder();
  const sent = Promise.withResolvers<void>();
  const { env } = await embedded().under(silent(() => sent.resolve(), method));
  const first = launch(line.split(' '), { home, env });
  const end = ended(first);
  await sent.promise;
  const { code, stdout, stderr } = await program(line, { home, env });
  first.kill('SIGKILL');
  await end;
  expect([code, stdout]).toEqual([8, '']);
  // It is not said to be stopped, or resumed.
  expect(stderr).toMatch(/^error: This command is running already: .+\nhint: Nothing was sent\. .+\n$/);
});

/** The embedded service in a process of its own; `ends` sends the signal. */
async function serving(words: readonly string[] = [], home = temporaryFolder()) {
  const child = launch(['sandbox', 'serve', '-o', 'json', ...words], { home });
  let said = '';
  child.stderr.on('data', (text) => {
    said += text;
  });
  const end = ended(child);
  const [first] = await once(child.stdout, 'data');
  const { base_url, token } = JSON.parse(String(first)) as { base_url: string; token: string };
  const headers = { authorization: `apiServiceToken ${token}` };
  return {
    env: { PROCTOR_BASE_URL: base_url, PROCTOR_TOKEN: token },
    asks: (path: string, more: RequestInit = {}) => fetch(`${base_url}${path}`, { headers, ...more }),
    says: (text: string) => vi.waitFor(() => expect(said).toContain(text), 10_000),
    ends(signal: NodeJS.Signals = 'SIGINT') {
      child.kill(signal);
      return end;
    },
  };
}

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('sandbox serve serves until %s, and ends with 0', async (signal) => {
  const { env, asks, ends } = await serving();
  expect([(await asks('/exams')).status, (await asks('/exams', { headers: {} })).status]).toEqual([200, 401]);
  expect((await program('exams list -o id', { home: temporaryFolder(), env })).stdout).toBe(`${seededExams.join('\n')}\n`);
  const { code, stderr } = await ends(signal);
  expect(code).toBe(0);
  expect(stderr).not.toMatch(internals);
  await expect(asks('/exams')).rejects.toThrow();
});

test('sandbox serve follows the dialect of the current profile, and says that a seed makes no new data where data are kept', async () => {
  const home = temporaryFolder();
  await program('config set dialect.idKey uuid', { home });
  const first = await serving(['--seed', '7'], home);
  const exam = (await (await first.asks('/exams/1')).json()) as Data;
  expect([exam.uuid, exam.id]).toEqual([1, undefined]);
  const toldTo = async ({ ends }: typeof first) => (await ends()).stderr.includes('To replace it: proctor-cli sandbox reset --seed 7');
  expect([await toldTo(first), await toldTo(await serving(['--seed', '7'], home))]).toEqual([false, true]);
});

test('sandbox serve tells each request that meets a fault as it happens, and ends at once while an answer is late', async () => {
  const { asks, says, ends } = await serving(['--fault', '409=1,POST', '--fault', 'late=1,GET']);
  expect((await asks('/exams', { method: 'POST', body: '{}' })).status).toBe(409);
  await says('#1 POST /exams: not carried out, 409\n');
  const asked = asks('/exams').catch(() => 'cut off');
  await says('#2 GET');
  expect((await ends()).code).toBe(0);
  expect(await asked).toBe('cut off');
});

test.each([
  [
    'an import whose request has no answer, and says what is unknown',
    1,
    /line 2, ada@example\.org: unknown: .+\nerror: .+ Stopped by Ctrl-C\.\nhint: Run the same command again/,
  ],
  ['at the second time at once', 2, /^(?!.*Stopped by)/s],
])('Ctrl-C ends %s', async (_, times, says) => {
  const posted = Promise.withResolvers<void>();
  const { env } = await embedded().under(silent(() => posted.resolve(), 'POST'));
  const home = temporaryFolder();
  writeFileSync(join(home, 'roster.csv'), 'email\nada@example.org\n');
  const child = launch(['sessions', 'import', join(home, 'roster.csv'), '--exam', '6', '--yes'], { home, env });
  const end = ended(child);
  await posted.promise;
  child.kill('SIGINT');
  // The second one counts once the first is heard.
  if (times === 2) await pause(100);
  if (times === 2) child.kill('SIGINT');
  const { code, stderr } = await end;
  expect([code, stderr]).toEqual([130, expect.stringMatching(says)]);
});
