/**
 * How long commands take, built from the sources as they are: the commands take turns, so that a machine that slows down slows all of them.
 * Prints medians of the wall time and of the CPU time (user and system), and for each how many times that of what it is compared with:
 * a bare Node, or the least script that does the same request. Judges nothing.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../e2e/build.ts';

/** The home, too. */
const folder = mkdtempSync(join(tmpdir(), 'proctor-cli-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
build(folder);

const rounds = 25;
const bin = join(folder, 'bin/proctor-cli.js');

const examAt = (index: number) => ({
  id: index + 1,
  name: `Exam ${index + 1}`,
  start_time: '2099-01-01T09:00:00Z',
  end_time: '2099-01-01T11:00:00Z',
  ...Object.fromEntries(['headphones', 'whiteboard', 'leave_room', 'pen_paper'].map((name) => [`allow_${name}`, false])),
});
let sessions: object[] = [];

/** Below `/5` there are five exams, below `/25` as many as a page often has; both know the students of one exam. */
const service = createServer((request, response) => {
  const { url = '', method } = request;
  let sent = '';
  request.on('data', (part) => {
    sent += part;
  });
  request.on('end', () => {
    const isOfStudents = url.includes('student_sessions');
    if (method === 'POST') sessions = [{ id: 1, exam_id: 1, status: 'registered', ...JSON.parse(sent) }];
    const one = isOfStudents ? sessions[0] : examAt(0);
    const all = isOfStudents ? sessions : Array.from({ length: url.startsWith('/25') ? 25 : 5 }, (_, index) => examAt(index));
    const isOne = method === 'POST' || /\/\d+$/.test(url);
    response.writeHead(method === 'POST' ? 201 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(isOne ? one : all));
  });
});
await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
const { port } = service.address() as AddressInfo;
const addressOf = (exams: number) => `http://127.0.0.1:${port}/${exams}/api/v1`;

const pool = createRequire(import.meta.url).resolve('undici/lib/dispatcher/pool.js');
const leastScript = join(folder, 'least.cjs');
writeFileSync(
  leastScript,
  `const Pool = require(${JSON.stringify(pool)});
const { origin, pathname } = new URL(process.argv[2]);
const pool = new Pool(origin);
const parts = [];
pool.dispatch({ path: pathname, method: 'GET' }, {
  onRequestStart() {},
  onResponseStart() {},
  onResponseData: (_, part) => parts.push(part),
  onResponseEnd() {
    process.stdout.write(JSON.stringify(JSON.parse(Buffer.concat(parts))) + '\\n');
    pool.close();
  },
  onResponseError(_, error) { throw error; },
});`,
);
const roster = join(folder, 'roster.csv');
writeFileSync(roster, 'email\nada@example.org\n');

/** `beside`: the row that it is compared with. `before`: what is made anew for each run. */
type Row = { name: string; args: readonly string[]; beside: string; exams?: number; before?: () => void };

const bare = 'node -e 0';
const least = (exams: number) => `least script, ${exams} exams`;
const row = (line: string, beside: string, exams = 5): Row => ({
  name: `${line}${exams === 5 ? '' : `, ${exams} exams`}`,
  args: [bin, ...line.split(' ')],
  beside,
  exams,
});
const times = '--start 2099-01-01T09:00:00Z --end 2099-01-01T11:00:00Z';
const home = join(folder, 'home');
const rows: readonly Row[] = [
  { name: bare, args: ['-e', '0'], beside: bare },
  { name: least(5), args: [leastScript, `${addressOf(5)}/exams`], beside: bare },
  { name: least(25), args: [leastScript, `${addressOf(25)}/exams`], beside: bare },
  row('--version', bare),
  row('--help', bare),
  row('__complete exams list :--out', bare),
  row('exams list -o json', least(5)),
  row('exams list -o table', least(5)),
  row('exams list -o json', least(25), 25),
  row(`exams create ${times} --dry-run`, least(5)),
  {
    ...row(`sessions import ${roster} --exam 1 --yes`, least(5)),
    name: 'sessions import of 1',
    before() {
      sessions = [];
      rmSync(join(home, '.local'), { recursive: true, force: true });
    },
  },
  {
    ...row('exams list -o json', 'exams list -o json'),
    name: 'exams list -o json, first run',
    before() {
      rmSync(join(home, '.cache'), { recursive: true, force: true });
    },
  },
];

type Cost = { wall: number; cpu: number };

/** Prints what the command has cost in user and system time. */
const measuring = ['-c', '"$@" > /dev/null; status=$?; times; exit $status', 'bash', process.execPath];
/** That of a completion, which ends itself. */
const killed = 128 + 9;

/** Milliseconds. */
async function cost({ name, args, exams = 5, before }: Row): Promise<Cost> {
  before?.();
  const env = { HOME: home, PROCTOR_BASE_URL: addressOf(exams), PROCTOR_TOKEN: 'bench' };
  const began = performance.now();
  const child = spawn('bash', [...measuring, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [printed, said, status] = await Promise.all([
    child.stdout.toArray(),
    child.stderr.toArray(),
    new Promise<number | null>((resolve) => {
      child.on('exit', resolve);
    }),
  ]);
  const wall = performance.now() - began;
  if (status !== 0 && status !== killed) throw new Error(`${name} ended with ${status}: ${Buffer.concat(said)}`);
  const [, ofChildren = ''] = Buffer.concat(printed).toString().trim().split('\n');
  const seconds = Array.from(ofChildren.matchAll(/(\d+)m([\d.]+)s/g), ([, whole, rest]) => 60 * Number(whole) + Number(rest));
  return { wall, cpu: 1000 * seconds.reduce((sum, each) => sum + each, 0) };
}

mkdirSync(home);
const costs = new Map(rows.map(({ name }): [string, Cost[]] => [name, []]));
for (let round = -2; round < rounds; round += 1)
  for (const each of rows) {
    const one = await cost(each);
    if (round >= 0) costs.get(each.name)?.push(one);
  }

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const figures = (name: string, kind: keyof Cost) => costs.get(name)?.map((each) => each[kind]) ?? [];
console.log(
  `Node ${process.version}, medians of ${rounds}: wall and CPU time in milliseconds, and how many times those of what stands behind`,
);
for (const { name, beside } of rows) {
  const shown = (['wall', 'cpu'] as const).map((kind) => {
    const others = figures(beside, kind);
    const ratio = median(figures(name, kind).map((figure, round) => figure / (others[round] ?? Number.NaN)));
    return `${median(figures(name, kind)).toFixed(0).padStart(6)} ${ratio.toFixed(2).padStart(5)}`;
  });
  console.log(`${name.slice(0, 44).padEnd(45)}${shown.join('   ')}   ${beside === name ? '' : beside}`);
}
service.close();
