/** What opens the record that the settings name: the folder, and for a team the address, the key and the way to the password. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import type { Secrets } from '../model/secrets.ts';
import type { TeamPlace } from '../model/team-place.ts';
import { showTime } from '../model/time.ts';
import type { RecordOptions, RunRecord, TeamAccess } from '../record/index.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { stateFolder } from './folders.ts';
import type { Settings } from './settings.ts';

type World = {
  host: Host;
  secrets: Secrets;
  settings(): Settings;
  zone(): string;
  warn(text: Sentence): void;
};

export function recordOptions(world: World): RecordOptions {
  const { host, settings, zone, warn } = world;
  const { state, stateKeyFile: keyFile, keepRuns, recordFolder } = settings();
  // A folder of the user's own choice, however it is chosen, may hold more than the record.
  const own = recordFolder === undefined ? host : { ...host, env: { ...host.env, PROCTOR_STATE_DIR: recordFolder } };
  return {
    ...{ host: own, keyFile, keepRuns, who: whoRuns(host), say: warn },
    at: typeof state === 'string' ? state : teamAccess(world, state),
    folder: () => stateFolder(own),
    inWords: (instant) => showTime(instant, zone()),
  };
}

/** The record; undefined where nothing was ever recorded: a question makes none. */
export async function recordIfThere(
  context: Pick<World, 'host' | 'settings'> & { record(): Promise<RunRecord> },
): Promise<RunRecord | undefined> {
  const { state, recordFolder } = context.settings();
  const isThere = state !== 'none' && (state !== 'local' || existsSync(join(recordFolder ?? stateFolder(context.host), 'record.sqlite')));
  return isThere ? context.record() : undefined;
}

function teamAccess({ host, secrets }: World, place: TeamPlace): TeamAccess {
  const { PGPASSWORD: given, PGSSLROOTCERT: authorities } = host.env;
  let password: Promise<string | undefined> | undefined;
  const fetch = async () => {
    const found = given || (await passwordInFile(host, place));
    secrets.know(found);
    return found;
  };
  return {
    place,
    password: () => {
      password ??= fetch();
      return password;
    },
    ...(authorities ? { authorities } : {}),
  };
}

/** The password that PostgreSQL's own file has for the place; undefined where it has none. */
async function passwordInFile({ env, home, platform }: Host, place: TeamPlace): Promise<string | undefined> {
  const path = env.PGPASSFILE || join(home, '.pgpass');
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats?.isFile()) return undefined;
  if ((stats.mode & 0o077) !== 0 && platform !== 'win32')
    throw new CliError('invalid_config', sentence`The password file ${path} is not used, because others may read it.`, {
      hint: sentence`Nothing was sent. Close it to others: chmod 600 ${path}`,
    });
  // @ts-expect-error: the part of it that reads a file has no types
  const { getPassword } = (await import('pgpass/lib/helper.js')).default;
  return new Promise((resolve) => getPassword(place, Readable.from([readFileSync(path)]), resolve));
}

/** Who runs a command, for the record: the CI job, or the system user and the machine. Nothing proves it. */
export function whoRuns({ env, machine }: Pick<Host, 'env' | 'machine'>): string {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run, CI_JOB_URL: job, USER, LOGNAME, USERNAME } = env;
  if (job) return job;
  if (server && repository && run) return `${server}/${repository}/actions/runs/${run}`;
  return `${USER || LOGNAME || USERNAME || systemUser()}@${machine}`;
}

/** A user of a container may have a number and no name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}
