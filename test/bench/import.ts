/**
 * How fast students are registered, against the embedded service in a process of its own: by the
 * program with its record, from the first POST to the last answer and from its start to its exit,
 * with its two listings; by a bare loop around undici, from the first POST to the last answer; by
 * curl in parallel.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessTo, folder, median, program, quick, type Service, sandbox, tell } from './program.ts';
import { addressOf, nameOf, rosterIn } from './students.ts';

const rows = quick ? 4000 : 20_000;
const rounds = quick ? 1 : 3;
const forCurl = quick ? 100 : 400;

async function newExam({ base_url, token }: Service): Promise<string> {
  const answer = await fetch(`${base_url}/exams`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `apiServiceToken ${token}` },
    body: '{}',
  });
  const { id } = (await answer.json()) as { id: number };
  return String(id);
}

async function imported(service: Service, exam: string, roster: string): Promise<{ sending: number; whole: number }> {
  const { seconds, writing } = await program(['sessions', 'import', roster, '--exam', exam, '--yes', '-o', 'json'], accessTo(service));
  return { sending: rows / writing, whole: rows / seconds };
}

function looped(service: Service, exam: string): number {
  const args = [join(import.meta.dirname, 'bare-undici.ts'), service.base_url, service.token, exam, String(rows)];
  return rows / Number(execFileSync(process.execPath, [...process.execArgv, ...args]));
}

function curled(service: Service, exam: string): number {
  const bodies = join(folder, 'bodies');
  const numbers = Array.from({ length: forCurl }, (_, index) => index + 1);
  writeFileSync(bodies, numbers.map((number) => `${JSON.stringify({ email: addressOf(number), name: nameOf(number) })}\n`).join(''));
  const curl = [
    'curl',
    '-sf',
    '-o',
    '/dev/null',
    '-H',
    'content-type: application/json',
    '-H',
    `authorization: apiServiceToken ${service.token}`,
  ];
  const before = performance.now();
  execFileSync('xargs', [
    '-a',
    bodies,
    '-d',
    '\n',
    '-P',
    '8',
    '-n',
    '1',
    ...curl,
    `${service.base_url}/exams/${exam}/student_sessions`,
    '-d',
  ]);
  return forCurl / ((performance.now() - before) / 1000);
}

const service = await sandbox();
const roster = rosterIn(folder, rows);
const rates = { sending: [] as number[], whole: [] as number[], loop: [] as number[], curl: [] as number[] };
// All of them now: a connection that waits while other processes are measured would be closed by then.
const exams: string[] = [];
while (exams.length < 3 * rounds) exams.push(await newExam(service));
for (let round = 0; round < rounds; round += 1) {
  const [first = '', second = '', third = ''] = exams.slice(3 * round);
  rates.loop.push(looped(service, first));
  const { sending, whole } = await imported(service, second, roster);
  rates.sending.push(sending);
  rates.whole.push(whole);
  rates.curl.push(curled(service, third));
}
await service.stop();

const rate = (values: number[]) => `${median(values).toFixed(0)} rows/s`;
const times = (of: number[], beside: number[]) => median(of.map((value, round) => value / (beside[round] ?? Number.NaN))).toFixed(2);
console.log(`import of ${rows} rows, beside a loop and curl with 8 requests at a time: median of ${rounds}`);
tell('sessions import, sending', rate(rates.sending), 'first POST to last answer, recorded');
tell('sessions import, start to exit', rate(rates.whole), 'with reading, planning, two listings and the proof');
tell(
  'bare undici loop',
  rate(rates.loop),
  `sending is ${times(rates.sending, rates.loop)}, the whole ${times(rates.whole, rates.loop)} times as fast`,
);
tell(`xargs -P 8 curl (${forCurl} rows)`, rate(rates.curl), `the whole is ${times(rates.whole, rates.curl)} times as fast`);
