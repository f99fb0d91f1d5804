/** Checks the service by its answers to the requests for its lists: does it answer, to whom, and is the answer new. */

import { ageOf } from '../../api/answer.ts';
import { findPaging } from '../../api/find-paging.ts';
import { listedIn } from '../../api/list-body.ts';
import { type Operation, operations } from '../../api/operations.ts';
import { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { durationInWords } from '../../model/duration.ts';
import { clockDifference, clockOffset } from '../../model/exam-clock.ts';
import { shownHeader } from '../../model/secret-pairs.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { cut, type DoctorContext, type Finding, failed, ok, skipped, warning } from './doctor-check.ts';

export async function service(context: DoctorContext): Promise<Finding> {
  try {
    const { sent, received } = await context.answer(operations.listExams);
    return ok(`answers within ${Math.max(0, received - sent)} ms`);
  } catch (error) {
    if (!(error instanceof CliError && isRefused(error))) throw error;
    // A refused token proves that the service answers.
    return ok(`answers, but refuses the token (${error.status})`);
  }
}

function isRefused({ status }: CliError): boolean {
  return status === 401 || status === 403;
}

/** Whether the service takes the token at all, or would with another word before it. */
export async function authorization(context: DoctorContext): Promise<Finding> {
  const { authPrefix } = context.settings();
  try {
    await context.answer(operations.listExams);
    return ok(`the service accepts the token after the word "${authPrefix}"`);
  } catch (error) {
    if (!(error instanceof CliError && isRefused(error))) throw error;
    const { code, message, status, hint } = error;
    const taken = await prefixTaken(context);
    if (taken === undefined && status === 403) return ok('the service knows the token');
    if (taken === undefined) return failed(code, `${message} It also refuses other words than "${authPrefix}" before the token.`, hint);
    return failed(
      code,
      `the service refuses "${authPrefix}" before the token (${status}) and accepts "${taken}"`,
      `Set it: proctor-cli ${typedCommand('config set authPrefix', [taken], context.profileOption())}`,
    );
  }
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
      if (!(error instanceof CliError && isRefused(error))) throw error;
    }
  }
  return undefined;
}

export const examRights = (context: DoctorContext) => rights(context, 'exams', operations.listExams);
export const sessionRights = (context: DoctorContext) => rights(context, 'sessions', operations.listSessions);

/** Reading shows what a token may read; write access is not tested. */
async function rights(context: DoctorContext, name: 'exams' | 'sessions', list: Operation): Promise<Finding> {
  try {
    await context.answer(list);
    return ok(`the token may read ${name}`);
  } catch (error) {
    if (!(error instanceof CliError && isRefused(error))) throw error;
    const { token = '' } = context.settings().remedies;
    return failed(error.code, error.message, `Ask the service's operator for a token that may read ${name}. ${token}`.trim());
  }
}

/** The most that is shown of a value. */
const shownOfHeader = 100;

/** The headers as they came, for the person who sets the program up. */
export async function headers(context: DoctorContext): Promise<Finding> {
  const { status, headers: came = {} } = await context.answer(operations.listExams);
  const lines = Object.entries(came).map(([name, value]) => shownHeader(name, context.masked(cut(value, shownOfHeader))));
  return ok([`${status} for GET /exams`, ...lines].join('; '));
}

/** Whether a list can be read as every command reads it. */
export async function list(context: DoctorContext): Promise<Finding> {
  await context.readList(operations.listExams);
  const { data } = await context.answer(operations.listExams);
  const items = listedIn(data, operations.listExams.resource, context.settings().dialect)?.items.length ?? 0;
  return ok(`${count(items, 'exam')} in the first answer`);
}

export async function clock(context: DoctorContext): Promise<Finding> {
  const { date, sent, received, headers: came = {} } = await context.answer(operations.listExams);
  if (ageOf(came) > 0) return skipped('the answer is a copy from a cache, so its Date is not the time');
  if (Number.isNaN(Date.parse(date ?? ''))) return skipped('the service does not show its time');
  const ahead = clockOffset(date, { sent, received });
  if (ahead === 0) return ok('agrees with the service');
  return warning(
    `${clockDifference(ahead)}.`,
    `Set the clock of this machine: ${setClock[context.host.platform] ?? 'timedatectl set-ntp true'}`,
  );
}

const setClock: Record<string, string> = { darwin: 'sudo sntp -sS time.apple.com', win32: 'w32tm /resync' };

/** An Age counts whole seconds: a copy that is younger shows none. Milliseconds. */
const visibleAge = 1100;

/** The same request again, a second later: an answer that a cache has kept shows its age. */
export async function cache(context: DoctorContext): Promise<Finding> {
  const first = await context.answer(operations.listExams);
  await context.host.sleep(Math.max(0, first.received + visibleAge - context.host.now()));
  const second = await context.answer(operations.listExams, { again: true });
  const age = Math.max(ageOf(first.headers ?? {}), ageOf(second.headers ?? {}));
  if (age === 0) return ok('no answer was a copy from a cache');
  return warning(
    `an answer was ${durationInWords(age * 1000)} old (Age: ${age}): a cache keeps answers although each request demands a new one, so commands may show outdated exams and students, and send no writes`,
    `Ask the administrator of the proxy or cache not to cache ${context.settings().baseUrl}`,
  );
}

/** How the lists of the service continue, and the setting that declares it. */
export async function paging(context: DoctorContext): Promise<Finding> {
  const { dialect, origin, baseUrl } = context.settings();
  const service = { dialect, origin, basePath: new URL(baseUrl).pathname };
  const found = await findPaging(service, (list, path) => context.answer(list, { path }));
  if (!found)
    return ok(dialect.paging === 'auto' ? 'the lists of exams and sessions are whole' : `as dialect.paging says: ${dialect.paging}`);
  if (found.is === 'unclear') throw found.error;
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
