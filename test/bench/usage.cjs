// Preloaded into a program that is measured: tells at its end what it has used, in the file named by BENCH_USAGE.
const { readFileSync, writeFileSync } = require('node:fs');

process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  writeFileSync(process.env.BENCH_USAGE, JSON.stringify({ cpu: (user + system) / 1e6, peak: peak() }));
});

/** Bytes. The system's own maximum also counts what the parent had when it forked; Linux knows better. */
function peak() {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024;
  return Number(/^VmHWM:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024;
}
