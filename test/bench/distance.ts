/**
 * How fast an import sends its rows to a service that is far away, slow, limited or short of connections, beside the least time
 * that each allows. A proxy adds the distance.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessTo, folder, median, program, quick, type Service, server, tell } from './program.ts';

const rounds = quick ? 1 : 3;

/** `limit`: requests a second, of each second of the clock or, with a `burst`, refilled all the time. */
type Kind = { workers?: number; takes?: number; limit?: number; burst?: number; connections?: number };
type Counts = { requests: number; refused: number; reset: number; mostAtOnce: number; firstPost: number; lastAnswer: number };
type Imported = { sending: number; counts: Counts; code: number };

const bench = (file: string) => join(import.meta.dirname, file);

function certificate(): { key: string; cert: string } {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const names = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  execFileSync('openssl', ['req', '-x509', ...curve, '-keyout', key, '-out', cert, '-days', '2', ...names], { stdio: 'ignore' });
  return { key, cert };
}

/** Seconds of sending, from the first request to the last answer, and what the service saw. */
async function imported({ kind, roundTrip, rows, isSecure = false }: Case): Promise<Imported> {
  const service = await server<Service & { port: number }>([bench('distance-server.mjs'), JSON.stringify(kind)]);
  const { key, cert } = isSecure ? certificate() : { key: '', cert: '' };
  const front = isSecure ? await server<{ port: number }>([bench('tls-front.mjs'), String(service.port), key, cert]) : undefined;
  const proxy = await server<{ port: number }>([bench('distance-proxy.mjs'), String(front?.port ?? service.port), String(roundTrip)]);
  const access = accessTo({ ...service, base_url: `${isSecure ? 'https' : 'http'}://127.0.0.1:${proxy.port}` });
  const roster = join(folder, 'roster.csv');
  writeFileSync(roster, `email,name\n${Array.from({ length: rows }, (_, row) => `student.${row}@students.example,Ada ${row}\n`).join('')}`);
  const words = ['sessions', 'import', roster, '--exam', '1', '--yes', '-o', 'json'];
  const statuses = kind.connections === undefined ? [0] : [0, 8, 9, 10];
  const code = await program(words, { ...access, ...(isSecure ? { NODE_EXTRA_CA_CERTS: cert } : {}) }, statuses);
  const counts = (await (await fetch(`${service.base_url}/counts`)).json()) as Counts;
  await proxy.stop();
  await front?.stop();
  await service.stop();
  return { sending: (counts.lastAnswer - counts.firstPost + roundTrip) / 1000, counts, code };
}

/** `floor`: the least time, in seconds; `wanted`: seconds, or times the floor where there is one. */
type Case = { name: string; kind: Kind; roundTrip: number; rows: number; isSecure?: boolean; floor?: number; wanted?: number };

const limited = (limit: number, rows: number, wanted: number, more: Kind = {}) => ({
  kind: { limit, ...more },
  rows,
  floor: rows / limit,
  wanted,
});
const cases: readonly Case[] = [
  { name: '80 ms', kind: {}, roundTrip: 80, rows: 2000, wanted: 5 },
  { name: '80 ms, TLS 1.3', kind: {}, roundTrip: 80, rows: 2000, isSecure: true, wanted: 8 },
  {
    name: '80 ms, 16 workers of 50 ms',
    kind: { workers: 16, takes: 50 },
    roundTrip: 80,
    rows: 2000,
    floor: (2000 * 0.05) / 16,
    wanted: 1.15,
  },
  { name: 'near, 50 in each second', roundTrip: 0, ...limited(50, 2000, 1.3) },
  { name: '80 ms, 50 a second, burst 50', roundTrip: 80, ...limited(50, 2000, 1.3, { burst: 50 }) },
  { name: '80 ms, 50 a second, no burst', roundTrip: 80, ...limited(50, 1000, 2, { burst: 1 }) },
  { name: 'near, 20 a second, no burst', roundTrip: 0, ...limited(20, 400, 2, { burst: 1 }) },
  { name: '80 ms, 5 a second, no burst', roundTrip: 80, ...limited(5, 100, 2, { burst: 1 }) },
  { name: '80 ms, 6 connections at most', kind: { connections: 6 }, roundTrip: 80, rows: 200 },
];

console.log(`import over distance, seconds of sending: median of ${rounds}`);
for (const each of cases) {
  const measured: Imported[] = [];
  while (measured.length < rounds) measured.push(await imported(each));
  const seconds = median(measured.map(({ sending }) => sending));
  const refused = median(measured.map(({ counts }) => counts.refused));
  const { floor, wanted, kind, rows } = each;
  const unit = floor === undefined ? ' s' : '';
  const remarks = [
    ...(floor === undefined ? [] : [`${(seconds / floor).toFixed(2)} times the least time of ${floor.toFixed(1)} s`]),
    ...(wanted === undefined ? [] : [`wanted: ${wanted}${unit}`]),
    ...(kind.limit === undefined ? [] : [`${refused} refused (${((100 * refused) / rows).toFixed(1)} %)`]),
    ...(kind.connections === undefined
      ? []
      : [`status ${measured.map(({ code }) => code).join(', ')}, ${measured[0]?.counts.reset} reset`]),
    `${median(measured.map(({ counts }) => counts.mostAtOnce))} at once there`,
  ];
  tell(`${each.name}, ${rows} rows`, `${seconds.toFixed(2)} s`, remarks.join(', '));
}
