/**
 * A process that extends is killed at a point of its way, or its disk fails there. Whatever is done
 * then, no session is extended twice: the change tells what happened, resume brings it to its end, and
 * undo takes back what was done.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../../src/sandbox/index.ts';
import { environment, type Home, home, type Workshop, workshop } from '../../campaign/importer.ts';
import type { Injury, Point } from '../../campaign/injury.ts';
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

type Change = { change: string; state: string; done: number };
type Story = {
  own: Home;
  ids: string[];
  env: Record<string, string>;
  closeTimes(): Promise<string[]>;
  change(): Promise<Change | undefined>;
  /** Resumes the change, or undoes it; resolves to the status. */
  revise(verb: 'resume' | 'undo'): Promise<number>;
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
  const change = async () => (JSON.parse((await run(['changes', 'list', '-o', 'json'], { env })).stdout) as Change[])[0];
  return {
    own,
    ids,
    env,
    change,
    closeTimes: async () => (await ask<{ close_time: string }[]>('GET', sessions)).map(({ close_time }) => close_time),
    revise: async (verb) => (await run(['changes', verb, (await change())?.change ?? '', '--yes'], { env })).code,
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

// Requests 1 to 4 read the sessions; then each is read again and changed.
const points: [Point, number[]][] = [
  ['create', [1]],
  ['write', [2, 3, 4]],
  ['sync', [2, 3, 4]],
  ['headers', [6, 8]],
  ['answer', [6, 9]],
];
const kills = points.flatMap(([point, all]) =>
  all.map((at) => ({ point, at, when: at % 2 === 0 ? ('after' as const) : ('before' as const) })),
);

describe.concurrent('A process that is killed', () => {
  test.each(kills)('$when $point $at leaves a complete journal, and no session is extended twice', async ({ point, at, when }) => {
    const story = await begun();
    expect(await extendsAll(story, { point, at, when, how: 'killed' })).toMatchObject({ signal: 'SIGKILL' });
    const change = await story.change();
    const reached = (await story.closeTimes()).filter((time) => time === half).length;
    if (change === undefined || change.state === 'void') return expect(reached).toBe(0);
    expect(change.state).toBe('unfinished');
    expect(change.done).toBeLessThanOrEqual(reached);
    const once = ['sessions', 'extend', ...story.ids, '--by', '30m', '--yes', '-o', 'json'];
    if (reached > 0) expect((await run(once, { env: story.env })).code).toBe(3);
    const undo = at % 2 === 0;
    expect(await story.revise(undo ? 'undo' : 'resume')).toBe(0);
    expect(new Set(await story.closeTimes())).toEqual(new Set([undo ? ten : half]));
    expect(await story.change()).toMatchObject({ state: undo ? 'undone' : 'finished' });
  });

  test('within a write leaves a torn line, which costs nothing', async () => {
    const story = await begun();
    await extendsAll(story, { point: 'write', at: 4, when: 'within', how: 'killed', tail: 40 });
    expect(await story.revise('resume')).toBe(0);
    expect(await story.closeTimes()).toEqual(Array(count).fill(half));
  });

  test('by a power cut has lost nothing that was acted on', async () => {
    const story = await begun();
    await extendsAll(story, { point: 'answer', at: 8, when: 'after', how: 'power-cut' });
    expect(await story.closeTimes()).toContain(half);
    expect(await story.revise('undo')).toBe(0);
    expect(await story.closeTimes()).toEqual(Array(count).fill(ten));
  });
});

test('A disk that fails stops the change before its next request, and it can be resumed', async () => {
  const story = await begun();
  const { code, stderr } = await extendsAll(story, { point: 'sync', at: 4, how: 'fails', code: 'EIO' });
  expect(code).toBe(10);
  // What a terminal shows meanwhile, and what deletes it, stands before it or behind it.
  expect(JSON.parse(/\{"error".*\}/.exec(stderr)?.[0] ?? '').error).toMatchObject({
    message: expect.stringMatching(/^The journal \S+ cannot be written: .+ had already been sent\.$/),
    hint: expect.stringMatching(/check the change with: proctor-cli changes show \S+$/),
  });
  expect((await story.closeTimes()).filter((time) => time === half)).toHaveLength(1);
  expect(await story.revise('resume')).toBe(0);
  expect(await story.closeTimes()).toEqual(Array(count).fill(half));
});

test('Ctrl-C finishes the session in flight, and says how to resume', async () => {
  const story = await begun();
  const { code, stderr } = await extendsAll(story, undefined, 'SIGINT');
  expect(code).toBe(130);
  expect(stderr).toMatch(/not tried.*\nhint: Resume with: proctor-cli changes resume/);
  const change = await story.change();
  expect(change?.state).toBe('unfinished');
  expect((await story.closeTimes()).filter((time) => time === half)).toHaveLength(change?.done ?? 0);
});
