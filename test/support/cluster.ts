/**
 * A PostgreSQL of the tests' own: one for all of them, in a folder in memory, on a free port of this machine, as a user
 * without rights. The first test that needs it starts it; the end of the tests stops it. Each test file has a database.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Where PostgreSQL is missing, the tests fail: a continuous integration system asks for it. */
const isNeeded = process.env.POSTGRES_TESTS === 'needed';
const variable = 'PROCTOR_TEST_CLUSTER';
const plainEnvironment = { PATH: process.env.PATH, LC_ALL: 'C' };

export const owner = { user: 'owner', password: 'a-password-of-the-tests' } as const;

export type Cluster = { port: number; folder: string };

/** The folder of PostgreSQL's programs: Debian keeps those of a server out of the path. */
export function programs(): string | undefined {
  const versions = '/usr/lib/postgresql';
  const found = existsSync(versions) ? readdirSync(versions).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...found.map((version) => join(versions, version, 'bin')), ...(process.env.PATH ?? '').split(':')];
  return folders.find((folder) => ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))));
}

/** Why the tests with a database of a team are skipped; undefined where they are not. Throws where they are needed. */
export function whySkipped(): string | undefined {
  if (programs() !== undefined) return undefined;
  if (isNeeded) throw new Error('PostgreSQL is not installed, and its tests must not be skipped here.');
  return 'PostgreSQL is not installed';
}

/** Nobody who can change this machine: PostgreSQL does not run as root. */
export function nobody(): { uid: number; gid: number } | Record<never, never> {
  if (userInfo().uid !== 0) return {};
  const [uid, gid] = ['-u', '-g'].map((option) => Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' })));
  return { uid, gid };
}

/** In the process that starts the tests. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'proctor-postgres-'));
  process.env[variable] = folder;
  return () => {
    // Nothing of it is kept.
    stopCluster(folder, 'immediate');
    rmSync(folder, { recursive: true, force: true });
  };
}

export function stopCluster(folder: string, mode: 'fast' | 'immediate' = 'fast'): void {
  const data = join(folder, 'data');
  if (existsSync(join(data, 'postmaster.pid')))
    spawnSync(join(programs() ?? '', 'pg_ctl'), ['-D', data, '-m', mode, '-w', 'stop'], { ...nobody() });
}

/**
 * Ends all of its processes at once, and removes what would name them to the next one: their numbers stay in use until
 * somebody has asked how they ended.
 */
export async function killCluster(folder: string): Promise<void> {
  const file = join(folder, 'data', 'postmaster.pid');
  const [first = ''] = readFileSync(file, 'utf8').split('\n');
  const all = [first, ...readFileSync(`/proc/${first}/task/${first}/children`, 'utf8').trim().split(' ')].map(Number);
  for (const pid of all) process.kill(pid, 'SIGKILL');
  while (all.some(isAlive)) await pause(10);
  const sockets = readdirSync(folder).filter((name) => name.startsWith('.s.'));
  for (const path of [file, ...sockets.map((name) => join(folder, name))]) rmSync(path);
}

/** The cluster of the suite, started where it is not running yet. */
export async function cluster(): Promise<Cluster> {
  const folder = process.env[variable];
  if (folder === undefined) throw new Error('The tests were started without their cluster.');
  const ready = join(folder, 'port');
  try {
    mkdirSync(join(folder, 'starting'));
  } catch {
    // Another test is starting it.
    for (let tries = 0; !existsSync(ready); tries += 1) {
      if (tries > 600) throw new Error('The cluster of the tests has not started.');
      await pause(100);
    }
    return { folder, port: Number(readFileSync(ready, 'utf8')) };
  }
  const started = await startCluster(folder);
  writeFileSync(`${ready}.new`, String(started.port));
  renameSync(`${ready}.new`, ready);
  return started;
}

/** A cluster in a folder that is there, and empty but for what the tests keep in it. */
export async function startCluster(folder: string, settings: Readonly<Record<string, string>> = {}): Promise<Cluster> {
  const bin = programs();
  if (bin === undefined) throw new Error('PostgreSQL is not installed.');
  const [port, data, as] = [await freePort(), join(folder, 'data'), nobody()];
  chmodSync(folder, 0o755);
  mkdirSync(data, { mode: 0o700 });
  const secret = join(data, '..', 'password');
  writeFileSync(secret, owner.password, { mode: 0o600 });
  if ('uid' in as) for (const path of [data, secret, folder]) chownSync(path, as.uid, as.gid);
  const words = ['-D', data, '-U', owner.user, '-A', 'scram-sha-256', `--pwfile=${secret}`, '--no-sync', '-E', 'UTF8', '--locale=C'];
  execFileSync(join(bin, 'initdb'), words, { ...as, stdio: 'pipe', env: plainEnvironment });
  const all = {
    ...{ listen_addresses: '*', port: String(port), unix_socket_directories: folder, max_connections: '200', shared_buffers: '64MB' },
    // What survives a power cut is not what is tested here, nor what stays in the bytes while another transaction may still see it.
    ...{ fsync: 'off', full_page_writes: 'off', autovacuum: 'off', ...settings },
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = '${value}'`);
  writeFileSync(join(data, 'postgresql.auto.conf'), `${lines.join('\n')}\n`);
  writeFileSync(join(data, 'pg_hba.conf'), 'local all all scram-sha-256\nhost all all all scram-sha-256\n');
  runCluster(folder);
  return { folder, port };
}

/** Starts a cluster that was stopped. */
export function runCluster(folder: string): void {
  const [bin, data] = [programs() ?? '', join(folder, 'data')];
  const words = ['-D', data, '-w', '-t', '60', '-l', join(data, 'log'), 'start'];
  execFileSync(join(bin, 'pg_ctl'), words, { ...nobody(), stdio: 'ignore', env: plainEnvironment });
}

/** A new database; `url`: of its owner, or of the role that is given. */
export async function newDatabase() {
  const { port } = await cluster();
  const name = `test_${randomBytes(6).toString('hex')}`;
  await sqlAt(port, 'postgres', `CREATE DATABASE ${name}`);
  return {
    name,
    port,
    url: (user: string = owner.user) => `postgres://${user}@127.0.0.1:${port}/${name}`,
    sql: (text: string) => sqlAt(port, name, text),
  };
}

export async function sqlAt(port: number, database: string, text: string, user: string = owner.user): Promise<unknown[][]> {
  const { Client } = (await import('pg')).default;
  const client = new Client({ host: '127.0.0.1', port, database, ...owner, user });
  await client.connect();
  try {
    const { rows } = await client.query({ text, rowMode: 'array' });
    return rows as unknown[][];
  } finally {
    await client.end();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await new Promise((closed) => server.close(closed));
  return port;
}

/** Whether a process is still running: one that has ended and that its parent has not waited for yet is not. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
