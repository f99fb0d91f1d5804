/** All benchmarks, one after the other, each in a process of its own, or those that are named. --quick takes smaller numbers. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const all = ['start-up', 'distance'];
const named = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const options = process.argv.slice(2).filter((word) => word.startsWith('-'));

for (const part of named.length > 0 ? all.filter((one) => named.includes(one)) : all) {
  const { status } = spawnSync(process.execPath, [...process.execArgv, join(import.meta.dirname, `${part}.ts`), ...options], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
  console.log();
}
