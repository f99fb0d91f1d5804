/** The state of a team as commands meet it: what is refused, in one sentence each, and what machines have in common. */
import { statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseTeamPlace } from '../../src/model/team-place.ts';
import { openPostgres } from '../../src/record/postgres.ts';
import { failureOf } from '../faults/outcome.ts';
import { ada, serviceWithExam as algebra } from '../support/algebra.ts';
import { realClock } from '../support/clock.ts';
import { newDatabase, owner, whySkipped } from '../support/cluster.ts';
import { listening } from '../support/listening.ts';
import { hostOf, temporaryFolder } from '../support/run.ts';
import type { Service, ServiceOptions } from '../support/service.ts';

const write = 'exams clone 1 --start 2127-05-01T12:00Z';

/** In the time of this machine, which its database has as well. */
const held = (options: ServiceOptions = {}) => algebra({ clock: { ...realClock(), wait: async () => {} }, ...options });

/** Tries to write, and gives the error; nothing was sent. */
async function refused(env: Record<string, string>) {
  const service = held({ sessions: [ada] });
  const outcome = await service.run(`${write} -o json`, { env });
  expect(service.writes()).toEqual([]);
  const failure = failureOf(outcome);
  expect(outcome).toMatchObject({ code: failure.code === 'state_unavailable' ? 8 : 3, stdout: '' });
  return failure;
}

test.each<[what: string, place: string, says: RegExp]>([
  ['with a password, which is not repeated', 'postgres://ci:hunter2@db.example.org/proctor', /contains a password.+\n.+PGPASSWORD/],
  ['without a user', 'postgres://db.example.org/proctor', /names no user/],
  ['without a database', 'postgres://ci@db.example.org', /names no database/],
  ['with a setting of another client', 'postgres://ci@db.example.org/proctor?sslmode=disable', /the parameter "sslmode"/],
  ['of another kind of server', 'mysql://ci@db.example.org/proctor', /nor the address of a PostgreSQL database/],
])('an address of a team is refused: %s', async (_what, PROCTOR_STATE, says) => {
  const { message, hint } = await refused({ PROCTOR_STATE });
  expect(`${message}\n${hint}`).toMatch(says);
  expect(`${message}\n${hint}`).not.toContain('hunter2');
});

test('whoever listens on a port of this machine and asks for the password in clear text does not get it', async () => {
  const heard: Buffer[] = [];
  const askInClear = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]);
  const port = await listening(
    createServer((socket) => {
      socket.once('data', () => socket.write(askInClear));
      socket.on('error', () => {}).on('data', (bytes) => heard.push(Buffer.from(bytes)));
    }),
  );
  const { message, hint } = await refused({
    ...{ PROCTOR_STATE: `postgres://${owner.user}@127.0.0.1:${port}/proctor`, PGPASSWORD: owner.password },
  });
  expect([message, hint]).toEqual([expect.stringContaining('in clear text, without TLS'), expect.stringContaining('scram-sha-256')]);
  expect(Buffer.concat(heard).toString('latin1')).not.toContain(owner.password);
});

test('a server elsewhere that offers no TLS hears neither a name nor a password', async () => {
  const heard: Buffer[] = [];
  const port = await listening(
    createServer((socket) => socket.on('error', () => {}).on('data', (bytes) => [heard.push(Buffer.from(bytes)), socket.write('N')])),
  );
  const place = { ...parseTeamPlace(`postgres://${owner.user}@127.0.0.1:${port}/proctor`), isRemote: true };
  const opening = openPostgres({ place, password: async () => owner.password }, hostOf(), () => {});
  await expect(opening).rejects.toMatchObject({ code: 'state_unavailable', message: expect.stringContaining('no trusted TLS connection') });
  expect(Buffer.concat(heard)).toEqual(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]));
});

const skipped = whySkipped();

describe.skipIf(skipped !== undefined)(`a database of a team${skipped === undefined ? '' : ` (skipped: ${skipped})`}`, () => {
  /** A new one, and two machines: one made it, the other has the key in a file. */
  async function team(service: Service) {
    const database = await newDatabase();
    const env = { PROCTOR_STATE: database.url(), PGPASSWORD: owner.password };
    expect(await service.run('exams update 1 --name Algebra', { env })).toMatchObject({ code: 0 });
    const key = join(service.home, 'state', 'runs.key');
    return { ...database, here: { env }, elsewhere: { home: temporaryFolder(), env: { ...env, PROCTOR_STATE_KEY_FILE: key } } };
  }

  test('is used from two machines: what one did, the other shows and undoes', async () => {
    const service = held({ sessions: [ada] });
    const { here, elsewhere } = await team(service);
    expect(await service.run(write, here)).toMatchObject({ code: 0 });
    const [id] = (await service.run('runs list -o id', elsewhere)).stdout.split('\n');
    expect((await service.run(`runs show ${id}`, elsewhere)).stdout).toContain('done');
    expect(await service.run(`runs undo ${id} --yes`, elsewhere)).toMatchObject({ code: 0 });
    expect(service.exams).toHaveLength(1);
  });

  test('is refused if its server is older than 13', async () => {
    const service = held();
    const { name, port, elsewhere, sql } = await team(service);
    const [[number]] = (await sql('SHOW server_version_num')) as [[string]];
    const older = await listening(
      createServer((socket) => {
        const server = connect(port, '127.0.0.1').on('error', () => {});
        socket.on('close', () => server.destroy()).pipe(server);
        server.on('data', (bytes) => socket.write(Buffer.from(bytes.toString('latin1').replaceAll(number, '120022'), 'latin1')));
      }),
    );
    const PROCTOR_STATE = `postgres://${owner.user}@127.0.0.1:${older}/${name}`;
    expect((await refused({ ...elsewhere.env, PROCTOR_STATE })).message).toContain('13 or later is needed');
  });

  test('takes its password from a file, which is closed to others', async () => {
    const service = held({ sessions: [ada] });
    const { port, elsewhere } = await team(service);
    const { PGPASSWORD: _, ...env } = elsewhere.env;
    const file = join(temporaryFolder(), 'pgpass');
    writeFileSync(file, `127.0.0.1:${port}:*:${owner.user}:${owner.password}\n`, { mode: 0o644 });
    const byFile = { ...env, PGPASSFILE: file };
    const warned = { code: 0, stderr: expect.stringContaining(`warning: Other users could read or change ${file}`) };
    expect(await service.run('runs list', { env: byFile })).toMatchObject(warned);
    expect([statSync(file).mode & 0o777, (await service.run('runs list', { env: byFile })).stderr]).toEqual([0o600, '']);
  });
});
