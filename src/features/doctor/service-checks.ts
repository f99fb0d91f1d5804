/** What `doctor` finds at the service: whether it takes the token, each read operation with the fields that come, paging, and the clock. */
import { dateOf, type Reply } from '../../api/answer.ts';
import { examOf } from '../../api/client.ts';
import type { Dialect } from '../../api/dialect.ts';
import { readPage } from '../../api/list.ts';
import { type Operation, operations } from '../../api/operations.ts';
import { firstPath } from '../../api/paging.ts';
import { type Request, requestFor } from '../../api/request.ts';
import type { Context } from '../../command.ts';
import { profileOption } from '../../config/named-profiles.ts';
import { CliError, type ErrorCode } from '../../errors.ts';
import { clockDifference, clockOffset } from '../../model/exam-clock.ts';
import { idOf } from '../../model/id.ts';
import { fieldAt, type JsonObject } from '../../model/json.ts';
import { restrictionKeys } from '../../model/restrictions.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { sentence } from '../../text/sentence.ts';
import { findPaging } from './find-paging.ts';

/** `remedy`: what to do; a command comes last, after a colon. `code`: of a failure. */
export type Finding = { state: 'ok' | 'warning' | 'failed' | 'skipped'; detail: string; remedy?: string; code?: ErrorCode };

export const ok = (detail: string, remedy?: string): Finding => ({ state: 'ok', detail, ...(remedy === undefined ? {} : { remedy }) });
export const skipped = (detail: string): Finding => ({ state: 'skipped', detail });
export const warning = (detail: string, remedy: string): Finding => ({ state: 'warning', detail, remedy });
export const failed = (code: ErrorCode, detail: string, remedy: string): Finding => ({ state: 'failed', code, detail, remedy });

/** Words that services put before a token: the specification's, and the usual ones. */
const usualPrefixes = ['apiServiceToken', 'Bearer', 'Token'];

const setClock: Record<string, string> = { darwin: 'sudo sntp -sS time.apple.com', win32: 'w32tm /resync' };

/** The read operations, each with the fields that commands use: of the specification, or named by a setting of the dialect. */
const reads = {
  exams: { operation: operations.listExams, fields: ['dialect.idKey', 'dialect.examNameKey', 'start_time', 'end_time'] },
  sessions: { operation: operations.listSessions, fields: ['dialect.idKey', 'dialect.sessionExamKey', 'dialect.sessionNameKey', 'status'] },
  exam: { operation: operations.getExam, fields: ['dialect.idKey', 'start_time', 'end_time', ...restrictionKeys] },
  students: {
    operation: operations.listExamSessions,
    fields: ['dialect.idKey', 'dialect.sessionNameKey', 'email', 'status', 'close_time'],
  },
  student: { operation: operations.showStudent, fields: ['dialect.idKey', 'email'] },
  session: { operation: operations.getSession, fields: ['dialect.idKey', 'email', 'status', 'open_time', 'close_time'] },
  proctors: { operation: operations.listProctors, fields: ['dialect.idKey'] },
  users: { operation: operations.listUsers, fields: ['dialect.idKey', 'dialect.userEmailKey'] },
} satisfies Record<string, { operation: Operation; fields: readonly string[] }>;

type Name = keyof typeof reads;
export const readNames = Object.keys(reads) as Name[];

const ofCloseTime =
  '; after close_time a student may no longer start: whether it also ends a running exam is not documented, ask the operator of the service';

export class ServiceChecks {
  readonly #context: Context;
  readonly #answers = new Map<string, Promise<Reply>>();
  /** The first exam and the first session that a list showed: whom the other requests are about. */
  #exam: string | undefined;
  #session: string | undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Whether the service answers and takes the token, or would with another word before it. */
  async accepts(): Promise<Finding> {
    const settings = this.#context.settings();
    const { authPrefix, profile } = settings;
    const { known, origin } = await this.#context.client();
    // A row says it.
    known.clockIsNamed = true;
    try {
      const { sent, received } = await this.#answer(this.#first(operations.listExams));
      return ok(`${origin} answers within ${Math.max(0, received - sent)} ms and accepts the token after the word "${authPrefix}"`);
    } catch (error) {
      if (!isRefused(error)) throw error;
      const taken = await this.#prefixTaken();
      if (taken === undefined && error.status === 403) return ok(`${origin} answers and knows the token`);
      if (taken === undefined)
        return failed(error.code, `${error.message} It also refuses other words than "${authPrefix}" before the token.`, error.hint);
      const detail = `the service refuses "${authPrefix}" before the token (${error.status}) and accepts "${taken}"`;
      return failed(error.code, detail, `Set it: proctor-cli ${typedCommand('config set authPrefix', [taken], profileOption(profile))}`);
    }
  }

  /** One request of an operation, and the fields that came. That the token may read does not show that it may write. */
  async read(name: Name): Promise<Finding> {
    const { dialect, institute, profile, remedies } = this.#context.settings();
    const { operation, fields } = reads[name];
    if (name === 'users' && institute === undefined) return skipped('no institute is set: proctor-cli config set institute ID');
    const subject = operation.path.startsWith('/exams/:') ? this.#exam : this.#session;
    if (operation.path.includes('id') && name !== 'users' && subject === undefined) return skipped('no list has shown one to ask for');
    const records = await this.#records(operation, institute).catch((error: unknown) => {
      if (!isRefused(error)) throw error;
      const hint = sentence`Ask the operator of the service for a token that may ${operation.does.replace(/ :\w+$/, '')}. ${remedies.token ?? ''}`;
      throw new CliError(error.code, error.message, { hint });
    });
    const [first] = records;
    if (!first) return ok(`there is no ${operation.resource} whose fields could be checked`);
    if (name === 'exams') this.#exam = idOf(first);
    if (name === 'sessions') [this.#session, this.#exam] = [idOf(first), examOf(first, { dialect }) ?? this.#exam];
    const came = `fields: ${Object.keys(first).join(', ')}`;
    const named = (field: string) => (isDialectKey(field) ? dialect[field.slice(8) as keyof Dialect] : field);
    const missing = fields.filter((field) => {
      const path = field === 'dialect.idKey' ? 'id' : named(field);
      return records.every((record) => fieldAt(record, path) === undefined);
    });
    if (missing.length === 0) return ok(`${came}${name === 'students' ? ofCloseTime : ''}`);
    const setting = missing.find(isDialectKey);
    return warning(
      `no ${missing.map(named).join(', ')}; ${came}`,
      setting === undefined
        ? 'Ask the operator of the service which field holds it; no setting names this field, and commands do without it.'
        : `If another field holds it, set: proctor-cli ${typedCommand(`config set ${setting}`, ['NAME'], profileOption(profile))}`,
    );
  }

  /** How the lists of the service continue, and the setting that declares it. */
  async paging(): Promise<Finding> {
    const { dialect, baseUrl, profile } = this.#context.settings();
    const found = await findPaging({ dialect, baseUrl }, ({ does }, path) => this.#answer({ method: 'GET', path, does }));
    if (!found)
      return ok(dialect.paging === 'auto' ? 'the lists of exams and sessions are whole' : `as dialect.paging says: ${dialect.paging}`);
    if (found instanceof CliError) throw found;
    const { name, value, pages } = found;
    const line = `proctor-cli ${typedCommand('config set dialect.paging', [value], profileOption(profile))}`;
    const has = `the list of ${name}`;
    if (pages === 'read') return ok(`${has} has more pages, which are read`, `To follow them only in this way, set: ${line}`);
    const set = `Set how they are requested: ${line}`;
    if (pages === 'one') return warning(`${has} is whole on its first page; a longer list has more, which are not read`, set);
    return failed('bad_answer', `${has} has more pages, which are not read with dialect.paging ${dialect.paging}`, set);
  }

  async clock(): Promise<Finding> {
    const reply = await this.#answer(this.#first(operations.listExams));
    const date = dateOf(reply);
    if (Number.isNaN(Date.parse(date ?? ''))) return skipped('the service does not show its time');
    const ahead = clockOffset(date, reply);
    if (ahead === 0) return ok('agrees with the service');
    const line = setClock[this.#context.host.platform] ?? 'timedatectl set-ntp true';
    return warning(`${clockDifference(ahead)}.`, `Set the clock of this machine: ${line}`);
  }

  /** The first page of a list, as every command requests it. */
  #first({ does, path }: Pick<Request, 'does' | 'path'>): Request {
    return { method: 'GET', path: firstPath(path, this.#context.settings().dialect.listQuery), does };
  }

  /** Each requested once. */
  #answer(request: Request): Promise<Reply> {
    const answer = this.#answers.get(request.path) ?? this.#context.client().then((client) => client.read(request));
    this.#answers.set(request.path, answer);
    return answer;
  }

  async #records(operation: Operation, institute = ''): Promise<readonly JsonObject[]> {
    const { dialect, baseUrl } = this.#context.settings();
    const id = (operation.resource === 'session' && !operation.path.startsWith('/exams') ? this.#session : this.#exam) ?? '';
    const query = operation.id === 'showStudent' ? { [dialect.studentSelector]: this.#session ?? '' } : {};
    const input = { params: { id, exam_id: this.#exam ?? '', institute_id: institute }, query };
    if (operation.answer === 'one') return [await (await this.#context.client()).get(operation, input)];
    const request = this.#first(requestFor(operation, input));
    const where = { baseUrl, does: request.does };
    return (await readPage({ operation, dialect, where, path: request.path, read: () => this.#answer(request) }, request.path)).items;
  }

  /** The first of the usual words with which the service accepts the token. */
  async #prefixTaken(): Promise<string | undefined> {
    const settings = this.#context.settings();
    for (const authPrefix of usualPrefixes.filter((word) => word !== settings.authPrefix)) {
      try {
        const client = await this.#context.connect({ ...settings, authPrefix });
        await client.read(this.#first(operations.listExams));
        return authPrefix;
      } catch (error) {
        if (!isRefused(error)) throw error;
      }
    }
    return undefined;
  }
}

function isDialectKey(field: string): boolean {
  return field.startsWith('dialect.');
}

function isRefused(error: unknown): error is CliError {
  return error instanceof CliError && (error.status === 401 || error.status === 403);
}
