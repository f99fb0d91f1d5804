/**
 * A process that extends is killed at a point of its way. Whatever is done then, no session is extended twice: the run tells what
 * happened, the same command brings it to its end, and undo takes back what was done.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../../src/sandbox/index.ts';
import { environment, type Home, home, type Workshop, workshop } from '../../campaign/importer.ts';
import type { Injury } from '../../campaign/injury.ts';
import { run, temporaryFolder } from '../../support/run.ts';

const count = 4;
const [ten, half] = ['2027-03-01T10:00:00Z', '2027-03-01T10:30:00Z'];

let shop: Workshop;
let sandbox: Sandbox;
beforeAll(async () => {
  shop = await workshop();
  sandbox = await startSandbox({ folder: temporaryFolder() });
});
afterAll(async () => {
  shop.remove();
  await sandbox.close();
});

type Recorded = { run: string; kind: string; state: string; done: number };
type Story = {
  own: Home;
  ids: string[];
  env: Record<string, string>;
  closeTimes(): Promise<string[]>;
  recorded(): Promise<Recorded | undefined>;
  /** Runs the command again, or undoes it; resolves to the status. */
  end(how: 'again' | 'undo'): Promise<number>;
};

async function ask<T>(method: string, path: string, body?: object): Promise<T> {
  const headers = { authorization: `apiServiceToken ${sandbox.token}`, 'content-type': 'application/json' };
  const answer = await fetch(sandbox.baseUrl + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  return (await answer.json()) as T;
}

/** An exam of its own with a few sessions, and a machine of its own. */
async function begun(): Promise<Story> {
  const own = home(shop, '');
  const env = { ...environment(shop, sandbox, own), PROCTOR_TOKEN: sandbox.token } as Record<string, string>;
  const exam = await ask<{ id: number }>('POST', '/exams', { start_time: '2127-02-01T08:00:00Z', end_time: '2127-02-01T10:00:00Z' });
  const sessions = `/exams/${exam.id}/student_sessions`;
  const ids: string[] = [];
  for (let at = 0; at < count; at++) ids.push(String((await ask<{ id: number }>('POST', sessions, { close_time: ten })).id));
  const recorded = async () =>
    (JSON.parse((await run(['runs', 'list', '-o', 'json'], { env })).stdout) as Recorded[]).find(({ kind }) => kind === 'sessions extend');
  return {
    own,
    ids,
    env,
    recorded,
    closeTimes: async () => (await ask<{ close_time: string }[]>('GET', sessions)).map(({ close_time }) => close_time),
    async end(how) {
      const again = ['sessions', 'extend', ...ids, '--by', '30m', '--yes'];
      return (await run(how === 'again' ? again : ['runs', 'undo', (await recorded())?.run ?? '', '--yes'], { env })).code;
    },
  };
}

/** Extends all sessions by half an hour in a process that comes to harm, or is signalled at its first PATCH. */
async function extendsAll({ ids, env }: Story, injury?: Injury, signalled?: NodeJS.Signals) {
  const line = [shop.file, 'sessions', 'extend', ...ids, '--by', '30m', ...(signalled ? ['--debug'] : ['-o', 'json'])];
  const child = spawn(process.execPath, line, {
    env: { ...env, ...(injury ? { INJURY: JSON.stringify(injury) } : {}) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stdout.resume();
  child.stderr.on('data', (text) => {
    const first = !stderr.includes('> PATCH');
    stderr += text;
    if (signalled && first && stderr.includes('> PATCH')) child.kill(signalled);
  });
  const [code, signal] = await once(child, 'close');
  return { code, signal, stderr };
}

// Requests 1 to 4 read the sessions, and 5 their exam; then each is changed.
const kills = (['headers', 'sent', 'answer', 'answered'] as const).flatMap((point) => [6, 7, 9].map((at) => ({ point, at })));

describe.concurrent('A process that is killed', () => {
  test.each(kills)('at $point $at leaves a run that is open, and no session is extended twice', async ({ point, at }) => {
    const story = await begun();
    expect(await extendsAll(story, { point, at, when: 'after', how: 'killed' })).toMatchObject({ signal: 'SIGKILL' });
    const reached = (await story.closeTimes()).filter((time) => time === half).length;
    const left = await story.recorded();
    expect(left).toMatchObject({ state: 'open' });
    expect(left?.done).toBeLessThanOrEqual(reached);
    const undo = at % 2 === 0;
    const status = await story.end(undo ? 'undo' : 'again');
    // A request that was killed on its way is first shown not to have been carried out.
    if (status === 9) expect(await story.end('again')).toBe(0);
    else expect(status).toBe(0);
    expect(new Set(await story.closeTimes())).toEqual(new Set([undo ? ten : half]));
    expect((await story.recorded())?.state).toBe('finished');
  });
});

test('Ctrl-C finishes the session in flight, and says how to resume', async () => {
  const story = await begun();
  const { code, stderr } = await extendsAll(story, undefined, 'SIGINT');
  expect(code).toBe(130);
  expect(stderr).toMatch(/\nhint: .*Run the same command again to resume, or: proctor-cli .*runs resume/);
  const left = await story.recorded();
  expect(left?.state).toBe('open');
  expect((await story.closeTimes()).filter((time) => time === half)).toHaveLength(left?.done ?? 0);
  expect(await story.end('again')).toBe(0);
  expect(await story.closeTimes()).toEqual(Array(count).fill(half));
});
