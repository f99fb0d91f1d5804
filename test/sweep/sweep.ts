/**
 * `npx tsx test/sweep/sweep.ts`: so many runs in process (--runs) and of the built program (--built), from a seed (--seed),
 * with secrets of twelve kinds and what commands a terminal in every place where they can stand. Run
 * number N alone: --from N --runs 1.
 */
import { parseArgs } from 'node:util';
import { kinds } from './planted.ts';
import { sweepRun, sweptCommands } from './sweep-run.ts';

const text = { type: 'string' } as const;
const { values } = parseArgs({ options: { seed: text, runs: text, built: text, from: text } });
const seed = Number(values.seed ?? 1);
const from = Number(values.from ?? 0);
let found = 0;
let reached = 0;
/** How often each exit status was seen, and the commands that have reached the service. */
const exits = new Map<number, number>();
const asked = new Set<string>();
const started = Date.now();

async function sweep(count: number, built: boolean) {
  for (let index = from; index < from + count; index += 1) {
    for (const { findings, requests, command, code } of await sweepRun(seed, index, { built })) {
      exits.set(code, (exits.get(code) ?? 0) + 1);
      if (requests > 0) {
        reached += 1;
        asked.add(command);
      }
      for (const { what, where, line } of findings) {
        found += 1;
        console.log(`seed ${seed}, run ${index}${built ? ' (built)' : ''}: ${what} in ${JSON.stringify(where)}: ${line}`);
      }
    }
  }
}

const runs = Number(values.runs ?? 2000);
const ofBuilt = Number(values.built ?? 100);
await sweep(runs, false);
await sweep(ofBuilt, true);
const seconds = Math.round((Date.now() - started) / 1000);
console.log(
  `Seed ${seed}: ${runs} runs in process, ${ofBuilt} of the built program, ${Object.keys(kinds).length} kinds of secrets; ${reached} runs reached the service; ${found} found, ${seconds} s.`,
);
const seen = [...exits].sort(([one], [other]) => one - other).map(([code, count]) => `${code}: ${count}`);
console.log(`Exit statuses: ${seen.join(', ')}.`);
const never = sweptCommands.filter((command) => !asked.has(command));
if (never.length > 0) console.log(`No request came from: ${never.join(', ')}.`);
process.exit(found === 0 ? 0 : 1);
