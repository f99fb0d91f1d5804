/** How long a check of a whole exam period takes, beside a bare loop that lists the same; its memory, and how often each exam is listed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessTo, folder, mebibytes, median, program, quick, type Service, server, tell, type Usage } from './program.ts';

const rounds = quick ? 3 : 9;
const list = join(folder, 'accommodations.csv');
const rows = Array.from({ length: 60 }, (_, index) => `student.${5 * index}@students.university.example,25%\n`);
writeFileSync(list, `email,extra\n${rows.join('')}`);
const period = ['--from', '2127-01-01T00:00Z', '--until', '2127-12-31T00:00Z', '-o', 'json'];

const checks = [
  { name: 'accommodations check', words: ['accommodations', 'check', list, ...period], lists: [] },
  { name: 'preflight', words: ['preflight', ...period], lists: ['proctor_pool'] },
] as const;

type Seen = { first: number; counts: Record<string, number> };

/** Seconds with and without the start of the process, which ends with a status of a check: 0, or 11 with differences. */
async function timed(service: Service, act: () => Promise<Partial<Usage>>) {
  const before = Date.now();
  const usage = await act();
  const after = Date.now();
  const { first, counts } = (await (await fetch(`${service.base_url}/counts`)).json()) as Seen;
  return { whole: (after - before) / 1000, asking: (after - first) / 1000, peak: usage.peak ?? Number.NaN, counts };
}

async function bare(service: Service, lists: readonly string[]): Promise<Partial<Usage>> {
  const measuring = ['--require', join(import.meta.dirname, 'usage.cjs')];
  const child = spawn(process.execPath, [...measuring, join(import.meta.dirname, 'bare-listings.mjs'), ...lists], {
    env: { BENCH_USAGE: join(folder, 'usage'), ...accessTo(service) },
    stdio: 'ignore',
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`The bare loop ended with ${code}.`);
  return {};
}

console.log(`40 exams of 300 students, beside a bare loop that lists eight exams at a time: median of ${rounds}`);
for (const latency of [0, 50, 200]) {
  for (const { name, words, lists } of checks) {
    const service = await server<Service>([join(import.meta.dirname, 'exam-office-server.mjs'), String(latency)]);
    const check = () => timed(service, () => program(words, accessTo(service), [0, 11]));
    const { counts } = await check();
    const measured: { check: Awaited<ReturnType<typeof check>>; beside: Awaited<ReturnType<typeof check>> }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      measured.push({ check: await check(), beside: await timed(service, () => bare(service, lists)) });
    }
    await service.stop();
    const of = (value: (one: (typeof measured)[number]) => number) => median(measured.map(value));
    const listed = Object.entries(counts).filter(([path]) => path.endsWith('/student_sessions'));
    tell(
      `${name}, ${latency} ms an answer`,
      `${of(({ check }) => check.whole).toFixed(2)} s`,
      `${mebibytes(of(({ check }) => check.peak))}; ${listed.length} exams listed, each ${Math.max(...listed.map(([, number]) => number))} time`,
    );
    tell(
      '  beside a bare loop',
      `${of(({ check, beside }) => check.whole / beside.whole).toFixed(2)} times`,
      `its ${of(({ beside }) => beside.whole).toFixed(2)} s`,
    );
    tell(
      '  from the first request on',
      `${of(({ check, beside }) => check.asking / beside.asking).toFixed(2)} times`,
      `its ${of(({ beside }) => beside.asking).toFixed(2)} s`,
    );
  }
}
