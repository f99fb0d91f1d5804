/** The terminal goes away while an import runs in it: a real one, lent by util-linux's `script`. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { environment, home, rosterOf, startImport, type Workshop, workshop } from '../../../campaign/importer.ts';
import { examService } from '../../../campaign/service.ts';
import { watchIntents } from './promises.ts';

const withoutTerminal = process.platform !== 'linux' || spawnSync('script', ['--version']).error !== undefined;

let shop: Workshop;
beforeAll(async () => {
  shop = await workshop();
});
afterAll(() => shop.remove());

test.skipIf(withoutTerminal)('Requests in flight are finished and recorded, and the same command resumes the run.', async () => {
  const service = await examService();
  service.fault = ({ method }) => (method === 'POST' ? { takes: 200 } : undefined);
  const own = home(shop, rosterOf(40, true));
  const broken = watchIntents(service, own);
  const line = `echo pid $$; exec '${process.execPath}' '${shop.file}' sessions import '${own.roster}' --exam 6 --yes --concurrency 4`;
  const terminal = spawn('script', ['-qefc', line, '/dev/null'], { env: environment(shop, service, own) });
  let shown = '';
  terminal.stdout.on('data', (text: Buffer) => {
    shown += text;
  });
  while (service.posts() < 5) await pause(2);
  const pid = Number(/pid (\d+)/.exec(shown)?.[1]);
  // Its other end has no reader or writer any more, as when a connection breaks.
  terminal.kill('SIGKILL');
  while (isRunning(pid)) await pause(5);

  const sent = service.posts();
  expect(sent).toBeLessThan(40);
  const records = journalOf(own.state);
  const intents = records.filter(({ intent }) => intent === 'create').map(({ row }) => row);
  const ends = new Set(records.filter(({ outcome }) => outcome !== undefined).map(({ row }) => row));
  expect(intents.filter((row) => !ends.has(row))).toEqual([]);
  expect(records.at(-1)?.note).toBe('stopped');

  const ended = await startImport(shop, service, own, ['-o', 'json', '--settle', '250ms']).ended;
  expect(ended.code).toBe(0);
  expect(service.posts()).toBe(40);
  expect(service.students()).toHaveLength(40);
  expect(broken).toEqual([]);
  service.close();
});

function isRunning(pid: number): boolean {
  // A process without a waiting parent stays in the list until init has reaped it.
  return existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}

function journalOf(state: string): { row?: number; intent?: string; outcome?: string; note?: string }[] {
  const [target = ''] = readdirSync(join(state, 'imports'));
  const folder = join(state, 'imports', target);
  const name = readdirSync(folder).find((one) => one.endsWith('.ndjson')) ?? '';
  const lines = readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1);
  return lines.slice(1).map((one) => JSON.parse(one));
}
