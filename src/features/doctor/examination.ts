/**
 * `doctor`: from this machine to the service, a row for each thing that a command needs, with what to do where it is not there. Each read
 * operation is requested once. No failure stops the others; what rests on one that failed is skipped.
 */
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { clockDifference, type Reply } from '../../api/answer.ts';
import { examOf } from '../../api/client.ts';
import type { Dialect } from '../../api/dialect.ts';
import { checkPaging } from '../../api/doubts.ts';
import { readPage } from '../../api/list.ts';
import { type Operation, operations } from '../../api/operations.ts';
import type { RequestInput } from '../../api/request.ts';
import type { Context, Result } from '../../command.ts';
import { configFolderIfAny, stateFolder } from '../../config/folders.ts';
import { settingKeys } from '../../config/profile-settings.ts';
import { commandOf, configPath } from '../../config/profiles.ts';
import { recordIfThere } from '../../config/record-options.ts';
import { inForce, layersInForce } from '../../config/settings.ts';
import { CliError, type ErrorCode, errorTable, orError } from '../../errors.ts';
import { restrictionKeys } from '../../model/fields.ts';
import { idOf } from '../../model/id.ts';
import { fieldAt, type JsonObject } from '../../model/json.ts';
import { sentence } from '../../text/sentence.ts';
import { version } from '../../text/version.ts';
import { type Finding, failed, ok, skipped, warning } from '../finding.ts';

export async function examine(context: Context): Promise<Result> {
  const { columns } = context;
  const checks: readonly Check[] = [
    { name: 'settings', find: () => settingsFound(context) },
    { name: 'record', needs: 'settings', find: () => recordFound(context) },
    { name: 'token', needs: 'settings', find: () => tokenFound(context) },
    ...serviceChecks(context),
  ];
  const found = new Map<string, Finding>();
  for (const { name, needs = '', find } of checks) {
    const isThere = needs === '' || ['ok', 'warning'].includes(found.get(needs)?.state ?? '');
    found.set(name, isThere ? await findingOf(find) : skipped(`needs: ${needs}`));
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

async function findingOf(find: Check['find']): Promise<Finding> {
  const found = await orError((async () => find())());
  if (!(found instanceof CliError)) return found;
  const { code, message, hint } = found;
  const remedy = ((code === 'not_found' || hint === errorTable[code].hint) && remedies[code]) || hint;
  return failed(message, remedy, code);
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
  if (timeZone !== undefined) return ok(detail);
  const zone = commandOf(profile, 'config set timezone', [host.zone()]);
  return warning(`no time zone: times without an offset are refused; ${detail}`, `Set the zone of your exams: ${zone}`);
}

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

async function tokenFound({ settings }: Context): Promise<Finding> {
  const { sandbox, token, tokenSource } = settings();
  if (sandbox) return ok('from the embedded service');
  await token();
  return ok(`from ${tokenSource}`);
}

/** `needs`: the check without which this one would only repeat a failure. An error it throws is its failure, with the hint as the remedy. */
type Check = { name: string; needs?: string; find(): Finding | Promise<Finding> };

/** `exam`, `session`: the first ones that a list showed, about which requests are made. */
type Look = { context: Context; answers: Map<string, Promise<Reply>>; exam?: string | undefined; session?: string | undefined };

/** The read operations, each with the fields that commands use: of the specification, or named by a setting of the dialect. */
const reads: readonly [name: string, operation: Operation, fields: readonly string[]][] = [
  ['exams', operations.listExams, ['idKey', 'examNameKey', 'start_time', 'end_time']],
  ['sessions', operations.listSessions, ['idKey', 'sessionExamKey', 'sessionNameKey', 'status']],
  ['exam', operations.getExam, ['idKey', 'start_time', 'end_time', ...restrictionKeys]],
  ['students', operations.listExamSessions, ['idKey', 'sessionNameKey', 'email', 'status', 'close_time']],
  ['student', operations.showStudent, ['idKey', 'email']],
  ['session', operations.getSession, ['idKey', 'email', 'status', 'open_time', 'close_time']],
  ['proctors', operations.listProctors, ['idKey']],
  ['users', operations.listUsers, ['idKey', 'userEmailKey']],
];

const ofCloseTime =
  'after close_time a student may no longer start: whether it also ends a running exam is not documented, ask the operator of the service; ';

/** The checks of the service, in the order in which each can rest on those before. */
function serviceChecks(context: Context): Check[] {
  const look: Look = { context, answers: new Map() };
  return [
    { name: 'service', needs: 'token', find: () => checkService(look) },
    ...reads.map(([name, operation, fields]): Check => {
      return { name, needs: 'service', find: () => checkRead(look, name, operation, fields) };
    }),
    { name: 'paging', needs: 'exams', find: () => checkLists(look) },
    { name: 'clock', needs: 'exams', find: () => checkClock(look) },
  ];
}

/** A list whose requests are each sent once, whoever asks. */
async function listing({ context, answers }: Look, operation: Operation, input?: RequestInput) {
  const list = (await context.client()).listing(operation, input);
  const read = (path: string) => {
    const answer = answers.get(path) ?? list.read(path);
    answers.set(path, answer);
    return answer;
  };
  return { ...list, read };
}

async function firstAnswer(look: Look): Promise<Reply> {
  const list = await listing(look, operations.listExams);
  return list.read(list.path);
}

function remedyOf({ context }: Look, setting: string, value: string): string {
  return commandOf(context.settings().profile, `config set ${setting}`, [value]);
}

async function checkService(look: Look): Promise<Finding> {
  const { known, origin } = await look.context.client();
  const { authPrefix } = look.context.settings();
  // A row says it.
  known.clockIsNamed = true;
  const first = await orError(firstAnswer(look));
  if (!(first instanceof CliError))
    return ok(`${origin} answers within ${first.took} ms and accepts the token after the word "${authPrefix}"`);
  const { code, status, message, hint } = first;
  if (status === 403) return ok(`${origin} answers and knows the token`);
  if (status !== 401) throw first;
  const another = `If the service has another word than "${authPrefix}" before the token: ${remedyOf(look, 'authPrefix', 'WORD')}`;
  return failed(message, `${hint} ${another}`, code);
}

/** One request of an operation, and the fields that came. That the token may read does not show that it may write. */
async function checkRead(look: Look, name: string, operation: Operation, fields: readonly string[]): Promise<Finding> {
  const { dialect, institute } = look.context.settings();
  if (name === 'users' && institute === undefined) return skipped('no institute is set: proctor-cli config set institute ID');
  const about = operation.path.startsWith('/exams/:') ? look.exam : look.session;
  if (/:(exam_)?id/.test(operation.path) && about === undefined) return skipped('no list has shown an ID to ask for');
  const records = await recordsOf(look, operation, { id: about ?? '', exam_id: look.exam ?? '', institute_id: institute ?? '' });
  const [first] = records;
  if (!first) return ok(`there is no ${operation.resource} whose fields could be checked`);
  if (name === 'exams') look.exam = idOf(first);
  if (name === 'sessions') [look.session, look.exam] = [idOf(first), examOf(first, { dialect }) ?? look.exam];
  const came = `fields: ${Object.keys(first).join(', ')}`;
  const named = (field: string) => dialect[field as keyof Dialect] ?? field;
  const placeOf = (field: string) => (field === 'idKey' ? 'id' : named(field));
  const missing = fields.filter((field) => records.every((record) => fieldAt(record, placeOf(field)) === undefined));
  if (missing.length === 0) return ok(`${name === 'students' ? ofCloseTime : ''}${came}`);
  const setting = missing.find((field) => field in dialect);
  const remedy =
    setting === undefined
      ? 'Ask the operator of the service which field holds it; no setting names this field, and commands do without it.'
      : `If another field holds it, set: ${remedyOf(look, `dialect.${setting}`, 'NAME')}`;
  return warning(`no ${missing.map(named).join(', ')}; ${came}`, remedy);
}

async function recordsOf(look: Look, operation: Operation, params: Record<string, string>): Promise<readonly JsonObject[]> {
  const { context, session = '' } = look;
  const { dialect, tokenRemedy } = context.settings();
  const query = operation.id === 'showStudent' ? { [dialect.studentSelector]: session } : {};
  const read = async () =>
    operation.answer === 'one'
      ? [await (await context.client()).get(operation, { params, query })]
      : (await readPage(await listing(look, operation, { params }))).items;
  const records = await orError(read());
  if (!(records instanceof CliError)) return records;
  const may = operation.does.replace(/ :\w+$/, '');
  const hint = sentence`Ask the operator of the service for a token that may ${may}. ${tokenRemedy ?? ''}`;
  throw [401, 403].includes(records.status ?? 0) ? new CliError(records.code, records.message, { hint }) : records;
}

/** Whether the lists of the service are read to their end, or need a setting. */
async function checkLists(look: Look): Promise<Finding> {
  for (const operation of [operations.listExams, operations.listSessions]) await checkPaging(await listing(look, operation));
  const { paging } = look.context.settings().dialect;
  return ok(paging === 'auto' ? 'the lists of exams and sessions are read to their end' : `as dialect.paging says: ${paging}`);
}

async function checkClock(look: Look): Promise<Finding> {
  const { ahead } = await firstAnswer(look);
  if (ahead === undefined) return skipped('the service does not show its time');
  if (ahead === 0) return ok('agrees with the service');
  return warning(`${clockDifference(ahead)}.`, 'Have the system set the clock of this machine from the network.');
}
