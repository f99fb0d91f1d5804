/** Checks the service: does it answer, is its clock right, what may the token read. */
import { typedCommand } from '../../model/shell-quote.ts';
import { type Check, type DoctorContext, failed, ok, skipped, warning } from './check.ts';
import { exams, type List, sessions } from './lists.ts';

export const service: Check = {
  name: 'service',
  network: true,
  after: ['log', 'token', 'proxy', 'DNS', 'TLS'],
  async find(context) {
    const { problem, status, sent, received } = await context.answer(exams);
    if (problem && status === 404) {
      return failed(
        'not_found',
        problem.message,
        `Check that this is the service: proctor-cli config get baseUrl${context.profileOption()}`,
      );
    }
    // A refused token proves that the service answers.
    if (problem && status !== 401 && status !== 403) throw problem;
    return ok(`answers within ${Math.max(0, received - sent)} ms`);
  },
};

/** Milliseconds; the Date header counts in whole seconds. */
const tolerated = 5_000;

export const clock: Check = {
  name: 'clock',
  network: true,
  after: ['service'],
  async find(context) {
    const { headers, sent, received } = await context.answer(exams);
    const shown = Date.parse(headers.date ?? '');
    if (Number.isNaN(shown)) return skipped('the service does not show its time');
    const ahead = (sent + received) / 2 - (shown + 500);
    if (Math.abs(ahead) <= tolerated + (received - sent) / 2) return ok('agrees with the service');
    return warning(
      `this machine's clock is ${span(Math.abs(ahead))} ${ahead > 0 ? 'ahead of' : 'behind'} the service's: times such as +30m are off by that much`,
      `Set the clock: ${setClock[context.host.platform] ?? 'timedatectl set-ntp true'}`,
    );
  },
};

const setClock: Record<string, string> = { darwin: 'sudo sntp -sS time.apple.com', win32: 'w32tm /resync' };

function span(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

export const examRights = rights(exams);
export const sessionRights = rights(sessions);

/** Reading shows what a token may read; write access is not tested. */
function rights(list: List): Check {
  return {
    name: `rights: ${list.name}`,
    network: true,
    after: ['service'],
    async find(context) {
      const { problem, status, headers } = await context.answer(list);
      if (!problem) return ok(`the token may read ${list.name}`);
      if (status !== 401 && status !== 403) throw problem;
      const { authPrefix } = context.settings();
      const option = context.profileOption();
      const taken = list === exams ? await prefixTaken(context, headers['www-authenticate'] ?? '') : undefined;
      if (taken !== undefined) {
        return failed(
          problem.code,
          `the service refuses "${authPrefix}" before the token (${status}) and accepts "${taken}"`,
          `Set it: proctor-cli ${typedCommand('config set authPrefix', [taken], option)}`,
        );
      }
      return failed(
        problem.code,
        problem.message,
        status === 403
          ? `Ask for a token that may read ${list.name}, and log in with it: proctor-cli auth login${option}`
          : `Log in again; if the service's word before the token is not ${authPrefix}, add --auth-prefix: proctor-cli auth login${option}`,
      );
    },
  };
}

/** Schemes of other kinds, which take no token. */
const otherSchemes = /^(basic|digest|negotiate|ntlm|hoba|mutual|scram.*)$/i;

/** The word before the token that the service accepts, among those that it names and the usual ones. */
async function prefixTaken(context: DoctorContext, challenge: string): Promise<string | undefined> {
  const { authPrefix } = context.settings();
  const named = [...challenge.matchAll(/(?:^|,)\s*([A-Za-z][\w-]*)(?=\s|,|$)(?!\s*=)/g)].map(([, scheme = '']) => scheme);
  for (const word of new Set([...named, 'Bearer', 'Token'])) {
    if (word === authPrefix || otherSchemes.test(word)) continue;
    const { problem } = await context.answer(exams, { authPrefix: word });
    if (!problem) return word;
  }
  return undefined;
}
