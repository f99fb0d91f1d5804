/** What a row costs when a large roster is checked and planned: CPU time and memory, beside a small one. */
import { accessTo, folder, mebibytes, median, program, quick, sandbox, tell, type Usage } from './program.ts';
import { rosterIn } from './students.ts';

const sizes = quick ? [10_000, 100_000] : [10_000, 1_000_000];
const rounds = quick ? 1 : 3;

const service = await sandbox();
const env = accessTo(service);
const startUp: number[] = [];
const usages = new Map<number, Usage[]>(sizes.map((size) => [size, []]));
const rosters = new Map(sizes.map((size) => [size, rosterIn(folder, size)]));
await program(['exams', 'list', '-o', 'json'], env);
for (let round = 0; round < rounds; round += 1) {
  startUp.push((await program(['exams', 'list', '-o', 'json'], env)).cpu);
  for (const [size, usage] of usages) {
    usage.push(await program(['sessions', 'import', rosters.get(size) ?? '', '--exam', '1', '--dry-run', '-o', 'ndjson'], env));
  }
}
await service.stop();

console.log(`sessions import --dry-run -o ndjson: median of ${rounds}`);
tell('start-up (exams list)', `${median(startUp).toFixed(2)} s CPU`);
const perRow = new Map<number, number>();
for (const [size, usage] of usages) {
  const cpu = median(usage.map((one) => one.cpu));
  perRow.set(size, ((cpu - median(startUp)) / size) * 1e6);
  const seconds = median(usage.map((one) => one.seconds));
  tell(
    `${size} rows`,
    `${(perRow.get(size) ?? 0).toFixed(1)} µs CPU/row`,
    `start-up subtracted; ${cpu.toFixed(2)} s CPU in ${seconds.toFixed(2)} s`,
  );
  tell('', mebibytes(median(usage.map((one) => one.peak))), 'peak memory');
}
