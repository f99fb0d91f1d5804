/** The state of a team as commands meet it: what is refused, in one sentence each, and what machines have in common. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createSecureContext, TLSSocket } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasOpenssl, makeCertificates } from '../faults/certificates.ts';
import { failureOf } from '../faults/outcome.ts';
import { ada, held as algebra } from '../support/algebra.ts';
import { realClock } from '../support/clock.ts';
import { newDatabase, owner, whySkipped } from '../support/cluster.ts';
import { temporaryFolder } from '../support/run.ts';
import type { Service, ServiceOptions } from '../support/service.ts';

const write = 'exams clone 1 --start 2127-05-01T12:00Z';

/** In the time of this machine, which its database has as well. */
const held = (options: ServiceOptions = {}) => algebra({ clock: { ...realClock(), wait: async () => {} }, ...options });

/** The port of a server on this machine until the end of the test. */
async function listening(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as { port: number }).port;
}

/** Tries to write, and gives the error; nothing was sent. */
async function refused(env: Record<string, string>) {
  const service = held({ sessions: [ada] });
  const outcome = await service.run(`${write} -o json`, { env });
  expect(service.writes()).toEqual([]);
  const failure = failureOf(outcome);
  expect(outcome).toMatchObject({ code: failure.code === 'state_unavailable' ? 8 : 3, stdout: '' });
  return failure;
}

describe('an address of a team is refused', () => {
  test.each<[what: string, place: string, says: RegExp]>([
    ['with a password, which is not repeated', 'postgres://ci:hunter2@db.example.org/proctor', /contains a password.+\n.+PGPASSWORD/],
    ['without a user', 'postgres://db.example.org/proctor', /names no user/],
    ['without a database', 'postgres://ci@db.example.org', /names no database/],
    ['with a setting of another client', 'postgres://ci@db.example.org/proctor?sslmode=disable', /the parameter "sslmode"/],
    ['of another kind of server', 'mysql://ci@db.example.org/proctor', /nor the address of a PostgreSQL database/],
  ])('%s', async (_what, PROCTOR_STATE, says) => {
    const { message, hint } = await refused({ PROCTOR_STATE });
    expect(`${message}\n${hint}`).toMatch(says);
    expect(`${message}\n${hint}`).not.toContain('hunter2');
  });
});

describe('what is no database of a team is said to be none', () => {
  test('nobody at the address', async () => {
    const { code, message } = await refused({ PROCTOR_STATE: 'postgres://ci@127.0.0.1:1/proctor' });
    expect(code).toBe('state_unavailable');
    expect(message).toContain('nothing answers at this address and port');
  });

  test.each<[what: string, server: () => Server]>([
    ['a web server', () => createHttpServer((_request, response) => response.end('hello'))],
    ['a server that greets', () => createServer((socket) => socket.write('220 mail.example.org ESMTP\r\n'))],
  ])('%s', async (_what, server) => {
    const port = await listening(server());
    const { code, message } = await refused({ PROCTOR_STATE: `postgres://ci@127.0.0.1:${port}/proctor` });
    expect(code).toBe('state_unavailable');
    expect(message).toContain('what answers there is no PostgreSQL server');
  });

  test('a server on another machine that does not encrypt', async () => {
    const port = await listening(createServer((socket) => socket.once('data', () => socket.end('N'))));
    const { message } = await refused({ PROCTOR_STATE: `postgres://ci@0.0.0.0:${port}/proctor` });
    expect(message).toContain('the server does not encrypt connections');
  });

  test.skipIf(!hasOpenssl())('a certificate for another host, or of an unknown authority', async () => {
    const { caFile, key, cert } = makeCertificates();
    const secureContext = createSecureContext({ key, cert });
    const port = await listening(
      createServer((socket) =>
        socket.once('data', () => {
          socket.write('S');
          new TLSSocket(socket, { isServer: true, secureContext }).on('error', () => {});
        }),
      ),
    );
    const PROCTOR_STATE = `postgres://ci@0.0.0.0:${port}/proctor`;
    expect(await refused({ PROCTOR_STATE })).toMatchObject({ hint: expect.stringContaining('export PGSSLROOTCERT=FILE') });
    const { message } = await refused({ PROCTOR_STATE, PGSSLROOTCERT: caFile });
    expect(message).toContain('its certificate is not for 0.0.0.0');
  });
});

const skipped = whySkipped();

describe.skipIf(skipped !== undefined)(`a database of a team${skipped === undefined ? '' : ` (skipped: ${skipped})`}`, () => {
  /** A new one, and two machines: one made it, the other has the key in a file. */
  async function team(service: Service) {
    const database = await newDatabase();
    await database.sql(`ALTER DATABASE ${database.name} SET proctor_cli.lock_lives = '500ms'`);
    const env = { PROCTOR_STATE: database.url(), PGPASSWORD: owner.password };
    const made = await service.run('state init -o id', { env });
    expect(made).toMatchObject({ code: 0 });
    const key = join(temporaryFolder(), 'proctor.key');
    writeFileSync(key, (await service.run('state key', { env })).stdout, { mode: 0o600 });
    const elsewhere = { home: temporaryFolder(), env: { ...env, PROCTOR_STATE_KEY_FILE: key } };
    return { ...database, here: { env }, elsewhere, key, grants: made.stdout };
  }

  /** A user of its own with these rights; its name is its password. */
  async function userWith({ name, url, sql }: Awaited<ReturnType<typeof team>>, grants: string) {
    const user = `${name}_user`;
    await sql(`CREATE USER ${user} PASSWORD '${user}'; ${grants.replaceAll('proctor_importer', user).replace(`CREATE ROLE ${user};`, '')}`);
    return { PROCTOR_STATE: url(user), PGPASSWORD: user };
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

  test('takes what an importer does from a user with the rights that state init prints, and no more', async () => {
    const service = held({ sessions: [ada] });
    const made = await team(service);
    const env = await userWith(made, made.grants);
    // The record of the other engine is made at its first use, with rights of its own.
    expect(await service.run('exams update 1 --name Algebra', made.here)).toMatchObject({ code: 0 });
    const all = `ON ALL TABLES IN SCHEMA proctor_cli_runs TO ${made.name}_user`;
    await made.sql(`GRANT USAGE ON SCHEMA proctor_cli_runs TO ${made.name}_user; GRANT SELECT, INSERT, UPDATE, DELETE ${all}`);
    const { PROCTOR_STATE_KEY_FILE } = made.elsewhere.env;
    const importer = { env: { ...env, PROCTOR_STATE_KEY_FILE } };
    expect(await service.run(write, importer)).toMatchObject({ code: 0 });
    const { stderr } = await service.run('state status', importer);
    expect(stderr).not.toContain('warning');
    expect((await service.run('state status', made.here)).stderr).toContain('warning: this user may change and delete');
  });

  test('has its statements printed whole, however narrow the terminal is', async () => {
    const service = held();
    const { here, grants } = await team(service);
    const { stdout } = await service.run('state init', { ...here, tty: true, columns: 40 });
    for (const statement of grants.trim().split('\n')) expect(stdout).toContain(statement);
  });

  test('is refused to a user who may not write, before anything is sent', async () => {
    const service = held();
    const made = await team(service);
    const reads = made.grants.split('\n').filter((line) => !/INSERT|UPDATE/.test(line));
    const env = { ...(await userWith(made, reads.join(''))), PROCTOR_STATE_KEY_FILE: made.key };
    const { code, message, hint } = await refused(env);
    expect({ code, message }).toEqual({ code: 'state_failed', message: expect.stringContaining('may not do this') });
    expect(hint).toContain('proctor-cli state init');
  });

  test('is refused to a machine with another key, or with none', async () => {
    const service = held();
    const { here, key } = await team(service);
    expect((await refused(here.env)).message).toContain('this machine has no key');
    writeFileSync(key, 'a'.repeat(43));
    expect((await refused({ ...here.env, PROCTOR_STATE_KEY_FILE: key })).message).toContain("this machine's key is not the team's");
    chmodSync(key, 0o644);
    expect((await refused({ ...here.env, PROCTOR_STATE_KEY_FILE: key })).message).toContain('because others may read it');
  });

  test('is refused if a newer version has changed it', async () => {
    const service = held();
    const { elsewhere, sql } = await team(service);
    await sql('UPDATE proctor_cli.meta SET schema_version = 99');
    expect((await refused(elsewhere.env)).message).toContain('a newer version of proctor-cli has changed its tables');
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

  test('asks for a password, from the environment or a file', async () => {
    const service = held({ sessions: [ada] });
    const { url, port, name, elsewhere } = await team(service);
    const { PGPASSWORD: _, ...env } = elsewhere.env;
    expect((await refused(env)).message).toContain('its server asks for a password, and none is given');
    expect((await refused({ ...env, PGPASSWORD: 'hunter2' })).message).toContain('password authentication failed');

    const file = join(temporaryFolder(), 'pgpass');
    writeFileSync(file, `127.0.0.1:${port}:*:${owner.user}:${owner.password}\n`, { mode: 0o644 });
    const byFile = { ...env, PGPASSFILE: file };
    expect((await refused(byFile)).message).toContain('because others may read it');
    chmodSync(file, 0o600);
    expect(await service.run('runs list', { env: byFile })).toMatchObject({ code: 0 });
    expect(url()).toContain(name);
  });

  test('takes over the record of a machine, which sends nothing more, and gives it back', async () => {
    const service = held({ sessions: [ada] });
    const { PROCTOR_STATE, PGPASSWORD } = { PROCTOR_STATE: (await newDatabase()).url(), PGPASSWORD: owner.password };
    expect(await service.run(write)).toMatchObject({ code: 0 });
    const local = await service.run('runs list -o json');
    const copy = (from: string, to: string) => service.run(`state copy ${from} ${to} -o json`, { env: { PGPASSWORD } });

    const moved = await copy('local', PROCTOR_STATE);
    expect({ code: moved.code, row: JSON.parse(moved.stdout) }).toEqual({
      code: 0,
      row: { from: 'local', to: PROCTOR_STATE, rows: expect.any(Number) },
    });
    expect((await service.run('runs list -o json', { env: { PROCTOR_STATE, PGPASSWORD } })).stdout).toBe(local.stdout);
    const writes = service.writes().length;
    const late = await service.run('exams clone 1 --start 2127-05-01T12:01Z -o json');
    expect(late).toMatchObject({ code: 3 });
    expect(failureOf(late).message).toContain('was moved to');
    expect(service.writes()).toHaveLength(writes);
    expect((await copy('local', PROCTOR_STATE)).code).toBe(0);

    expect(await copy(PROCTOR_STATE, 'local')).toMatchObject({ code: 0 });
    expect((await service.run('runs list -o json')).stdout).toBe(local.stdout);
    expect(await service.run('exams clone 1 --start 2127-05-01T12:01Z')).toMatchObject({ code: 0 });
    expect(await service.run('exams clone 1 --start 2127-05-01T12:02Z', { env: { PROCTOR_STATE, PGPASSWORD } })).toMatchObject({
      code: 3,
    });
  });

  test('is in use in one place only: an earlier line of state copy, given again, brings no earlier record back', async () => {
    const service = held({ sessions: [ada] });
    const [one, two] = [(await newDatabase()).url(), (await newDatabase()).url()];
    const env = { PGPASSWORD: owner.password };
    const copy = (from: string, to: string, home?: string) =>
      service.run(`state copy ${from} ${to} -o json`, { env, ...(home === undefined ? {} : { home }) });
    await service.run(write);
    expect(await copy('local', one)).toMatchObject({ code: 0 });
    expect(await copy(one, two)).toMatchObject({ code: 0 });
    expect(await service.run('exams clone 1 --start 2127-05-01T12:01Z', { env: { ...env, PROCTOR_STATE: two } })).toMatchObject({
      code: 0,
    });
    const before = (await service.run('runs list -o json', { env: { ...env, PROCTOR_STATE: two } })).stdout;
    expect(failureOf(await copy('local', one)).message).toContain('is no longer there');
    expect(await copy(one, two)).toMatchObject({ code: 0 });
    expect((await service.run('runs list -o json', { env: { ...env, PROCTOR_STATE: two } })).stdout).toBe(before);
    for (const PROCTOR_STATE of [one, 'local'])
      expect(await service.run('exams clone 1 --start 2127-05-01T12:02Z', { env: { ...env, PROCTOR_STATE } })).toMatchObject({
        code: 3,
      });

    const other = temporaryFolder();
    expect(await copy(two, 'local')).toMatchObject({ code: 0 });
    expect(failureOf(await copy(two, 'local', other)).code).toMatch(/state_failed|not_found/);
  });

  test('goes to one of two places, where both are copied to at the same moment', async () => {
    const service = held({ sessions: [ada] });
    const [from, one, two] = [await newDatabase(), await newDatabase(), await newDatabase()];
    const env = { PGPASSWORD: owner.password };
    await service.run('state init -o id', { env: { ...env, PROCTOR_STATE: from.url() } });
    await service.run(write, { env: { ...env, PROCTOR_STATE: from.url() } });
    const copies = await Promise.all([one, two].map((to) => service.run(`state copy ${from.url()} ${to.url()} -o json`, { env })));
    expect(copies.map(({ code }) => code).sort()).toEqual([0, 3]);
    const uses = await Promise.all(
      [from, one, two].map(({ url }) => service.run('exams clone 1 --start 2127-05-01T12:01Z', { env: { ...env, PROCTOR_STATE: url() } })),
    );
    expect(uses.filter(({ code }) => code === 0)).toHaveLength(1);
  });

  test.each(['abc', '0s', '-5s', '100 years'])('is refused if a lock is to live for %s', async (time) => {
    const service = held();
    const { elsewhere, sql, name } = await team(service);
    await sql(`ALTER DATABASE ${name} SET proctor_cli.lock_lives = '${time}'`);
    expect((await refused(elsewhere.env)).message).toContain('proctor_cli.lock_lives');
  });

  test('does not take over a record if it has one of its own, or another key', async () => {
    const service = held({ sessions: [ada] });
    const { here, url } = await team(service);
    await service.run(write, here);
    const other = temporaryFolder();
    await service.run('exams clone 1 --start 2127-05-01T12:01Z', { home: other });
    const copied = await service.run(`state copy local ${url()} -o json`, { home: other, env: { PGPASSWORD: owner.password } });
    expect(copied).toMatchObject({ code: 3 });
    expect(failureOf(copied).message).toContain('has runs of its own');
    expect(await service.run('runs list', { home: other })).toMatchObject({ code: 0 });
    mkdirSync(join(other, 'nothing'));
    expect(readFileSync(join(other, 'state', 'runs.key'))).toHaveLength(32);
  });
});
