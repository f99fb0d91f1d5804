/**
 * `doctor`: from this machine to the service, a row for each thing that a command needs, with what to do where it is not there. Each read
 * operation is requested once. No failure stops the others; what rests on one that failed is skipped.
 */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Column, Context, Result } from '../../command.ts';
import { configFolderIfAny, stateFolder } from '../../config/folders.ts';
import { settingKeys } from '../../config/profile-settings.ts';
import { configPath, profileOption } from '../../config/profiles.ts';
import { recordIfThere } from '../../config/record-options.ts';
import { inForce, layersInForce } from '../../config/settings.ts';
import { CliError, type ErrorCode, errorTable, orError } from '../../errors.ts';
import { shellQuoted } from '../../model/shell-quote.ts';
import { sentence } from '../../text/sentence.ts';
import { version } from '../../text/version.ts';
import { type Finding, failed, ok, skipped, warning } from '../finding.ts';
import { type Check, serviceChecks } from './service-checks.ts';

export async function examine(context: Context, columns: readonly Column[]): Promise<Result> {
  const checks: readonly Check[] = [
    { name: 'settings', find: () => settingsFound(context) },
    { name: 'record', needs: 'settings', find: () => recordFound(context) },
    { name: 'token', needs: 'settings', find: () => tokenFound(context) },
    ...serviceChecks(context),
  ];
  const found = new Map<string, Finding>();
  for (const { name, needs = '', find } of checks) {
    const isThere = needs === '' || ['ok', 'warning'].includes(found.get(needs)?.state ?? '');
    found.set(name, isThere ? await findingOf(context, find) : skipped(`needs: ${needs}`));
  }
  const rows = [...found].map(([name, { state, detail, remedy = null }]) => ({ check: name, state, detail, remedy }));
  const [first, ...others] = rows.filter(({ state }) => state === 'failed');
  const advice = rows.flatMap((row) => (row.remedy === null || row === first ? [] : [sentence`${row.check}: ${row.remedy}`]));
  if (!first) return { kind: 'list', rows, columns, id: 'check', advice };
  const more = others.length > 0 ? ` ${others.length + 1} of ${rows.length} checks failed.` : '';
  const message = sentence`${first.check}: ${first.detail.replace(/\.$/, '')}.${more}`;
  const failure = new CliError(found.get(first.check)?.code ?? 'internal', message, { hint: sentence`${first.remedy ?? ''}` });
  return { kind: 'list', rows, columns, id: 'check', advice, failure };
}

/** In place of hints that lead back to the doctor. */
const remedies: Partial<Record<ErrorCode, string>> = {
  network: 'Check the address and the port, and HTTPS_PROXY if a proxy is needed: proctor-cli config get baseUrl',
  not_found: 'Check that this is the service: proctor-cli config get baseUrl',
  unavailable: 'Try again later. If it lasts, report it to the operator of the service.',
};

async function findingOf(context: Context, find: Check['find']): Promise<Finding> {
  const found = await orError((async () => find())());
  if (!(found instanceof CliError)) return found;
  const { code, message, hint } = found;
  const remedy = ((code === 'not_found' || hint === errorTable[code].hint) && remedies[code]) || hint;
  const isOfProfile = /proctor-cli config [gs]et \S+( \S+)?$/.test(remedy);
  return failed(message, isOfProfile ? remedy + profileOption(context.settings().profile) : remedy, code);
}

function settingsFound({ host, globals, settings }: Context): Finding {
  const { profile, timeZone } = settings();
  const layers = layersInForce(host, globals);
  const given = settingKeys
    .map((key) => ({ key, ...inForce(key, layers) }))
    .filter(({ from }) => from !== 'default' && from !== 'built in');
  const path = configFolderIfAny(host) === undefined ? undefined : configPath(host);
  const place = path !== undefined && existsSync(path) ? ` of ${path}` : ', not stored';
  const sources = given.map(({ key, source }) => `; ${key} from: ${source}`).join('');
  const detail = `proctor-cli ${version} on Node ${host.node}; profile ${profile}${place}${sources}`;
  const open = path === undefined ? [] : [dirname(path), path].filter((each) => isOpen(each, host));
  if (open.length > 0) return warning(`others can read ${open.join(' and ')}; ${detail}`, makePrivate(open));
  if (timeZone !== undefined) return ok(detail);
  const zone = `proctor-cli config set timezone ${shellQuoted(host.zone())}${profileOption(profile)}`;
  return warning(`no time zone: times without an offset are refused; ${detail}`, `Set the zone of your exams: ${zone}`);
}

/** Whether others than its owner have rights to a file or folder. */
function isOpen(path: string, { platform }: Context['host']): boolean {
  return platform !== 'win32' && ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0;
}

const makePrivate = (paths: readonly string[]) => `Make it private: chmod go= ${paths.map(shellQuoted).join(' ')}`;

/** Opens the record where there is one; where there is none yet, it could be made. */
async function recordFound(context: Context): Promise<Finding> {
  const { state, recordFolder } = context.settings();
  if (state === 'none') return ok('none: a command sends one request at most');
  if (await recordIfThere(context)) return ok(state === 'local' ? (recordFolder ?? stateFolder(context.host)) : state.shown);
  const folder = recordFolder ?? stateFolder(context.host);
  try {
    accessSync(nearestExisting(folder), constants.W_OK | constants.X_OK);
    return ok(`${folder}, nothing recorded yet`);
  } catch {
    return failed(`${folder} cannot be written to`, 'Choose another folder: export PROCTOR_STATE_DIR=FOLDER', 'state_failed');
  }
}

function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));
}

async function tokenFound({ host, settings }: Context): Promise<Finding> {
  const { sandbox, token, tokenSource: source } = settings();
  if (sandbox) return ok('from the embedded service');
  await token();
  const file = host.env.PROCTOR_TOKEN_FILE;
  return file && isOpen(file, host) ? warning(`from ${source}, which others can read`, makePrivate([file])) : ok(`from ${source}`);
}
