/** `doctor`: a row for each thing that a command needs, with its fix. No failure ends it. */
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { clockDifference, type Reply } from '../../api/answer.ts';
import { examOf } from '../../api/client.ts';
import { readPage } from '../../api/list.ts';
import { type Operation, operations } from '../../api/operations.ts';
import type { Context, Result } from '../../command.ts';
import { folderOf } from '../../config/folders.ts';
import { settingKeys } from '../../config/profile-settings.ts';
import { commandOf, configPathIfAny } from '../../config/profiles.ts';
import { recordIfThere } from '../../config/record-options.ts';
import { resolveSetting, settingSources } from '../../config/settings.ts';
import { CliError, orElse } from '../../errors.ts';
import { isOpenToOthers } from '../../files/private-files.ts';
import { restrictionKeys } from '../../model/fields.ts';
import { fieldAt, idOf } from '../../model/json.ts';
import { shellQuoted, typedVariable } from '../../model/shell-quote.ts';
import { sentence } from '../../text/sentence.ts';
import { version } from '../../text/version.ts';
import { type Finding, failed, ok, skipped, warning } from '../finding.ts';
import { checkPaging } from './check-paging.ts';

export async function examine(context: Context): Promise<Result> {
  const checks: readonly DoctorCheck[] = [
    { name: 'settings', needs: '', find: () => settingsFound(context) },
    { name: 'record', needs: 'settings', find: () => recordFound(context) },
    { name: 'token', needs: 'settings', find: () => tokenFound(context) },
    ...serviceChecks(context),
  ];
  const found = new Map<string, Finding>();
  let failure: CliError | undefined;
  for (const { name, needs, find } of checks) {
    const isThere = !['failed', 'skipped'].includes(found.get(needs)?.state ?? '');
    const failing = ({ code, message, hint, status }: CliError) => {
      failure ??= new CliError(code, sentence`${name}: ${message}`, { hint, status });
      return failed(message, hint);
    };
    found.set(name, isThere ? await orElse((async () => find())(), failing) : skipped(`needs: ${needs}`));
  }
  const rows = [...found].map(([check, each]) => ({ check, ...each }));
  const decisive = rows.find(({ state }) => state === 'failed');
  const remedies = rows.filter((row) => row.remedy !== null && row !== decisive);
  const advice = remedies.map(({ check, remedy }) => sentence`${check}: ${remedy ?? ''}`);
  return { kind: 'list', rows, columns: context.columns, id: 'check', advice, failure };
}

function settingsFound({ host, globals, settings, closed }: Context): Finding {
  const { profile, timeZone } = settings();
  const sources = settingSources(host, globals);
  const all = settingKeys.map((key) => ({ key, ...resolveSetting(key, sources) }));
  const given = all.filter(({ from }) => from !== 'default' && from !== 'built in');
  const path = configPathIfAny(host);
  const place = path !== undefined && existsSync(path) ? ` of ${path}` : ', not stored';
  const overridden = given.map(({ key, source }) => `; ${key} from: ${source}`).join('');
  const detail = `proctor-cli ${version} on Node ${host.node}; profile ${profile}${place}${overridden}`;
  const renew = `If others may have read the token, store a new one: ${commandOf(profile, 'auth login')}`;
  if (closed.length > 0) return warning(`until now, other users could read or change ${closed.join(' and ')}; ${detail}`, renew);
  if (timeZone !== undefined) return ok(detail);
  const zone = commandOf(profile, 'config set timezone', [host.zone()]);
  return warning(`no time zone: times without an offset are refused; ${detail}`, `Set the zone of your exams: ${zone}`);
}

async function recordFound(context: Context): Promise<Finding> {
  const { state, recordFolder } = context.settings();
  if (state === 'none') return ok('none: a command sends one request at most');
  await recordIfThere(context);
  if (state !== 'local') return ok(state.shown);
  const folder = recordFolder ?? folderOf(context.host, 'state');
  try {
    accessSync(nearestExisting(folder), constants.W_OK | constants.X_OK);
    return ok(folder);
  } catch {
    const hint = sentence`Choose another folder: ${typedVariable('PROCTOR_STATE_DIR', 'FOLDER')}`;
    throw new CliError('state_failed', sentence`${folder} cannot be written to.`, { hint });
  }
}

function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));
}

async function tokenFound({ settings }: Context): Promise<Finding> {
  const { sandbox, token, tokenFile, tokenSource } = settings();
  if (sandbox) return ok('from the embedded service');
  await token();
  if (tokenFile === undefined || !isOpenToOthers(tokenFile)) return ok(`from ${tokenSource}`);
  return warning(
    sentence`from ${tokenSource}; other users can read or change ${tokenFile}`,
    sentence`Close it: chmod 600 ${shellQuoted(tokenFile)}`,
  );
}

/** `needs`: another check. An error of `find` is a failure, its hint the remedy. */
type DoctorCheck = { name: string; needs: string; find(): Finding | Promise<Finding> };

/** `exam`, `session`: the first ones of a list, about which requests are made. */
type Look = {
  context: Context;
  answers: Map<string, Promise<Reply>>;
  exam: string | undefined;
  session: string | undefined;
};

/** The reads that are tried, with the fields that commands use of them, or the settings that name those. */
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

const ofCloseTime = 'after close_time a student may no longer start; ask the operator of the service whether it also ends a running exam; ';

function serviceChecks(context: Context): DoctorCheck[] {
  const look: Look = { context, answers: new Map(), exam: undefined, session: undefined };
  return [
    { name: 'service', needs: 'token', find: () => checkService(look) },
    ...reads.map(([name, operation, fields]) => ({
      name,
      needs: 'service',
      find: () => checkRead(look, name, operation, fields),
    })),
    { name: 'paging', needs: 'exams', find: () => checkLists(look) },
    { name: 'clock', needs: 'exams', find: () => checkClock(look) },
  ];
}

/** A list each of whose requests is sent once, whoever asks. */
async function listing({ context, answers }: Look, operation: Operation, input?: { params: Record<string, string> }) {
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

async function checkService(look: Look): Promise<Finding> {
  const { known, origin } = await look.context.client();
  const { authPrefix } = look.context.settings();
  // The row of the clock says it.
  known.clockIsNamed = true;
  const answers = firstAnswer(look).then(({ tookMs }) => {
    return ok(`${origin} answers within ${tookMs} ms and accepts the token after the word "${authPrefix}"`);
  });
  return orElse(answers, (error) => {
    if (error.status === 403) return ok(`${origin} answers and knows the token`);
    throw error;
  });
}

async function checkRead(look: Look, name: string, operation: Operation, fields: readonly string[]): Promise<Finding> {
  const { dialect, institute } = look.context.settings();
  if (name === 'users' && institute === undefined) return skipped('no institute is set: proctor-cli config set institute ID');
  const about = operation.path.startsWith('/exams/:') ? look.exam : look.session;
  const isOfNobody = operation.id === 'showStudent' && look.session === undefined;
  if (isOfNobody || (/:(exam_)?id/.test(operation.path) && about === undefined)) return skipped('no list has shown an ID to ask for');
  const params = { id: about ?? '', exam_id: look.exam ?? '', institute_id: institute ?? '' };
  const records = await recordsOf(look, operation, params);
  const [first] = records;
  if (!first) return ok(`there is no ${operation.resource} whose fields could be checked`);
  if (name === 'exams') look.exam = idOf(first);
  if (name === 'sessions') {
    look.session = idOf(first);
    look.exam = examOf(first, { dialect }) ?? look.exam;
  }
  const named = (field: string) => dialect[field as keyof typeof dialect] ?? field;
  const placeOf = (field: string) => (field === 'idKey' ? 'id' : named(field));
  const isMissing = (field: string) => records.every((record) => fieldAt(record, placeOf(field)) === undefined);
  const missing = fields.filter(isMissing);
  const came = `fields: ${Object.keys(first).join(', ')}`;
  if (missing.length === 0) return ok(`${name === 'students' ? ofCloseTime : ''}${came}`);
  const setting = missing.find((field) => field in dialect);
  const toSet = commandOf(look.context.settings().profile, `config set dialect.${setting}`, ['NAME']);
  const remedy =
    setting === undefined
      ? 'Ask the operator of the service which field holds it; no setting names it, and commands do without it.'
      : `If another field holds it, set: ${toSet}`;
  return warning(`no ${missing.map(named).join(', ')}; ${came}`, remedy);
}

async function recordsOf(look: Look, operation: Operation, params: Record<string, string>) {
  if (operation.answer !== 'one') return (await readPage(await listing(look, operation, { params }))).items;
  const client = await look.context.client();
  const query = operation.id === 'showStudent' ? { [client.dialect.studentSelector]: look.session ?? '' } : {};
  return [await client.get(operation, { params, query })];
}

async function checkLists(look: Look): Promise<Finding> {
  for (const operation of [operations.listExams, operations.listSessions]) await checkPaging(await listing(look, operation));
  // The list on which the creates of students rest.
  if (look.exam !== undefined) await checkPaging(await listing(look, operations.listExamSessions, { params: { exam_id: look.exam } }));
  const { paging } = look.context.settings().dialect;
  return ok(paging === 'auto' ? 'the lists of exams, sessions and students are read to their end' : `as dialect.paging says: ${paging}`);
}

async function checkClock(look: Look): Promise<Finding> {
  const { clockAheadMs } = await firstAnswer(look);
  if (clockAheadMs === undefined) return skipped('the service does not show its time');
  if (clockAheadMs === 0) return ok('agrees with the service');
  return warning(`${clockDifference(clockAheadMs)}.`, 'Have the system set the clock of this machine from the network.');
}
