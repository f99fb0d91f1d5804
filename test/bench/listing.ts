/** How fast a long list of sessions becomes lines, and with how much memory; beside curl and jq, which do the same. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { accessTo, folder, mebibytes, median, program, quick, type Service, server, tell, type Usage } from './program.ts';

const [small, large] = quick ? [10_000, 100_000] : [10_000, 1_000_000];
const rounds = quick ? 1 : 3;

const service = await server<Service>([join(import.meta.dirname, 'session-list-server.mjs')]);
const list = (size: number) => program(['sessions', 'list', '--exam', String(size), '-o', 'ndjson'], accessTo(service));

/** Seconds; NaN where the machine lacks one of the two. */
function curlAndJq(size: number): number {
  const before = performance.now();
  const line = `set -o pipefail; curl -sf "$0/exams/${size}/student_sessions" | jq -c '.[]' > "$1"`;
  const { status } = spawnSync('bash', ['-c', line, service.base_url, join(folder, 'lines')], { stdio: ['ignore', 'inherit', 'inherit'] });
  return status === 0 ? (performance.now() - before) / 1000 : Number.NaN;
}

const usages: { small: Usage; large: Usage; beside: number }[] = [];
await list(small);
for (let round = 0; round < rounds; round += 1) {
  usages.push({ small: await list(small), large: await list(large), beside: curlAndJq(large) });
}
await service.stop();

const of = (value: (usage: (typeof usages)[number]) => number) => median(usages.map(value));
console.log(`sessions list -o ndjson: median of ${rounds}`);
tell(`${large} sessions`, `${of(({ large }) => large.seconds).toFixed(2)} s`, `${of(({ large }) => large.cpu).toFixed(2)} s CPU`);
tell(
  'curl | jq',
  `${of(({ beside }) => beside).toFixed(2)} s`,
  `the program is ${of(({ large, beside }) => beside / large.seconds).toFixed(2)} times as fast`,
);
tell(`peak memory, ${small} sessions`, mebibytes(of(({ small }) => small.peak)));
tell(
  `peak memory, ${large} sessions`,
  mebibytes(of(({ large }) => large.peak)),
  `${of(({ small, large }) => large.peak / small.peak).toFixed(2)} times that of ${small}`,
);
