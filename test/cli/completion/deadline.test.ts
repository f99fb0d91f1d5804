/** The end of a completion, whatever holds it up. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('a process ends at its deadline although its only thread never comes back', () => {
  const source = new URL('../../../src/complete.ts', import.meta.url).href;
  const script = `const { endAfter } = await import(${JSON.stringify(source)});
await endAfter(50, 'words 0\\n');
for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`;
  const { signal, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  expect({ signal, stdout, stderr }).toEqual({ signal: 'SIGKILL', stdout: 'words 0\n', stderr: '' });
});
