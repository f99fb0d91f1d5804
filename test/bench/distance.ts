/**
 * How fast an import sends its rows to a service that is far away, limited or slow, with the concurrency that finds its
 * level and with fixed ones. A proxy adds the distance; what a service can take at the most is known for each.
 */
import { join } from 'node:path';
import { accessTo, folder, median, program, quick, type Service, server, tell } from './program.ts';
import { rosterIn } from './students.ts';

const rows = 2000;
const rounds = quick ? 1 : 3;
const roster = rosterIn(folder, rows);

type Kind = { workers?: number; takes?: number; limit?: number };
type Counts = { requests: number; refused: number; mostAtOnce: number; firstPost: number; lastAnswer: number };

/** Seconds of sending, from the first request to the last answer, and what the service saw. */
async function imported(kind: Kind, roundTrip: number, concurrency: string): Promise<{ sending: number; counts: Counts }> {
  const service = await server<Service & { port: number }>([join(import.meta.dirname, 'distance-server.mjs'), JSON.stringify(kind)]);
  const proxy = await server<{ port: number }>([join(import.meta.dirname, 'distance-proxy.mjs'), String(service.port), String(roundTrip)]);
  const access = accessTo({ ...service, base_url: `http://127.0.0.1:${proxy.port}` });
  const words = ['sessions', 'import', roster, '--exam', '1', '--yes', '-o', 'json', '--concurrency', concurrency];
  await program(words, access);
  const counts = (await (await fetch(`${service.base_url}/counts`)).json()) as Counts;
  await proxy.stop();
  await service.stop();
  return { sending: (counts.lastAnswer - counts.firstPost + roundTrip) / 1000, counts };
}

type Case = { name: string; kind: Kind; roundTrip: number; ideal?: number; beside: readonly string[] };

const cases: readonly Case[] = [
  { name: '2 ms', kind: {}, roundTrip: 2, beside: ['8'] },
  { name: '80 ms', kind: {}, roundTrip: 80, beside: quick ? ['64'] : ['8', '64'] },
  { name: '80 ms, 16 workers of 50 ms', kind: { workers: 16, takes: 50 }, roundTrip: 80, ideal: (rows * 0.05) / 16, beside: ['64'] },
  { name: 'near, 50 requests a second', kind: { limit: 50 }, roundTrip: 0, ideal: rows / 50, beside: [] },
  { name: '80 ms, 50 requests a second', kind: { limit: 50 }, roundTrip: 80, ideal: rows / 50, beside: [] },
];

console.log(`import of ${rows} rows over distance, seconds of sending: median of ${rounds}`);
for (const { name, kind, roundTrip, ideal, beside } of cases) {
  for (const concurrency of ['auto', ...beside]) {
    const measured: Awaited<ReturnType<typeof imported>>[] = [];
    while (measured.length < rounds) measured.push(await imported(kind, roundTrip, concurrency));
    const seconds = median(measured.map(({ sending }) => sending));
    const refused = median(measured.map(({ counts }) => counts.refused));
    const remarks = [
      ...(ideal === undefined ? [] : [`${(seconds / ideal).toFixed(2)} times the ideal of ${ideal.toFixed(1)} s`]),
      ...(kind.limit === undefined ? [] : [`${refused} refused (${((100 * refused) / rows).toFixed(1)} %)`]),
      `${median(measured.map(({ counts }) => counts.mostAtOnce))} at once there`,
    ];
    tell(`${name}, --concurrency ${concurrency}`, `${seconds.toFixed(2)} s`, remarks.join(', '));
  }
}
