/**
 * `npm run sweep`: so many runs in process (--runs) and of the built program (--built), from a seed (--seed),
 * with secrets of twelve kinds and what commands a terminal in every place where they can stand. Run
 * number N alone: --from N --runs 1.
 */
import { parseArgs } from 'node:util';
import { kinds } from './planted.ts';
import { type Finding, sweepRun } from './sweep-run.ts';

const text = { type: 'string' } as const;
const { values } = parseArgs({ options: { seed: text, runs: text, built: text, from: text } });
const seed = Number(values.seed ?? 1);
const from = Number(values.from ?? 0);
const all: Finding[] = [];
let reached = 0;
const started = Date.now();

async function sweep(count: number, built: boolean) {
  for (let index = from; index < from + count; index += 1) {
    const { findings, requests } = await sweepRun(seed, index, { built });
    if (requests > 0) reached += 1;
    for (const finding of findings) {
      all.push(finding);
      console.log(
        `seed ${seed}, run ${index}${built ? ' (built)' : ''}: ${finding.what} in ${JSON.stringify(finding.where)}: ${finding.line}`,
      );
    }
  }
}

const runs = Number(values.runs ?? 2000);
const ofBuilt = Number(values.built ?? 100);
await sweep(runs, false);
await sweep(ofBuilt, true);
const seconds = Math.round((Date.now() - started) / 1000);
console.log(
  `Seed ${seed}: ${runs} runs in process, ${ofBuilt} of the built program, ${Object.keys(kinds).length} kinds of secrets; ${reached} runs reached the service; ${all.length} found, ${seconds} s.`,
);
process.exit(all.length === 0 ? 0 : 1);
