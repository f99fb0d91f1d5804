/** Several processes at once, and processes that are stopped. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { embedded, seededExams, silent } from '../commands/embedded.ts';
import { temporaryFolder } from '../support/run.ts';
import { ended, internals, launch, program } from './program.ts';

test('4 commands at once on a new sandbox lose nothing', async () => {
  const home = temporaryFolder();
  const addresses = Array.from({ length: 4 }, (_, index) => `student${index}@example.org`);
  const create = (email: string) => program(`--profile sandbox sessions create --exam 6 --email ${email}`, { home });
  // One that had to wait for another says so.
  for (const { code, stderr } of await Promise.all(addresses.map(create)))
    expect([code, stderr.replace(/^Another run works on .+\n/gm, '')]).toEqual([0, '']);
  const { stdout } = await program('--profile sandbox sessions list --exam 6 -o csv --columns email', { home });
  expect(stdout.match(/^student.*(?=\r$)/gm)?.sort()).toEqual(addresses);
});

/** The embedded service in a process of its own; `ends` sends the signal. */
async function serving(words: readonly string[] = [], home = temporaryFolder()) {
  const child = launch(['sandbox', 'serve', '-o', 'json', ...words], { home });
  let said = '';
  child.stderr.on('data', (text) => {
    said += text;
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const end = ended(child);
  const [first] = await once(child.stdout, 'data');
  const { base_url, token } = JSON.parse(String(first)) as { base_url: string; token: string };
  const headers = { authorization: `apiServiceToken ${token}` };
  return {
    env: { PROCTOR_BASE_URL: base_url, PROCTOR_TOKEN: token },
    asks: (path: string, more: RequestInit = {}) => fetch(`${base_url}${path}`, { headers, ...more }),
    says: (text: string) => vi.waitFor(() => expect(said).toContain(text), 300_000),
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

test('sandbox serve follows the dialect of the current profile', async () => {
  const home = temporaryFolder();
  await program('config set dialect.idKey uuid', { home });
  const { asks } = await serving([], home);
  expect(await (await asks('/exams/1')).json()).toMatchObject({ uuid: 1 });
});

test('sandbox serve tells each request that meets a fault as it happens, and ends at once while an answer is late', async () => {
  const { asks, says, ends } = await serving(['--fault', '409=1,POST', '--fault', 'late=1,GET']);
  expect((await asks('/exams', { method: 'POST', body: '{}' })).status).toBe(409);
  await says('#1 POST /exams: not carried out, 409');
  const asked = asks('/exams').catch(() => 'cut off');
  await says('#2 GET');
  expect((await ends()).code).toBe(0);
  expect(await asked).toBe('cut off');
});

test.each([
  ['an import once the answer to its request is there, and says what is done', 1, /error: .+ Stopped by Ctrl-C\.\nhint: Run the same/],
  ['at the second time at once', 2, /^(?!.*Stopped by)/s],
])('Ctrl-C ends %s', async (_, times, says) => {
  const [posted, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { env } = await embedded().under(silent(() => posted.resolve(), 'POST', answered.promise));
  const home = temporaryFolder();
  writeFileSync(join(home, 'roster.csv'), 'email\nada@example.org\nben@example.org\n');
  const child = launch(['sessions', 'import', join(home, 'roster.csv'), '--exam', '6', '--yes'], { home, env });
  const end = ended(child);
  await posted.promise;
  child.kill('SIGINT');
  // The second one counts once the first is heard.
  await pause(100);
  if (times === 2) child.kill('SIGINT');
  else answered.resolve();
  const { code, stderr } = await end;
  expect([code, stderr]).toEqual([130, expect.stringMatching(says)]);
});
