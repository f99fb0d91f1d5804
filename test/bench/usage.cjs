// Preloaded into a program that is measured: tells at its end what it has used, in the file named by BENCH_USAGE.
const { subscribe } = require('node:diagnostics_channel');
const { readFileSync, writeFileSync } = require('node:fs');

// When the first request that writes left, and when the last such answer was whole. Seconds since the start.
const writing = { from: undefined, to: undefined };
subscribe('undici:request:create', ({ request }) => {
  if (request.method === 'POST') writing.from ??= performance.now() / 1000;
});
subscribe('undici:request:trailers', ({ request }) => {
  if (request.method === 'POST') writing.to = performance.now() / 1000;
});

process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  writeFileSync(process.env.BENCH_USAGE, JSON.stringify({ cpu: (user + system) / 1e6, peak: peak(), writing: writing.to - writing.from }));
});

/** Bytes. The system's own maximum also counts what the parent had when it forked; Linux knows better. */
function peak() {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024;
  return Number(/^VmHWM:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024;
}
