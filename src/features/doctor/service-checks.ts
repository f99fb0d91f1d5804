/** Checks the service by its answers to the requests for its lists: does it answer, to whom, with what, and at what time. */
import { type Operation, operations } from '../../api/operations.ts';
import { CliError } from '../../errors.ts';
import { clockDifference, clockOffset } from '../../model/exam-clock.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { type DoctorContext, type Finding, failed, ok, skipped, warning } from './doctor-check.ts';
import { examFields, sessionFields } from './field-checks.ts';
import { findPaging } from './find-paging.ts';

/** Whether the service answers and takes the token, or would with another word before it. */
export async function service(context: DoctorContext): Promise<Finding> {
  const { authPrefix } = context.settings();
  try {
    const { sent, received } = await context.answer(operations.listExams);
    return ok(`answers within ${Math.max(0, received - sent)} ms and accepts the token after the word "${authPrefix}"`);
  } catch (error) {
    if (!isRefused(error)) throw error;
    const { code, message, status, hint } = error;
    const taken = await prefixTaken(context);
    if (taken === undefined && status === 403) return ok('answers and knows the token');
    if (taken === undefined) return failed(code, `${message} It also refuses other words than "${authPrefix}" before the token.`, hint);
    return failed(
      code,
      `the service refuses "${authPrefix}" before the token (${status}) and accepts "${taken}"`,
      `Set it: proctor-cli ${typedCommand('config set authPrefix', [taken], context.profileOption())}`,
    );
  }
}

function isRefused(error: unknown): error is CliError {
  return error instanceof CliError && (error.status === 401 || error.status === 403);
}

/** Words that services put before a token: the specification's, and the usual ones. */
const usualPrefixes = ['apiServiceToken', 'Bearer', 'Token'];

/** The first of them with which the service accepts the token. */
async function prefixTaken(context: DoctorContext): Promise<string | undefined> {
  for (const authPrefix of usualPrefixes) {
    if (authPrefix === context.settings().authPrefix) continue;
    try {
      await context.answer(operations.listExams, { authPrefix });
      return authPrefix;
    } catch (error) {
      if (!isRefused(error)) throw error;
    }
  }
  return undefined;
}

/** Whether exams can be read as every command reads them, and which fields they show. */
export function exams(context: DoctorContext): Promise<Finding> {
  return readable(context, 'exams', operations.listExams, async () => {
    await context.readList(operations.listExams);
    return examFields(context);
  });
}

export function sessions(context: DoctorContext): Promise<Finding> {
  return readable(context, 'sessions', operations.listSessions, () => sessionFields(context));
}

/** What is found in a list that the token may read. Reading shows what it may read; write access is not tested. */
async function readable(context: DoctorContext, name: string, list: Operation, find: () => Promise<Finding>): Promise<Finding> {
  try {
    await context.answer(list);
    return await find();
  } catch (error) {
    if (!isRefused(error)) throw error;
    const { token = '' } = context.settings().remedies;
    return failed(error.code, error.message, `Ask the service's operator for a token that may read ${name}. ${token}`.trim());
  }
}

export async function clock(context: DoctorContext): Promise<Finding> {
  const reply = await context.answer(operations.listExams);
  const { date } = reply.headers;
  if (Number.isNaN(Date.parse(date ?? ''))) return skipped('the service does not show its time');
  const ahead = clockOffset(date, reply);
  if (ahead === 0) return ok('agrees with the service');
  return warning(
    `${clockDifference(ahead)}.`,
    `Set the clock of this machine: ${setClock[context.host.platform] ?? 'timedatectl set-ntp true'}`,
  );
}

const setClock: Record<string, string> = { darwin: 'sudo sntp -sS time.apple.com', win32: 'w32tm /resync' };

/** How the lists of the service continue, and the setting that declares it. */
export async function paging(context: DoctorContext): Promise<Finding> {
  const { dialect, baseUrl } = context.settings();
  const found = await findPaging({ dialect, baseUrl }, (list, path) => context.answer(list, { path }));
  if (!found)
    return ok(dialect.paging === 'auto' ? 'the lists of exams and sessions are whole' : `as dialect.paging says: ${dialect.paging}`);
  if (found instanceof CliError) throw found;
  const { name, value, pages } = found;
  const line = `proctor-cli ${typedCommand('config set dialect.paging', [value], context.profileOption())}`;
  if (pages === 'read') return ok(`the list of ${name} has more pages, which are read`, `To follow them only in this way, set: ${line}`);
  if (pages === 'one')
    return warning(
      `the list of ${name} is whole on its first page; a longer list has more, which are not read`,
      `Set how they are requested: ${line}`,
    );
  return failed(
    'bad_answer',
    `the list of ${name} has more pages, which are not read with dialect.paging ${dialect.paging}`,
    `Set how they are requested: ${line}`,
  );
}
