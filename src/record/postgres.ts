/**
 * The record of a team: one PostgreSQL database. A process is alive while a session has the advisory
 * lock on its name. A lost session is replaced by one with the same name. The server ends what is left
 * of it, so that nothing sent through it can happen later.
 */
import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { CliError } from '../errors.ts';
import { contentOf } from '../files/private-files.ts';
import type { Host } from '../host/host.ts';
import { typedVariable } from '../model/shell-quote.ts';
import type { TeamPlace } from '../model/team-place.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { type Db, type DbRow, type DbValue, oneAtATime, patiently, type Query, stateRefused, waitsMs } from './db.ts';
import { tables, withoutNul } from './rows.ts';

const schema = 'proctor_cli_runs';

const givePassword = 'Nothing was sent. Give the password in PGPASSWORD or in the file that PGPASSFILE names.';

export type TeamAccess = {
  place: TeamPlace;
  password(): Promise<string | undefined>;
  /** PEM file of authorities to trust in place of the usual ones. */
  authorities?: string | undefined;
};

/** How long an answer may take, and one that builds tables anew. Milliseconds. */
const silence = 15_000;
const toBuild = 3_600_000;
/** Ends the session of a machine that is gone after 20 s: no request follows its commit so late. */
const keepAlive = ['tcp_keepalives_idle = 10', 'tcp_keepalives_interval = 5', 'tcp_keepalives_count = 2', 'tcp_user_timeout = 20000'];
const session = `SET search_path = ${schema}; SET default_transaction_isolation = serializable;
  SET idle_in_transaction_session_timeout = 15000; SET lock_timeout = 10000`;
/** The sessions that have the lock on a name. */
const lockHolders = `SELECT pid, (pid = pg_backend_pid())::int AS mine FROM pg_locks
  WHERE locktype = 'advisory' AND granted AND objsubid = 1
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND (classid::bigint << 32) + objid::bigint = hashtextextended($1, 0)`;

type Session = { client: Client; socket: Socket; query: Query };

export async function openPostgres(
  access: TeamAccess,
  host: Pick<Host, 'sleep' | 'random' | 'pid'>,
  say: (text: Sentence) => void,
): Promise<Db> {
  const { place } = access;
  const alone = oneAtATime();
  const holder = `${host.pid}-${randomUUID()}`;
  let current: Session | undefined;
  const lose = () => void current?.socket.destroy();

  /** Tries again while the server is away, and where two transactions met. */
  const tried = async <T>(work: (session: Session) => Promise<T>): Promise<T> => {
    let hasSaid = false;
    const attempt = async () => {
      if (!current || current.socket.destroyed) current = await newSession(access, holder);
      try {
        return await work(current);
      } catch (error) {
        if (isAway(error)) lose();
        else await current.query('ROLLBACK').catch(lose);
        throw error;
      }
    };
    const mayPass = (error: unknown, waited: number) => {
      if (isAway(error) && waited > 1000 && !hasSaid) {
        hasSaid = true;
        const { message } = teamFailure(place, error) as Error;
        say(sentence`${message} Nothing more is sent until it answers. Trying for ${db.patience / 1000} s at most.`);
      }
      return isAway(error) || isMet(error);
    };
    return patiently(host, db, 2_000, attempt, mayPass).catch((error: unknown) => {
      throw teamFailure(place, error);
    });
  };

  const acting = <T>(work: (session: Session) => Promise<T>) => alone(() => tried(work));

  const db: Db = {
    place: place.shown,
    holder,
    moveAway: `ALTER SCHEMA ${schema} RENAME TO ${schema}_old (in psql)`,
    patience: waitsMs.before,
    transaction: (work) =>
      acting(async ({ query }) => {
        const [, sessions] = await Promise.all([query('BEGIN'), query(lockHolders, [holder])]);
        if (!sessions.some(({ mine }) => mine === 1)) throw stateRefused(place.shown, ...noSession);
        const result = await work(query);
        await query('COMMIT');
        return result;
      }),
    // The lock of its session shows it.
    live() {},
    isAlive: async (query, other) => other === holder || (await query(lockHolders, [other])).length > 0,
    async compact() {
      const [now] = await acting(({ query }) => query('SELECT pg_current_xact_id()::xid::text AS transaction'));
      await acting(async ({ client }) => {
        await client.query(refuseWhileSeen(now?.transaction));
        const vacuum = { text: 'VACUUM (FULL) steps, runs, locks', query_timeout: toBuild };
        await client.query(vacuum);
      });
    },
    close: () =>
      alone(async () => {
        await Promise.race([current?.client.end().catch(() => {}), pause(3_000, undefined, { ref: false })]);
        lose();
      }),
  };
  await acting(async () => {});
  return db;
}

/** What another transaction may still see stays in the bytes; the own row tells of other databases. */
const refuseWhileSeen = (transaction: DbValue = null) => `DO $$ BEGIN
  IF EXISTS (SELECT FROM pg_stat_activity WHERE coalesce(datname, current_database()) = current_database()
    AND age('${transaction}'::xid) < greatest(age(backend_xmin), age(backend_xid)))
  THEN RAISE 'an older transaction is open there, so that what is erased is still in the bytes' USING ERRCODE = 'lock_not_available';
  END IF; END $$`;

const noSession = [
  'it is behind a pooler in transaction mode, where locks are lost',
  'Nothing more was sent. Set pool_mode = session in PgBouncer, or name the server in the setting state.',
] as const;

/** Whoever listens on that port of this machine would have it. */
const clearPassword = [
  'its server asks for the password in clear text, without TLS',
  'Nothing was sent. Set scram-sha-256 for this connection in pg_hba.conf of the server.',
] as const;

/** One process makes the tables, in one transaction; others wait. */
const createTables = `SELECT pg_advisory_xact_lock(hashtextextended('${schema}', 0));
  CREATE SCHEMA IF NOT EXISTS ${schema}; ${tables.join('; ')}`;

async function newSession({ place, password, authorities }: TeamAccess, holder: string): Promise<Session> {
  const { default: pg } = await import('pg');
  // Asked before the time of the connection begins: a vault may need longer.
  const found = await password();
  const socket = new Socket();
  let isInClear = false;
  const client = new pg.Client({
    host: place.host,
    port: place.port,
    user: place.user,
    database: place.database,
    async password() {
      if (isInClear && !place.isRemote) throw stateRefused(place.shown, ...clearPassword);
      if (found) return found;
      throw stateRefused(place.shown, 'its server asks for a password, and none is given', givePassword);
    },
    ssl: place.isRemote && { rejectUnauthorized: true, ...(authorities && { ca: authoritiesIn(authorities, place) }) },
    stream: () => socket,
    application_name: 'proctor-cli',
    connectionTimeoutMillis: 10_000,
    query_timeout: silence,
    keepAlive: true,
    pipeline: true,
  });
  client.on('error', () => socket.destroy());
  client.connection.once('authenticationCleartextPassword', () => {
    isInClear = true;
  });
  const stored = (value: DbValue) => (typeof value === 'string' ? withoutNul(value) : value);
  const query: Query = async (text, values = []) => (await client.query({ text, values: values.map(stored) })).rows as DbRow[];
  try {
    await client.connect();
    const about = `SELECT current_setting('server_version_num')::int AS version, to_regnamespace('${schema}')::text AS made`;
    const [server] = await query(about);
    if (Number(server?.version) < 130_000)
      throw stateRefused(place.shown, 'PostgreSQL 13 or later is needed', 'Nothing was sent. Use a newer server.');
    // Not every system has all of these.
    for (const setting of keepAlive) await query(`SET ${setting}`).catch(() => {});
    await query(session);
    if (server?.made === null) await query(createTables);
    await query(`SELECT pg_terminate_backend(pid) FROM (${lockHolders}) AS left_over`, [holder]);
    await query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [holder]);
    return { client, socket, query };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function authoritiesIn(path: string, { shown }: TeamPlace): string {
  try {
    return contentOf(path).toString();
  } catch (cause) {
    const hint = `Nothing was sent. Correct the path, or: ${typedVariable('PGSSLROOTCERT')}`;
    throw stateRefused(shown, `the file of PGSSLROOTCERT, ${path}, cannot be read`, hint, 'invalid_config', cause);
  }
}

type Reported = Error & { code?: string; severity?: string };

const away: Record<string, string> = {
  ECONNREFUSED: 'nothing answers at this address and port',
  ENOTFOUND: 'its host is unknown',
  ENOENT: 'no server listens at this socket',
  53300: 'it has too many connections',
  '57P03': 'it is starting up or shutting down',
};
const lostConnection = /^(ECONNRESET|EPIPE|EAI_AGAIN|E(TIMEDOUT|HOSTUNREACH|NETUNREACH)|08...|57P0[12]|57014|25P03)$/;
const cutInWords = /^(Connection terminated|Query read timeout|timeout expired|Client (was closed|has encountered a connection error))/;

function isAway(error: unknown): boolean {
  const { code = '', message = '' } = error as Reported;
  return code in away || lostConnection.test(code) || cutInWords.test(message);
}

/** Two transactions met: one is done again. */
function isMet(error: unknown): boolean {
  return ['40001', '40P01', '55P03', '23505'].includes((error as Reported).code ?? '');
}

/** An error of the database in words. Any other error stays as it is. */
function teamFailure({ shown, user, database, host }: TeamPlace, error: unknown): unknown {
  const { code = '', message, severity } = error as Reported;
  const isTls = /CERT|ISSUER|VERIFY|ERR_TLS|ERR_SSL|EPROTO/.test(code) || message.includes('SSL connection');
  if (error instanceof CliError || !(severity !== undefined || isAway(error) || isTls)) return error;
  const failed = (why: string, hint: string) => stateRefused(shown, why, hint, 'state_failed', error);
  const unavailable = (why: string, hint?: string) => stateRefused(shown, why, hint, 'state_unavailable', error);
  if (isTls) {
    const name = typedVariable('PGSSLROOTCERT', 'FILE');
    const hint = `Nothing was sent. Turn TLS on at the server, with a certificate for this host; name a PEM file of the authority that signed it: ${name}`;
    return unavailable(`there is no trusted TLS connection to ${host} (${code || message})`, hint);
  }
  if (['28P01', '28000'].includes(code)) return failed(`it does not let ${user} in: ${message}`, givePassword);
  if (code === '3D000') {
    const hint = 'Nothing was sent. Correct the setting state, or create the database.';
    return failed(`it has no database ${database}`, hint);
  }
  if (['42501', '42P01', '3F000'].includes(code)) {
    const create = `GRANT CREATE ON DATABASE "${database}" TO "${user}"`;
    const use = `GRANT USAGE ON SCHEMA ${schema} TO "${user}"; GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO "${user}"`;
    const hint = `Nothing more was sent. Let the owner of the database run: ${create}; or, where the tables are made: ${use}`;
    return failed(`the role ${user} lacks rights there: ${message}`, hint);
  }
  if (isAway(error)) return unavailable(away[code] ?? 'the connection was cut, or it does not answer');
  return failed(message, 'Nothing more was sent. Once that is corrected, run the same command again: it resumes.');
}
