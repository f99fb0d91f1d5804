/**
 * `npx tsx test/fuzz/fuzz.ts`: so many inputs in process (--inputs), so many runs of the built program (--runs), from
 * a seed (--seed), for some targets only (--only rosters,argv). What fails is made small and kept in
 * test/fuzz/kept, where the suite replays it. Input number N alone: --from N --inputs 1.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { judgedBuilt } from './built.ts';
import { drawn, judged, minimised, targets } from './campaign.ts';

const text = { type: 'string' } as const;
const { values } = parseArgs({ options: { seed: text, inputs: text, runs: text, only: text, from: text, seconds: text, workers: text } });
const seed = Number(values.seed ?? Date.now() % 1_000_000_000);
const inputs = Number(values.inputs ?? 20_000);
const runs = Number(values.runs ?? 50);
const first = Number(values.from ?? 0);
const workers = Number(values.workers ?? 2);
const end = Date.now() + 1000 * Number(values.seconds ?? 1e9);
const only = values.only?.split(',');
const among = targets.filter(({ name }) => !only || only.includes(name));
if (among.length === 0) throw new Error(`There is no such target. There are: ${targets.map(({ name }) => name).join(', ')}.`);

const kept = join(import.meta.dirname, 'kept');
const found = new Map<string, number>();
const total = { inputs: 0, runs: 0, memory: 0 };
const started = Date.now();

/** An input that never comes back cannot be told by the thread that it holds. */
const beats = new Int32Array(new SharedArrayBuffer(8));
const watchman = `const { workerData, parentPort } = require('node:worker_threads');
  let last = -1, since = Date.now();
  setInterval(() => {
    if (workerData.beats[0] !== last) { last = workerData.beats[0]; since = Date.now(); }
    else if (workerData.beats[1] === 0 && Date.now() - since > 180_000) {
      require('node:fs').writeSync(2, 'HANGS: --seed ' + workerData.seed + ' --from ' + last + ' --inputs 1\\n');
      process.kill(process.pid, 'SIGKILL');
    }
  }, 1000);`;
new Worker(watchman, { eval: true, workerData: { beats, seed } }).unref();

let unhandled: string | undefined;
for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
  process.on(event, (error: unknown) => {
    unhandled = `${event}: ${error instanceof Error ? error.stack : error}`;
  });
}

function report(index: number, target: string, wrong: string, how: string) {
  // One of a kind is enough: numbers and quoted texts differ from case to case.
  const kind = `${target}: ${wrong.replace(/"[^"]*"|\d+/g, '…').slice(0, 160)}`;
  const before = found.get(kind) ?? 0;
  found.set(kind, before + 1);
  if (before === 0) console.log(`seed ${seed}, input ${index}, ${target}${how}: ${wrong}`);
  return before === 0;
}

function summary(): string {
  const failed = [...found.values()].reduce((sum, count) => sum + count, 0);
  return `${total.inputs} inputs, ${total.runs} runs, ${failed} failures of ${found.size} kinds, ${total.memory} MB at the most, ${Math.round((Date.now() - started) / 1000)} s`;
}

console.log(`Seed ${seed}: ${inputs} inputs in process, ${runs} runs of the built program; ${among.map(({ name }) => name).join(', ')}.`);

for (let index = first; index < first + inputs && Date.now() < end; index++) {
  Atomics.store(beats, 0, index);
  const one = drawn(seed, index, among);
  const wrong = (await judged(one)) ?? unhandled;
  unhandled = undefined;
  total.inputs += 1;
  if (wrong !== undefined && report(index, one.target.name, wrong, '')) {
    const input = await minimised(one);
    mkdirSync(kept, { recursive: true });
    writeFileSync(
      join(kept, `${one.target.name}-${seed}-${index}.json`),
      `${JSON.stringify({ target: one.target.name, input }, undefined, 2)}\n`,
    );
  }
  if (index % 1000 === 0) total.memory = Math.max(total.memory, process.memoryUsage.rss() >> 20);
  if (total.inputs % 20_000 === 0) console.log(summary());
}

Atomics.store(beats, 1, 1);
let next = 0;
async function runBuilt() {
  while (next < runs && Date.now() < end) {
    const index = next++;
    const one = drawn(seed + 1, index, among);
    const wrong = await judgedBuilt(one);
    total.runs += 1;
    if (wrong !== undefined && report(index, one.target.name, wrong, ' (built)')) {
      writeFileSync(
        join(kept, `${one.target.name}-${seed}-built-${index}.json`),
        `${JSON.stringify({ target: one.target.name, input: one.input }, undefined, 2)}\n`,
      );
    }
    if (total.runs % 500 === 0) console.log(summary());
  }
}
await Promise.all(Array.from({ length: workers }, runBuilt));

console.log(summary());
for (const [kind, count] of found) console.log(`${count} × ${kind}`);
process.exit(found.size === 0 && total.memory < 1024 ? 0 : 1);
