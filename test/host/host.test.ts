/** Our requests to the real host: programs that are run for people, and what others may see of the environment. */
import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { whoRuns } from '../../src/config/record-options.ts';
import { printedBy } from '../../src/host/inputs.ts';
import { realHost } from '../../src/host/process.ts';
import { temporaryFolder } from '../support/run.ts';

const forever = new AbortController().signal;
const printed = (script: string, milliseconds: number, signal = forever) => printedBy('sh', ['-c', script], { milliseconds }, signal);

test('a program that is run gets no token, and proxies without user and password', async () => {
  const given = {
    ...{ PROCTOR_TOKEN: 'planted', PROCTOR_TOKEN_FILE: 'planted', PROCTOR_PROFILE: 'test', NO_PROXY: 'x@y' },
    ...{ HTTPS_PROXY: 'http://ann:pa@ss@proxy.example.org:8080', http_proxy: 'ann:planted@proxy.example.org' },
  };
  for (const [name, value] of Object.entries(given)) vi.stubEnv(name, value);
  const environment = await realHost().execute(process.execPath, ['-p', 'JSON.stringify(process.env)'], { milliseconds: 20_000 });
  vi.unstubAllEnvs();
  expect(environment).not.toContain('planted');
  expect(JSON.parse(environment)).toMatchObject({
    ...{ PROCTOR_PROFILE: 'test', HTTPS_PROXY: 'http://proxy.example.org:8080', http_proxy: 'proxy.example.org' },
  });
});

test.skipIf(process.platform === 'win32')('a program that ignores what asks it to end ends at its deadline, and at a signal', async () => {
  const deaf = "trap '' TERM INT; while :; do sleep 0.05; done";
  await expect(printed(deaf, 100)).rejects.toMatchObject({ name: 'HostFailure', message: 'took longer than 0.1 s' });
  const stop = new AbortController();
  const running = printed(deaf, 60_000, stop.signal);
  stop.abort(new Error('interrupted'));
  await expect(running).rejects.toThrow('interrupted');
});

test.skipIf(process.platform === 'win32')('what a program has started ends with it at a signal', async () => {
  const pidFile = join(temporaryFolder(), 'pid');
  const stop = new AbortController();
  const running = printed(`sleep 600 & echo $! > ${pidFile}; wait`, 60_000, stop.signal);
  await vi.waitFor(() => expect(readFileSync(pidFile, 'utf8')).toMatch(/\d\n/), { timeout: 20_000 });
  stop.abort(new Error('interrupted'));
  await expect(running).rejects.toThrow('interrupted');
  const isAlive = () => existsSync(`/proc/${readFileSync(pidFile, 'utf8').trim()}/cwd`);
  await vi.waitFor(() => expect(isAlive()).toBe(false), { timeout: 20_000 });
});

test('Ctrl-Break of Windows stops like Ctrl-C', () => {
  const { interrupted } = realHost();
  process.emit('SIGBREAK');
  expect(interrupted.reason).toMatchObject({ code: 'interrupted', message: 'Stopped by Ctrl-Break.' });
});

test('a program is not started after a signal', async () => {
  const mark = join(temporaryFolder(), 'mark');
  const starting = async () => printed(`touch ${mark}`, 1000, AbortSignal.abort(new Error('interrupted')));
  await expect(starting()).rejects.toThrow('interrupted');
  expect(existsSync(mark)).toBe(false);
});

test('a diagnostic report of Node holds no environment', () => {
  realHost();
  expect(JSON.stringify(process.report.getReport())).not.toContain('environmentVariables');
});

const github = { GITHUB_SERVER_URL: 'https://git.example', GITHUB_REPOSITORY: 'office/exams', GITHUB_RUN_ID: '7' };
test.each([
  [{ CI_JOB_URL: 'https://git.example/jobs/7', USER: 'ada' }, 'https://git.example/jobs/7'],
  [{ ...github, USER: 'ada' }, 'https://git.example/office/exams/actions/runs/7'],
  [{ ...github, GITHUB_RUN_ID: '', USER: 'ada' }, 'ada@office-1'],
  [{ LOGNAME: 'ada' }, 'ada@office-1'],
  [{ USERNAME: 'ada' }, 'ada@office-1'],
  [{}, `${userInfo().username}@office-1`],
])('who runs a command is its CI job, or the system user at the machine: %j', (env, who) => {
  expect(whoRuns({ env, machine: 'office-1' })).toBe(who);
});
