/**
 * How fast students are registered with the record of a team, beside that of one machine: a PostgreSQL of the benchmark's own,
 * which syncs as SQLite does, on loopback and a round trip of 5 ms away. One after the other in each round.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseTeamPlace } from '../../src/model/team-place.ts';
import { initState } from '../../src/state/open-state.ts';
import { host } from '../state/plain-world.ts';
import { owner, sqlAt, startCluster, stopCluster, whySkipped } from '../support/cluster.ts';
import { accessTo, folder, median, program, quick, type Service, sandbox, server, tell } from './program.ts';
import { rosterIn } from './students.ts';

const rows = quick ? 4000 : 20_000;
const rounds = 3;
/** Milliseconds. */
const distance = 5;

async function newExam({ base_url, token }: Service): Promise<string> {
  const headers = { 'content-type': 'application/json', authorization: `apiServiceToken ${token}` };
  const answer = await fetch(`${base_url}/exams`, { method: 'POST', headers, body: '{}' });
  return String(((await answer.json()) as { id: number }).id);
}

/** Its folder is not below that of the benchmarks, which is closed to the user of the server. */
async function team(): Promise<{ port: number; env(port: number): Record<string, string> }> {
  const place = mkdtempSync(join(tmpdir(), 'proctor-postgres-'));
  process.on('exit', () => {
    stopCluster(place, 'immediate');
    rmSync(place, { recursive: true, force: true });
  });
  const { port } = await startCluster(place, { fsync: 'on', full_page_writes: 'on' });
  await sqlAt(port, 'postgres', 'CREATE DATABASE team');
  const url = (at: number) => `postgres://${owner.user}@127.0.0.1:${at}/team`;
  const keys = join(folder, 'team');
  mkdirSync(keys);
  const keyFile = join(keys, 'key');
  await initState({ folder: keys, keyFile, host, team: { place: parseTeamPlace(url(port)), password: async () => owner.password } });
  return { port, env: (at) => ({ PROCTOR_STATE: url(at), PROCTOR_STATE_KEY_FILE: keyFile, PGPASSWORD: owner.password }) };
}

async function measure(): Promise<void> {
  const { port, env } = await team();
  const far = await server<{ port: number }>([join(import.meta.dirname, 'distance-proxy.mjs'), String(port), String(distance)]);
  const kinds = [
    { name: 'SQLite', env: {}, aim: undefined },
    { name: 'PostgreSQL, loopback', env: env(port), aim: 0.7 },
    { name: `PostgreSQL, ${distance} ms away`, env: env(far.port), aim: 0.5 },
  ].map((kind) => ({ ...kind, sending: [] as number[], whole: [] as number[], cpu: [] as number[] }));
  const service = await sandbox();
  const roster = rosterIn(folder, rows);
  for (let round = 0; round < rounds; round += 1)
    for (const kind of kinds) {
      const words = ['sessions', 'import', roster, '--exam', await newExam(service), '--yes', '-o', 'json'];
      const { seconds, writing, cpu } = await program(words, { ...accessTo(service), ...kind.env });
      kind.sending.push(rows / writing);
      kind.whole.push(rows / seconds);
      kind.cpu.push(cpu);
    }
  await service.stop();
  await far.stop();
  const [alone] = kinds;
  const ratio = (of: readonly number[], beside: readonly number[] = []) =>
    median(of.map((value, round) => value / (beside[round] ?? Number.NaN))).toFixed(2);
  console.log(`import of ${rows} rows by what keeps the record: median of ${rounds}`);
  for (const { name, aim, sending, whole, cpu } of kinds) {
    const beside = aim === undefined ? '' : `${ratio(sending, alone?.sending)} of SQLite's pace, wanted: ${aim}; `;
    tell(`${name}, sending`, `${median(sending).toFixed(0)} rows/s`, `${beside}${median(cpu).toFixed(1)} s of the processor`);
    tell(
      '  start to exit',
      `${median(whole).toFixed(0)} rows/s`,
      aim === undefined ? '' : `${ratio(whole, alone?.whole)} of SQLite's pace, wanted: ${aim}`,
    );
  }
}

const skipped = whySkipped();
if (skipped === undefined) await measure();
else console.log(`import with the record of a team: skipped, ${skipped}`);
