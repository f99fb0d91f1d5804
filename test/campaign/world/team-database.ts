/**
 * The database of a team in a story: new, with a key that all machines share, and a way of its own for each of them. What happens to
 * it until the story calms down: connections are cut, the server is killed, or has no room on its disk.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { cluster, nobody, owner, programs, sqlAt, startCluster, stopCluster } from '../../support/cluster.ts';
import { temporaryFolder } from '../../support/run.ts';
import { type Portion, type Wire, wireTo } from '../../support/wire.ts';
import type { Team } from './families.ts';
import { drawn } from './random.ts';
import { type SmallDisk, smallDisk } from './small-disk.ts';

/** For how long a bad connection keeps something back: longer than a commit may justify a request. Milliseconds. */
const long = 4_500;
/** Room for the tables of a story. */
const room = '16m';

/** Databases so far: each has a name of its own. */
let databases = 0;

/** `harms`: how often a connection was cut, the server killed, or its disk filled. */
export async function teamDatabase(seed: number, { cuts, server }: Team, harms: { landed: number }) {
  const own = server ? temporaryFolder() : undefined;
  const disk = server === 'full' && own !== undefined ? tablesOn(own) : undefined;
  const { port } = own === undefined ? await cluster() : await startCluster(own);
  const name = `story_${process.pid}_${databases++}`;
  if (disk) await sqlAt(port, 'postgres', `CREATE TABLESPACE small LOCATION '${disk.tables}'`);
  await sqlAt(port, 'postgres', `CREATE DATABASE ${name}${disk ? ' TABLESPACE small' : ''}`);
  const url = (at: number) => `postgres://${owner.user}@127.0.0.1:${at}/${name}`;
  const keyFile = join(temporaryFolder(), 'key');
  writeFileSync(keyFile, `${'a-key-of-the-tests-'.repeat(2)}\n`, { mode: 0o600 });

  const wires: Wire[] = [];
  const random = drawn(seed, 'team');
  let isCalm = false;
  const strike = { killed: () => killServer(own ?? '', random.pick(['postmaster', 'backend'] as const)), full: () => disk?.fill() };
  const mend = { killed: () => restart(own ?? '', port), full: () => disk?.free() };
  const trouble = async () => {
    while (server && !isCalm) {
      await pause(400 + random.below(3_000));
      if (isCalm) break;
      harms.landed += 1;
      await strike[server]();
      await pause(random.pick([0, 300, 2_000]));
      await mend[server]();
    }
  };
  const troubled = trouble();
  const badFate = (): Portion => {
    const isCut = random.chance(0.02);
    harms.landed += isCut ? 1 : 0;
    if (isCut) return { cut: random.pick(['before', 'after'] as const) };
    return random.chance(0.02) ? { takes: random.pick([20, 200, 1_500, long]) } : {};
  };

  return {
    /** The way of one more machine, and the settings that lead there. */
    async way() {
      const wire = await wireTo(port);
      wires.push(wire);
      if (cuts) wire.fate = badFate;
      return { wire, env: { PROCTOR_STATE: url(wire.port), PROCTOR_STATE_KEY_FILE: keyFile, PGPASSWORD: owner.password } };
    },
    /** From now on all is well. */
    async calm() {
      isCalm = true;
      for (const wire of wires) wire.fate = () => ({});
      await troubled;
    },
    async close() {
      isCalm = true;
      await troubled;
      for (const wire of wires) wire.close();
      if (own === undefined) await sqlAt(port, 'postgres', `DROP DATABASE ${name} WITH (FORCE)`);
      else stopCluster(own, 'immediate');
      disk?.remove();
    },
  };
}

/** Kills the server, or one of its processes for a client: then it starts all of them anew. */
async function killServer(folder: string, which: 'postmaster' | 'backend'): Promise<void> {
  const [postmaster] = readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n');
  // Without a line, and with a status, while it has none.
  const { stdout } = spawnSync('ps', ['--ppid', String(postmaster), '-o', 'pid=,args='], { encoding: 'utf8' });
  const [client] = stdout.split('\n').flatMap((line) => (line.includes('127.0.0.1') ? [Number.parseInt(line, 10)] : []));
  try {
    process.kill(which === 'backend' && client !== undefined ? client : Number(postmaster), 'SIGKILL');
  } catch {
    // It has just ended by itself.
  }
}

/** Starts the server until it answers: its own processes may not have ended yet, and it may be starting by itself. */
async function restart(folder: string, port: number): Promise<void> {
  const data = join(folder, 'data');
  for (let tries = 0; ; tries += 1)
    try {
      await sqlAt(port, 'postgres', 'SELECT 1');
      return;
    } catch (error) {
      if (tries > 100) throw error;
      const words = ['-D', data, '-w', '-t', '60', '-l', join(data, 'log'), 'start'];
      await once(spawn(join(programs() ?? '', 'pg_ctl'), words, { ...nobody(), stdio: 'ignore' }), 'exit');
      await pause(100);
    }
}

/** A file system in memory that is nearly full with the tables of a story. */
function tablesOn(folder: string): SmallDisk & { tables: string } {
  const at = join(folder, 'disk');
  const disk = smallDisk(at, room, '755');
  const tables = join(at, 'tables');
  mkdirSync(tables, { mode: 0o700 });
  const as = nobody();
  if ('uid' in as) chownSync(tables, as.uid, as.gid);
  chmodSync(folder, 0o755);
  return { ...disk, tables };
}
