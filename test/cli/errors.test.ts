/** How a command fails: the contract's exit statuses, a sentence for people, one line of JSON for scripts. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CliError, errorTable } from '../../src/errors.ts';
import { wordsOf } from '../commands/embedded.ts';
import { type Run, run, temporaryFolder, type World } from '../support/run.ts';
import { ignored, type Reply, refused, silent } from '../support/service.ts';
import { stage } from '../support/stage.ts';
import { token } from './answering.ts';
import { commandLinesIn } from './command-lines.ts';

type Stage = Awaited<ReturnType<typeof stage>>;
/** `ends`: the trouble is over, as it is when somebody has waited, or done what a hint without a command says. */
type Trouble = World & { ends?: () => unknown };
type Provoke = (at: Stage) => unknown;

/** The machine has a file with this text. */
function having(name: string, text: string): Provoke {
  return ({ service }) => {
    const path = join(service.home, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, text, { mode: 0o600 });
  };
}
const roster = (text: string) => having('roster.csv', text);

/** Requests with these methods meet this until the trouble is over. */
function meeting(methods: string, reply: Reply): (at: Stage) => Trouble {
  return ({ service }) => {
    service.fault = ({ method }) => (methods.includes(method) ? reply : undefined);
    return { ends: () => Object.assign(service, { fault: () => undefined }) };
  };
}

function stoppedBy(code: 'interrupted' | 'terminated'): Provoke {
  return (at) => {
    const stop = new AbortController();
    return { ...meeting('GET', refused(503))(at), interrupt: stop.signal, onSleep: () => stop.abort(new CliError(code, 'Stopped.')) };
  };
}

const rename = 'exams update 6 --name Analysis';
const create = 'sessions create --exam 6 --email ada@example.org';
const imports = 'sessions import HOME/roster.csv --exam 6 --yes';
const mail = 'exams send-emails 6 --yes';
const shift = 'exams shift 6 --by 1h --yes';

const ran =
  (line: string): Provoke =>
  async ({ service }) =>
    void (await service.run(line));

/** The same command is at work. */
async function beside({ service }: Stage): Promise<Trouble> {
  const [arrived, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  service.next('PATCH', { takes: answered.promise });
  service.onArrival = ({ method }) => (method === 'PATCH' ? arrived.resolve() : undefined);
  const first = service.run(rename);
  await arrived.promise;
  const ends = () => {
    answered.resolve();
    return first;
  };
  return { ends };
}

async function halfAnImport(at: Stage): Promise<void> {
  await roster('email\nbo@example.org\neve@example.org\n')(at);
  at.service.next('POST', undefined, refused(401));
  await at.service.run(imports.replace('HOME', at.service.home));
}

/** A colleague moves the end of the exam while the service has the request wait. */
function meanwhile({ service }: Stage): void {
  service.next('PATCH', refused(429, {}, { 'retry-after': '20' }));
  service.onAnswer = ({ method, countOfMethod: count }) => {
    if (method === 'PATCH' && count === 1) service.change('exam', 6, { end_time: '2027-02-01T09:30:00Z' });
  };
}

/** Ten exams, of which nothing shows that they are all. */
function tenOrMore({ service }: Stage): void {
  const ten = Array.from({ length: 10 }, (_, at) => ({ id: at + 1, name: `Exam ${at}` }));
  service.fault = ({ line, query }) => (line === 'GET /exams' ? refused(query.has('page') ? 400 : 200, ten) : undefined);
}

/** `leads`: so, the command succeeds once the hint is followed: as it was, where this is empty, or with these options of the hint. */
type Failure = [code: string, exit: number, line: string, provoke?: Provoke | undefined, leads?: string];

const failures: Failure[] = [
  ['internal', 1, 'exams delete 6', () => ({ tty: true })],
  ['usage', 2, 'exmas list'],
  ['usage', 2, 'exams list --colums id'],
  ['usage', 2, 'sessions extend 100'],
  ['needs_confirmation', 2, 'exams delete 6', undefined, '--yes'],
  ['needs_terminal', 2, 'auth login', () => ({ env: { PROCTOR_TOKEN: '', PROCTOR_BASE_URL: '' } })],
  ['invalid_input', 3, 'exams get a/b'],
  ['invalid_input', 3, 'exams list --timeout 30'],
  ['invalid_input', 3, imports, roster('email\nbo@example.org\ngrace@example\n')],
  ['invalid_input', 3, imports, roster('email,Status\nbo@example.org,enrolled\neve@example.org,left\n'), '--only Status=left'],
  ['invalid_config', 3, 'exams list', having('config/config.json', '{"profiles": {'), ''],
  ['list_in_doubt', 3, 'exams list --name zzz', tenOrMore, ''],
  ['output_failed', 3, 'exams report 6 --html HOME/missing/page.html'],
  ['state_failed', 3, rename, having('state', ''), ''],
  ['state_unavailable', 8, rename, () => ({ env: { PROCTOR_STATE: 'postgres://proctor@127.0.0.1:1/proctor' } })],
  ['state_damaged', 3, rename, having('state/record.sqlite', 'text '.repeat(1000)), ''],
  ['already_running', 8, rename, beside, ''],
  ['not_logged_in', 4, 'exams list', () => ({ env: { PROCTOR_TOKEN: '' } }), ''],
  ['token_refused', 4, 'exams list', meeting('GET', refused(401)), ''],
  ['token_refused', 4, 'exams list', meeting('GET', refused(403)), ''],
  ['unsupported', 5, 'sessions end 100'],
  ['not_found', 6, 'exams get 9'],
  ['not_found', 6, 'sessions get 9'],
  ['not_found', 6, 'students show --exam 6 --session 9'],
  ['not_found', 6, 'users list --institute 9', meeting('GET', refused(404))],
  ['not_found', 6, 'exams list', meeting('GET', refused(404)), ''],
  ['not_found', 6, 'api GET /exams/6/nothing?a=b'],
  ['not_found', 6, 'sessions move 999 --exam 6 --yes'],
  ['nothing_selected', 6, 'exams send-emails --name zzz --yes'],
  ['rejected', 7, rename, meeting('PATCH', refused(422, { errors: { name: 'has been taken' } })), ''],
  ['rejected', 7, mail, meeting('POST', refused(409)), ''],
  ['not_applied', 7, rename, meeting('PATCH', ignored), ''],
  ['unavailable', 8, 'exams list', meeting('GET', refused(500)), ''],
  ['unavailable', 8, create.replace('ada', 'bo'), meeting('POST', refused(500)), ''],
  ['unavailable', 8, mail, meeting('GET POST', refused(502)), ''],
  ['rate_limited', 8, 'exams list', meeting('GET', refused(429)), ''],
  ['network', 8, 'exams list', meeting('GET', { answer: 'lost' }), ''],
  ['timeout', 8, 'exams list', (at) => ({ ...meeting('GET', silent)(at), env: { PROCTOR_TIMEOUT: '20ms' } }), '--timeout 2m'],
  ['redirected', 8, 'exams list', meeting('GET', refused(302, '', { location: 'https://elsewhere.example/?session=secret' })), ''],
  ['bad_answer', 8, 'exams list', meeting('GET', refused(200, '<html>')), ''],
  ['partly_done', 9, 'sessions delete 100 999 --yes'],
  ['outcome_unknown', 10, mail, meeting('POST', refused(502)), '--resend'],
  ['differences', 11, imports.replace('--yes', '--check'), roster('email\nada@example.org\nbo@example.org\n'), ''],
  ['already_there', 11, create, undefined, '--if-not-exists'],
  ['already_there', 11, 'sessions move 100 --exam 6 --yes'],
  ['different', 11, `${create} --if-not-exists --name Bo`],
  ['already_mailed', 11, mail, ran(mail), '--resend'],
  ['already_moved', 11, shift, ran(shift), '--again'],
  ['unfinished', 11, mail, halfAnImport, ''],
  ['changed_meanwhile', 11, shift, meanwhile, ''],
  ['exam_running', 12, 'exams delete 6 --yes', ({ service }) => void service.clock.set('2027-02-01T09:00:00Z'), '--during-exam "REASON"'],
  ['interrupted', 130, 'exams list', stoppedBy('interrupted'), ''],
  ['terminated', 143, 'exams list', stoppedBy('terminated'), ''],
];

/** The machine of somebody who does not stop it. */
const recovered: World = { interrupt: new AbortController().signal, onSleep: () => {} };

/** Commands that have something to print although they fail: what became of each item. */
const printsAll = new Set(['partly_done', 'outcome_unknown', 'not_applied', 'rejected', 'unavailable', 'differences', 'changed_meanwhile']);

/** Values for what a hint leaves to the reader. */
const values: Record<string, string> = { ID: '100', AMOUNT: '15m', TIME: '2027-02-01T09:00Z', NAME: 'ada', URL: 'https://proctor.example' };

test('each code of the table is provoked here', () => {
  expect([...new Set(failures.map(([code]) => code))]).toEqual(Object.keys(errorTable));
});

describe.each<Failure>(failures)('%s is exit status %i: %s', (code, exit, line, provoke, leads) => {
  const prints = printsAll.has(code) || line.includes('import');

  /** In exam 6 is Ada, in session 100. */
  async function provoked() {
    const at = await stage();
    at.students('ada');
    const { ends, ...world } = ((await provoke?.(at)) ?? {}) as Trouble;
    const filled = line.replace('HOME', at.service.home);
    const type = (more: string, otherwise: World = {}): Promise<Run> =>
      at.service.run(wordsOf(`${filled} ${more}`), { ...world, ...otherwise });
    return { ...at, type, world, ends };
  }

  test('a person reads what happened and what to do next, which can be pasted and leads on', async () => {
    const { service, world, type, ends } = await provoked();
    const { stderr, ...printed } = await type('--quiet');
    expect({ code: printed.code, stderr }).toEqual({
      code: exit,
      stderr: expect.stringMatching(/^(.+\n)*error: \S.*[.!?:]\n(.+\n)*hint: [A-Z].*\S\n( {2}--.*\n)*$/),
    });
    if (!prints) expect(printed.stdout).toBe('');
    expect(stderr).not.toMatch(/\n {4}at |\.ts:|node:|undefined|\[object/);
    expect(stderr).not.toContain(token);
    const hint = stderr.slice(stderr.lastIndexOf('\nhint: '));
    const [pasted] = commandLinesIn(hint);
    const [, own] = /: ((?:mv|export) .*)\n/.exec(hint) ?? [];
    const env: Record<string, string> = {};
    if (pasted !== undefined) {
      const words = wordsOf(pasted).map((word) => values[word] ?? word);
      const answers = words[0] === 'auth' ? ['another-token', '', ''] : [true];
      const followed = await service.run(words, { ...world, tty: !hint.includes(' < '), stdin: 'another-token', answers });
      expect([1, 2], `${pasted}\n${followed.stderr}`).not.toContain(followed.code);
    } else if (own?.startsWith('mv')) execFileSync('bash', ['-c', own]);
    else if (own) env.PROCTOR_STATE_DIR = temporaryFolder();
    else expect(hint).toMatch(/--\w|again|report|\b(Wait|Write|Check|Correct|Give|Name|Set|See|set) /);
    await ends?.();
    if (leads === undefined) return;
    expect(hint).toContain(leads);
    const again = await type(leads, { ...recovered, env: { ...world.env, ...env } });
    expect([again.code, hint], again.stderr).toEqual([0, hint]);
  });

  // Each in one of the ways to ask for it.
  const output = ['-o json', '-ondjson', '--output=json', ''][failures.findIndex((each) => each[2] === line && each[3] === provoke) % 4];

  test('a script reads one line of JSON', async () => {
    const { type, world } = await provoked();
    const byEnvironment = output === '' ? { PROCTOR_OUTPUT: 'json' } : {};
    const { stderr, ...printed } = await type(`${output} --quiet`.trim(), { env: { ...world.env, ...byEnvironment } });
    expect(stderr).toMatch(/^\{.*\}\n$/);
    const { error } = JSON.parse(stderr);
    expect(error).toMatchObject({ code, exit, message: expect.stringMatching(/[.!?:]$/), hint: expect.stringMatching(/./) });
    expect(printed.code).toBe(exit);
    if (code === 'network') expect(error.status).toBe(null);
    if (!prints) expect(printed.stdout).toBe('');
  });
});

test('a bug shows its stack with --debug only', async () => {
  // A prompt that throws is a bug.
  const { stderr } = await run(['--profile', 'sandbox', 'exams', 'delete', '1', '--debug'], { tty: true });
  expect(stderr).toMatch(/error: Internal error in proctor-cli[\s\S]*\n {4}at /);
});
