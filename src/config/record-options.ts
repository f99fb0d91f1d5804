/** What opens the record that the settings name. */
import { existsSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { closePrivate, contentOf, filePlace } from '../files/private-files.ts';
import type { Host } from '../host/host.ts';
import { orNone } from '../model/invalid-value.ts';
import type { Secrets } from '../model/secrets.ts';
import { typedVariable } from '../model/shell-quote.ts';
import type { TeamPlace } from '../model/team-place.ts';
import { showTime } from '../model/time.ts';
import type { RecordOptions, RunRecord, TeamAccess } from '../record/index.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { folderOf } from './folders.ts';
import type { Settings } from './settings.ts';

type RecordOptionsHost = {
  host: Host;
  secrets: Secrets;
  settings(): Settings;
  zone(): string;
  warn(text: Sentence): void;
  reportClosed(paths: readonly string[]): void;
};

export function recordOptions(world: RecordOptionsHost): RecordOptions {
  const { host, settings, zone, warn, reportClosed } = world;
  const { state, stateKeyFile: keyFile, keepRuns, recordFolder } = settings();
  // A folder that the user chooses may hold more than the record.
  const ownEnv = { ...host.env, PROCTOR_STATE_DIR: recordFolder };
  const own = recordFolder === undefined ? host : { ...host, env: ownEnv };
  return {
    host: own,
    keyFile,
    keepRuns,
    who: whoRuns(host),
    say: warn,
    onClosed: reportClosed,
    at: typeof state === 'string' ? state : teamAccess(world, state),
    folder: () => folderOf(own, 'state'),
    inWords: (instant) => showTime(instant, zone()),
  };
}

type RecordHost = Pick<RecordOptionsHost, 'host' | 'settings'> & { record(): Promise<RunRecord> };

/** Undefined where nothing was ever recorded: a question makes no record. */
export async function recordIfThere({ host, settings, record }: RecordHost): Promise<RunRecord | undefined> {
  const { state, recordFolder } = settings();
  if (state === 'none') return undefined;
  if (state !== 'local') return record();
  const file = join(recordFolder ?? folderOf(host, 'state'), 'record.sqlite');
  return existsSync(file) ? record() : undefined;
}

function teamAccess(world: RecordOptionsHost, place: TeamPlace): TeamAccess {
  const { PGPASSWORD: given, PGSSLROOTCERT: authorities } = world.host.env;
  let found: Promise<string | undefined> | undefined;
  const password = async () => {
    found ??= given ? Promise.resolve(given) : passwordInFile(world, place);
    world.secrets.know(await found);
    return found;
  };
  return { place, password, authorities };
}

/** The password that PostgreSQL's own file (.pgpass) has for the place. */
async function passwordInFile({ host, reportClosed }: RecordOptionsHost, place: TeamPlace): Promise<string | undefined> {
  const { env, home, platform } = host;
  const usual = platform === 'win32' ? join(env.APPDATA ?? '', 'postgresql', 'pgpass.conf') : join(home, '.pgpass');
  const path = env.PGPASSFILE || usual;
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats?.isFile()) return undefined;
  const hint = sentence`Nothing was sent. Name a file of your own: ${typedVariable('PGPASSFILE', 'FILE')}`;
  reportClosed(closePrivate('The password file', [filePlace(path)], hint));
  // @ts-expect-error: the part of it that reads a file has no types
  const { getPassword } = (await import('pgpass/lib/helper.js')).default;
  return new Promise((resolve) => getPassword(place, Readable.from([contentOf(path, { isPrivate: true })]), resolve));
}

/** The CI job, or the system user and the machine. Nothing proves it. */
export function whoRuns({ env, machine }: Pick<Host, 'env' | 'machine'>): string {
  const { CI_JOB_URL, GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID, USER, LOGNAME, USERNAME } = env;
  if (CI_JOB_URL) return CI_JOB_URL;
  if (GITHUB_SERVER_URL && GITHUB_REPOSITORY && GITHUB_RUN_ID)
    return `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`;
  // A user of a container may have a number and no name.
  return `${USER || LOGNAME || USERNAME || (orNone(() => userInfo().username) ?? 'unknown')}@${machine}`;
}
