#!/usr/bin/env node
// Hands over to the program with compiled code cached; on a Node that is too old, to the one that
// the checkout brings, or says which Node is needed.
import module from 'node:module';
import { join } from 'node:path';
import process from 'node:process';

const [major, minor] = process.versions.node.split('.').map(Number);
const newEnough = major >= 26 || (major === 24 && minor >= 15) || (major === 22 && minor >= 22);

if (newEnough) {
  // Not in Node's own default place, which is below /tmp and so open to others.
  const cache = process.env.XDG_CACHE_HOME || (process.env.HOME && join(process.env.HOME, '.cache'));
  if (cache) module.enableCompileCache?.(join(cache, 'proctor-cli'));
  await import('../dist/start.js');
} else {
  await onOwnNode();
}

async function onOwnNode() {
  const { existsSync } = await import('node:fs');
  const { fileURLToPath } = await import('node:url');
  const own = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url));
  if (process.env.PROCTOR_HANDED_OVER || !existsSync(own)) {
    console.error(`error: proctor-cli needs Node 22.22, 24.15 or 26 and later; this is ${process.version}.`);
    process.exitCode = 1;
    return;
  }
  const { spawn } = await import('node:child_process');
  const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const child = spawn(own, args, { stdio: 'inherit', env: { ...process.env, PROCTOR_HANDED_OVER: '1' } });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + ({ SIGINT: 2, SIGTERM: 15, SIGHUP: 1 }[signal] ?? 9);
  });
}
