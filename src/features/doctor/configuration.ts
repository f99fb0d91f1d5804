/** Checks this machine and its configuration: the program, its folders, the record, the zone, the address, the token. */
import { accessSync, constants, existsSync, mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { configPath, readConfig, unknownKeys } from '../../config/file.ts';
import { configFolderIfAny, stateFolder as stateFolderOf } from '../../config/folders.ts';
import { settingKeys } from '../../config/profile-settings.ts';
import { shellQuoted } from '../../model/shell-quote.ts';
import { version } from '../../text/version.ts';
import { type DoctorContext, type Finding, failed, ok, warning } from './doctor-check.ts';

export function program({ host }: DoctorContext): Finding {
  return ok(`proctor-cli ${version} on Node ${host.node} (${host.platform})`);
}

/** Without room, no run can be recorded, and none begins. Bytes. */
const littleRoom = 50_000_000;

export function stateFolder({ host }: DoctorContext): Finding {
  const folder = stateFolderOf(host);
  const nearest = nearestExisting(folder);
  const elsewhere = 'Choose another folder: export PROCTOR_STATE_DIR=FOLDER';
  try {
    if (nearest === folder) rmSync(mkdtempSync(join(folder, '.proctor-doctor-')), { recursive: true });
    else accessSync(nearest, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(nearest);
    const room = `${Math.floor((bavail * bsize) / 1e6)} MB free`;
    if (bavail * bsize < littleRoom) return warning(`${folder}: only ${room}; runs are recorded there`, elsewhere);
    return ok(nearest === folder ? `${folder}, ${room}` : `${folder}, not created yet, ${room}`);
  } catch (error) {
    return failed('output_failed', `${folder} is not writable (${(error as NodeJS.ErrnoException).code})`, elsewhere);
  }
}

/** The path, or the nearest folder above it that exists. */
function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));
}

export function configuration(context: DoctorContext): Finding {
  const { host } = context;
  const { profile } = context.settings();
  const set = settingKeys
    .map((key) => ({ key, source: context.sourceOf(key) }))
    .filter(({ source }) => !['default', 'built in'].includes(source));
  const settings = set.map(({ key, source }) => `; ${key} from: ${source}`).join('');
  if (configFolderIfAny(host) === undefined) return ok(`profile ${profile}; no folder for the configuration${settings}`);
  const path = configPath(host);
  if (modeOf(path) === undefined) return ok(`profile ${profile}; not stored yet (${path})${settings}`);
  const open = [dirname(path), path].filter((each) => isOpen(each, host));
  const unknown = unknownKeys(readConfig(host));
  if (open.length > 0) return warning(`profile ${profile}; ${open.join(' and ')} can be read by others${settings}`, makePrivate(open));
  if (unknown) return warning(`profile ${profile} of ${path}${settings}. ${unknown}`, `Correct it in an editor: ${shellQuoted(path)}`);
  return ok(`profile ${profile} of ${path}${settings}`);
}

function modeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mode;
}

/** Whether others than its owner have rights to it. */
function isOpen(path: string, { platform }: DoctorContext['host']): boolean {
  return platform !== 'win32' && ((modeOf(path) ?? 0) & 0o077) !== 0;
}

const makePrivate = (paths: readonly string[]) => `Make it private: chmod go= ${paths.map(shellQuoted).join(' ')}`;

/** Where runs are recorded. */
export function record({ settings }: DoctorContext): Finding {
  const { state, recordFolder } = settings();
  if (state === 'local') return ok(recordFolder ?? 'in the state folder');
  return ok(state === 'none' ? 'none: a command sends one request at most' : state.shown);
}

export function timeZone(context: DoctorContext): Finding {
  const { timeZone: zone } = context.settings();
  if (zone !== undefined) return ok(zone);
  return warning(
    'none set: times without an offset are refused',
    `Set the zone of your exams: proctor-cli config set timezone ${shellQuoted(context.host.zone())}${context.profileOption()}`,
  );
}

export function origin(context: DoctorContext): Finding {
  const { sandbox, baseUrl } = context.settings();
  if (sandbox) return ok('the embedded service, on this machine');
  if (baseUrl !== '') return ok(`${baseUrl} (from: ${context.sourceOf('baseUrl')})`);
  return failed('not_logged_in', 'no service address is set', `Log in with: proctor-cli auth login${context.profileOption()}`);
}

export async function token(context: DoctorContext): Promise<Finding> {
  const { host } = context;
  const { sandbox, token: fetch } = context.settings();
  if (sandbox) return ok('from the embedded service');
  const { source } = await fetch();
  const file = host.env.PROCTOR_TOKEN_FILE;
  if (file && isOpen(file, host)) return warning(`from ${source}, which can be read by others`, makePrivate([file]));
  return ok(`from ${source}`);
}
