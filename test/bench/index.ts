/** All benchmarks, one after the other, each in a process of its own. --quick takes smaller numbers. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

for (const part of ['start-up', 'journal', 'import', 'dry-run', 'listing']) {
  const { status } = spawnSync(process.execPath, [...process.execArgv, join(import.meta.dirname, `${part}.ts`), ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
  console.log();
}
