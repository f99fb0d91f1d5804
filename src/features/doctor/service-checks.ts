/** What `doctor` finds at the service: whether it takes the token, each read operation with the fields that come, paging, and the clock. */
import { dateOf, type Reply } from '../../api/answer.ts';
import { type Client, examOf } from '../../api/client.ts';
import { checkPaging } from '../../api/continuation.ts';
import type { Dialect } from '../../api/dialect.ts';
import { firstPathOf, readPage } from '../../api/list.ts';
import { type Operation, operations } from '../../api/operations.ts';
import type { RequestInput } from '../../api/request.ts';
import type { Context } from '../../command.ts';
import { commandOf } from '../../config/profiles.ts';
import { CliError, orError } from '../../errors.ts';
import { clockDifference, clockOffset } from '../../model/exam-clock.ts';
import { idOf } from '../../model/id.ts';
import { fieldAt, type JsonObject } from '../../model/json.ts';
import { restrictionKeys } from '../../model/restrictions.ts';
import { sentence } from '../../text/sentence.ts';
import { type Finding, failed, ok, skipped, warning } from '../finding.ts';

/** `needs`: the check without which this one would only repeat a failure. An error it throws is its failure, with the hint as the remedy. */
export type Check = { name: string; needs?: string; find(): Finding | Promise<Finding> };

/** Words that services put before a token: the specification's, and the usual ones. */
const usualPrefixes = ['apiServiceToken', 'Bearer', 'Token'];

const setClock: Record<string, string> = { darwin: 'sudo sntp -sS time.apple.com', win32: 'w32tm /resync' };

/** The read operations, each with the fields that commands use: of the specification, or named by a setting of the dialect. */
const reads: Record<string, { operation: Operation; fields: readonly string[] }> = {
  exams: { operation: operations.listExams, fields: ['idKey', 'examNameKey', 'start_time', 'end_time'] },
  sessions: { operation: operations.listSessions, fields: ['idKey', 'sessionExamKey', 'sessionNameKey', 'status'] },
  exam: { operation: operations.getExam, fields: ['idKey', 'start_time', 'end_time', ...restrictionKeys] },
  students: { operation: operations.listExamSessions, fields: ['idKey', 'sessionNameKey', 'email', 'status', 'close_time'] },
  student: { operation: operations.showStudent, fields: ['idKey', 'email'] },
  session: { operation: operations.getSession, fields: ['idKey', 'email', 'status', 'open_time', 'close_time'] },
  proctors: { operation: operations.listProctors, fields: ['idKey'] },
  users: { operation: operations.listUsers, fields: ['idKey', 'userEmailKey'] },
};

const ofCloseTime =
  'after close_time a student may no longer start: whether it also ends a running exam is not documented, ask the operator of the service; ';

/** The checks of the service, in the order in which each can rest on those before. */
export function serviceChecks(context: Context): Check[] {
  const { settings } = context;
  const answers = new Map<string, Promise<Reply>>();
  /** Whom the requests about one exam and one session are about: the first ones that a list showed. */
  let exam: string | undefined;
  let session: string | undefined;
  const command = (line: string, operands: readonly string[]) => commandOf(settings().profile, line, operands);
  /** A list whose requests are each sent once, whoever asks. */
  const listing = async (operation: Operation, input?: RequestInput) => {
    const list = (await context.client()).listing(operation, input);
    const read = (path: string) => {
      const answer = answers.get(path) ?? list.read(path);
      answers.set(path, answer);
      return answer;
    };
    return { ...list, read };
  };
  const firstAnswer = async () => firstPage(await listing(operations.listExams));

  async function service(): Promise<Finding> {
    const { authPrefix } = settings();
    const { known, origin } = await context.client();
    // A row says it.
    known.clockIsNamed = true;
    const first = await orError(firstAnswer());
    if (!(first instanceof CliError))
      return ok(`${origin} answers within ${first.received - first.sent} ms and accepts the token after the word "${authPrefix}"`);
    const { code, status, message, hint } = first;
    if (!isRefused(first)) throw first;
    for (const word of usualPrefixes.filter((each) => each !== authPrefix)) {
      const client = await context.client({ ...settings(), authPrefix: word });
      const answer = await orError(firstPage(client.listing(operations.listExams)));
      const detail = `the service refuses "${authPrefix}" before the token (${status}) and accepts "${word}"`;
      if (!(answer instanceof CliError)) return failed(detail, `Set it: ${command('config set authPrefix', [word])}`, code);
      if (!isRefused(answer)) throw answer;
    }
    if (status === 403) return ok(`${origin} answers and knows the token`);
    return failed(`${message} It also refuses other words than "${authPrefix}" before the token.`, hint, code);
  }

  /** One request of an operation, and the fields that came. That the token may read does not show that it may write. */
  async function read(name: string, operation: Operation, fields: readonly string[]): Promise<Finding> {
    const { dialect, institute } = settings();
    if (name === 'users' && institute === undefined) return skipped('no institute is set: proctor-cli config set institute ID');
    const about = /^\/exams\/:/.test(operation.path) ? exam : session;
    if (/:(exam_)?id/.test(operation.path) && about === undefined) return skipped('no list has shown one to ask for');
    const records = await recordsOf(operation, { id: about ?? '', exam_id: exam ?? '', institute_id: institute ?? '' });
    const [first] = records;
    if (!first) return ok(`there is no ${operation.resource} whose fields could be checked`);
    if (name === 'exams') exam = idOf(first);
    if (name === 'sessions') [session, exam] = [idOf(first), examOf(first, { dialect }) ?? exam];
    const came = `fields: ${Object.keys(first).join(', ')}`;
    const named = (field: string) => dialect[field as keyof Dialect] ?? field;
    const placeOf = (field: string) => (field === 'idKey' ? 'id' : named(field));
    const missing = fields.filter((field) => records.every((record) => fieldAt(record, placeOf(field)) === undefined));
    if (missing.length === 0) return ok(`${name === 'students' ? ofCloseTime : ''}${came}`);
    const setting = missing.find((field) => field in dialect);
    const remedy =
      setting === undefined
        ? 'Ask the operator of the service which field holds it; no setting names this field, and commands do without it.'
        : `If another field holds it, set: ${command(`config set dialect.${setting}`, ['NAME'])}`;
    return warning(`no ${missing.map(named).join(', ')}; ${came}`, remedy);
  }

  async function recordsOf(operation: Operation, params: Record<string, string>): Promise<readonly JsonObject[]> {
    const { dialect, remedies } = settings();
    const query = operation.id === 'showStudent' ? { [dialect.studentSelector]: session ?? '' } : {};
    const list = async () => {
      if (operation.answer === 'one') return [await (await context.client()).get(operation, { params, query })];
      return (await readPage(await listing(operation, { params }))).items;
    };
    const records = await orError(list());
    if (!(records instanceof CliError)) return records;
    const may = operation.does.replace(/ :\w+$/, '');
    const hint = sentence`Ask the operator of the service for a token that may ${may}. ${remedies.token ?? ''}`;
    throw isRefused(records) ? new CliError(records.code, records.message, { hint }) : records;
  }

  /** Whether the lists of the service are read to their end, or need a setting. */
  async function paging(): Promise<Finding> {
    for (const operation of [operations.listExams, operations.listSessions]) await checkPaging(await listing(operation));
    const { paging: set } = settings().dialect;
    return ok(set === 'auto' ? 'the lists of exams and sessions are read to their end' : `as dialect.paging says: ${set}`);
  }

  async function clock(): Promise<Finding> {
    const reply = await firstAnswer();
    const date = dateOf(reply);
    if (Number.isNaN(Date.parse(date ?? ''))) return skipped('the service does not show its time');
    const ahead = clockOffset(date, reply);
    if (ahead === 0) return ok('agrees with the service');
    const line = setClock[context.host.platform] ?? 'timedatectl set-ntp true';
    return warning(`${clockDifference(ahead)}.`, `Set the clock of this machine: ${line}`);
  }

  return [
    { name: 'service', needs: 'token', find: service },
    ...Object.entries(reads).map(([name, { operation, fields }]): Check => {
      return { name, needs: 'service', find: () => read(name, operation, fields) };
    }),
    { name: 'paging', needs: 'exams', find: paging },
    { name: 'clock', needs: 'exams', find: clock },
  ];
}

/** The first page of a list, as every command requests it. */
function firstPage(list: ReturnType<Client['listing']>): Promise<Reply> {
  return list.read(firstPathOf(list));
}

function isRefused({ status }: CliError): boolean {
  return status === 401 || status === 403;
}
