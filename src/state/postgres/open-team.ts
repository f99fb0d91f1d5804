/** Opens the state of a team, makes it, and says how it is. Nothing is sent to the service before it was opened. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { CliError } from '../../errors.ts';
import type { Host } from '../../host/host.ts';
import type { TeamPlace } from '../../model/team-place.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { schemaVersion } from '../state-tables.ts';
import type { StudentKeys } from '../student-keys.ts';
import { type Connection, connect } from './connection.ts';
import { PostgresStore } from './postgres-store.ts';
import { givePassword, isTeamFailure, notThere, teamFailure } from './team-failure.ts';
import { grants, mayTooMuch, migrations, named, recordedTables, size } from './team-tables.ts';

export type TeamOptions = {
  place: TeamPlace;
  host: Pick<Host, 'now' | 'sleep' | 'random' | 'pid' | 'machine'>;
  /** Who is at work, as runs record it. */
  who: string;
  /** undefined: none is sent. */
  password(): Promise<string | undefined>;
  /** PEM file of the certificate authorities to trust instead of the usual ones. */
  authorities?: string | undefined;
  /** How messages show a moment. */
  inWords(instant: number): string;
  say(text: Sentence): void;
};

type Team = { id: string; print: string; movedTo: string; version: string; ahead: number; livesFor: number };

/** The oldest version of PostgreSQL: what it reports as its number. */
const oldest = 130_000;
/** The server's code for a text that is no interval. */
const noInterval = '22007';
/** How long a lock may live. Milliseconds. */
const lifetimes = { least: 100, most: 86_400_000 } as const;
/** A clock that differs by less is taken for the same. Milliseconds. */
const sameClock = 1_000;

/** Throws `state_unavailable`, `state_failed`, and `state_damaged` for a key that is not the team's. */
export async function openTeam(
  options: TeamOptions,
  keys: () => StudentKeys | undefined,
): Promise<{ store: PostgresStore; keys: StudentKeys; movedTo: string }> {
  return inWords(options, async () => {
    const connection = await connected(options);
    try {
      const team = await teamAt(connection, options);
      const own = keys();
      if (own?.print !== team.print) throw otherKey(options.place, own !== undefined);
      return { store: storeAt(options, connection, team), keys: own, movedTo: team.movedTo };
    } catch (error) {
      await connection.close();
      throw error;
    }
  });
}

export function storeAt(options: TeamOptions, connection: Connection, { id, ahead, livesFor }: Team): PostgresStore {
  const { place } = options;
  const reconnect = async () => {
    const again = await connected(options);
    try {
      const { rows } = await again.query(`SELECT id FROM ${named('meta')}`);
      if (rows[0]?.[0] === id) return again;
      throw new CliError('state_failed', sentence`The state ${place.shown} can no longer be used: another record is there now.`);
    } catch (error) {
      await again.close();
      throw error;
    }
  };
  return new PostgresStore({ ...options, connection, reconnect, ahead, livesFor });
}

/** Makes the tables. `key`: what is made with the team's key. Returns whether there was anything to do. */
export async function initTeam(options: TeamOptions, keys: () => Promise<StudentKeys>): Promise<{ isNew: boolean; grants: string[] }> {
  return inWords(options, async () => {
    const connection = await connected(options);
    try {
      const there = await versionAt(connection);
      if (there !== undefined && there > schemaVersion) throw newer(options.place);
      const own = await keys();
      if (there === undefined) await createTeam(connection, own).catch((error) => mayNotMake(options.place, error));
      else if ((await teamAt(connection, options)).print !== own.print) throw otherKey(options.place, true);
      return { isNew: there === undefined, grants: grants('proctor_importer') };
    } finally {
      await connection.close();
    }
  });
}

export type TeamCondition = {
  /** As the server says it. */
  version: string;
  /** Of a question and its answer. Milliseconds. */
  latency: number;
  /** Bytes. */
  size: number;
  /** Whether the role could change or delete what was recorded. */
  mayTooMuch: boolean;
  movedTo: string;
};

/** What a server has to say of itself and of the tables; undefined where they were not made yet. */
export async function conditionOf(options: TeamOptions): Promise<TeamCondition | undefined> {
  return inWords(options, async () => {
    const connection = await connected(options);
    try {
      if ((await versionAt(connection)) === undefined) return undefined;
      const { version, movedTo } = await teamAt(connection, options);
      const began = performance.now();
      await connection.query('SELECT 1');
      const latency = performance.now() - began;
      const [bytes, rights] = await Promise.all([connection.query(size), connection.query(mayTooMuch, [recordedTables])]);
      return { version, latency, size: Number(bytes.rows[0]?.[0] ?? 0), mayTooMuch: rights.rows[0]?.[0] === true, movedTo };
    } finally {
      await connection.close();
    }
  });
}

/** What is in the database of a team, once it is known to be one that this program can use. */
export async function teamAt(connection: Connection, { place, host }: Pick<TeamOptions, 'place' | 'host'>): Promise<Team> {
  const there = await versionAt(connection);
  if (there === undefined) throw notThere(place.shown);
  if (there > schemaVersion) throw newer(place);
  const before = host.now();
  const asked = connection.query(
    `SELECT id, key_print, moved_to, current_setting('server_version'), (extract(epoch FROM clock_timestamp()) * 1000)::text,
      (extract(epoch FROM coalesce(nullif(current_setting('proctor_cli.lock_lives', true), ''), '15s')::interval) * 1000)::text FROM ${named('meta')}`,
  );
  const { rows } = await asked.catch((error) => {
    throw (error as { code?: string }).code === noInterval ? noLifetime(place) : error;
  });
  const between = (before + host.now()) / 2;
  const [id, print, movedTo, version, clock, lives] = (rows[0] ?? []) as string[];
  if (id === undefined) throw notThere(place.shown);
  const ahead = Math.round(Number(clock) - between);
  const livesFor = Number(lives);
  if (livesFor < lifetimes.least || livesFor > lifetimes.most) throw noLifetime(place);
  return {
    id,
    print: print ?? '',
    movedTo: movedTo ?? '',
    version: version ?? '',
    ahead: Math.abs(ahead) < sameClock ? 0 : ahead,
    livesFor,
  };
}

export async function connected({ place, password, authorities }: TeamOptions): Promise<Connection> {
  // Before the connection, which is given less time than a person or a vault may need.
  const found = await password();
  const connection = await connect(place, {
    password: async () => found || refused(place),
    authorities: authorities === undefined ? undefined : authoritiesIn(authorities),
  });
  try {
    const { rows } = await connection.query(`SELECT current_setting('server_version_num')::int, current_setting('server_version')`);
    const [number, version] = rows[0] ?? [];
    if (Number(number) >= oldest) return connection;
    throw new CliError(
      'state_failed',
      sentence`The state ${place.shown} cannot be used: its server is PostgreSQL ${String(version)}, and 13 or later is needed.`,
      {
        hint: 'Nothing was sent. Use a newer server.',
      },
    );
  } catch (error) {
    await connection.close();
    throw error;
  }
}

export async function createTeam(
  connection: Connection,
  keys: Pick<StudentKeys, 'print'>,
  { id = randomBytes(16).toString('base64url'), movedTo = '' } = {},
): Promise<void> {
  try {
    await connection.query('BEGIN');
    for (const statement of migrations.flat()) await connection.query(statement);
    await connection.query(`INSERT INTO ${named('meta')} VALUES ($1, $2, $3, 0, $4)`, [id, schemaVersion, keys.print, movedTo]);
    await connection.query('COMMIT');
  } catch (error) {
    await connection.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

export async function hasTables(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query('SELECT to_regclass($1) IS NOT NULL', [named('meta')]);
  return rows[0]?.[0] === true;
}

/** The version of the tables; undefined where there are none. */
async function versionAt(connection: Connection): Promise<number | undefined> {
  if (!(await hasTables(connection))) return undefined;
  const found = await connection.query(`SELECT schema_version FROM ${named('meta')}`);
  return Number(found.rows[0]?.[0] ?? 0);
}

export async function inWords<T>({ place }: Pick<TeamOptions, 'place'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isTeamFailure(error) ? teamFailure(place, error) : error;
  }
}

function authoritiesIn(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CliError('invalid_config', sentence`The file of PGSSLROOTCERT, ${path}, cannot be read.`, {
      hint: 'Nothing was sent. Correct the path, or unset PGSSLROOTCERT.',
      cause: error,
    });
  }
}

function refused({ shown }: TeamPlace): never {
  throw new CliError('state_unavailable', sentence`The state ${shown} cannot be used: its server asks for a password, and none is given.`, {
    hint: givePassword,
  });
}

function mayNotMake({ shown, user, database }: TeamPlace, error: unknown): never {
  if ((error as { code?: string }).code !== '42501') throw error;
  throw new CliError('state_failed', sentence`The record cannot be made at ${shown}: ${user} may not make tables there.`, {
    hint: sentence`Name the owner of the database in the setting state, or let the owner allow it: GRANT CREATE ON DATABASE "${database}" TO "${user}"`,
    cause: error,
  });
}

function noLifetime({ shown }: TeamPlace): CliError {
  return new CliError(
    'state_failed',
    sentence`The state ${shown} cannot be used: its database has proctor_cli.lock_lives set to something other than a time up to a day.`,
    {
      hint: 'Nothing was sent. Let an administrator of the server set it, for example to 30s.',
    },
  );
}

function newer({ shown }: TeamPlace): CliError {
  return new CliError('state_failed', sentence`The state ${shown} cannot be used: a newer version of proctor-cli has changed its tables.`, {
    hint: 'Nothing was sent. Update proctor-cli on this machine.',
  });
}

function otherKey({ shown }: TeamPlace, hasKey: boolean): CliError {
  return new CliError(
    'invalid_config',
    sentence`The state ${shown} cannot be used: ${hasKey ? "this machine's key is not the team's" : 'this machine has no key'}, and no student could be recognised.`,
    {
      hint: 'Nothing was sent. Print the key on a machine of the team with proctor-cli state key, keep it in a file that only you can read, and name the file: export PROCTOR_STATE_KEY_FILE=FILE',
    },
  );
}
