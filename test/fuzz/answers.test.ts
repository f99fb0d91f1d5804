/**
 * No answer breaks a command: any status line, headers, length, packing and body, to one request or to all of its kind. FUZZ_SEED draws
 * others, FUZZ_TIMES more. No status is a bug, no line shows what is inside, nothing is sent elsewhere, nobody is registered twice,
 * nobody is mailed twice, and what ends with 0 is so.
 */
import { expect, test } from 'vitest';
import { attempt } from '../faults/outcome.ts';
import { type Received, serverBy } from '../faults/server.ts';
import { ada, algebra, bob } from '../support/algebra.ts';
import { handled } from '../support/records.ts';
import { temporaryFolder } from '../support/run.ts';
import type { Answer, Arrived } from '../support/service.ts';
import { Truth } from '../support/truth.ts';
import { plant } from '../sweep/planted.ts';
import { brokenBy, brokenIn } from '../sweep/promises.ts';
import { holds } from './draw.ts';
import { spelledOddly } from './odd-answers.ts';

const roster = 'email,name\ncyd@example.org,Cyd\ndan@example.org,Dan\neve@example.org,Eve\n';
const people = ['cyd@example.org', 'dan@example.org', 'eve@example.org'];

/** Whether what a line asked for is so. */
const lines: Readonly<Record<string, (truth: Truth) => boolean>> = {
  'exams list': () => true,
  'exams get 1': () => true,
  'sessions list --exam 1': () => true,
  'sessions list': () => true,
  'sessions get 7': () => true,
  'sessions find ada': () => true,
  'users list --institute 1': () => true,
  'proctors list --exam 1': () => true,
  'students show --exam 1 --session 7': () => true,
  'exams report 1': () => true,
  'preflight --exam 1': () => true,
  'api GET /exams/1': () => true,
  doctor: () => true,
  'auth login --with-token': () => true,
  'sessions export --exam 1': () => true,
  'sessions create --exam 1 --email cyd@example.org --name Cyd': (truth) => has(truth, 'cyd@example.org'),
  'sessions import - --exam 1': (truth) => people.every((email) => has(truth, email)),
  'sessions update 7 --name Eda': (truth) => truth.sessions.get(7)?.name === 'Eda',
  'sessions delete 7 8': (truth) => !truth.sessions.has(7) && !truth.sessions.has(8),
  'exams create --name Logic --start 2127-03-01T08:00Z --end 2127-03-01T09:00Z': (truth) => named(truth, 'Logic') === 1,
  'exams update 1 --name Logic --allow-headphones': (truth) => named(truth, 'Logic') === 1,
  'exams delete 1': (truth) => !truth.exams.has(1),
  'exams send-emails 1': (truth) => mails(truth) === 1,
  'proctors add 2 --exam 1': (truth) => truth.pools.get(1)?.has(2) === true,
  'sessions extend 7 --by 10m': () => true,
};
const has = (truth: Truth, email: string) => truth.inExam(1).filter((one) => one.email === email).length === 1;
const named = (truth: Truth, name: string) => [...truth.exams.values()].filter((one) => one.name === name).length;
const mails = ({ record }: Truth) => record.filter(({ kind }) => kind === 'mails').length;

const plainReads = /^(exams|sessions|users|proctors|students|api) (list|get|GET|show|find)\b/;
/** Texts and numbers as they are written. */
const scalars = (json: string) =>
  (json.match(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g) ?? []).map((each) =>
    /^("|-?[\d.e]{1,15}$)/.test(each) ? JSON.stringify(JSON.parse(each)) : each,
  );

/** What a read has printed, and no answer has said. */
function inventedIn(stdout: string, bodies: readonly string[]): string[] {
  const said = new Set(['id', '***', 'value', 'exam', 'exam_name', 'exam_start', 'exam_end'].map((key) => JSON.stringify(key)));
  for (const body of bodies) {
    try {
      JSON.parse(body.replace(/^\ufeff/, ''));
      for (const each of scalars(body.replace(/^\ufeff/, ''))) said.add(each);
    } catch {}
  }
  return scalars(stdout).filter((each) => !said.has(each));
}

function doubles(truth: Truth): string[] {
  const all = truth.inExam(1).map(({ email }) => String(email));
  return all.filter((email, at) => all.indexOf(email) !== at);
}

function office(): Truth {
  const truth = new Truth(() => 0, { firstId: 101 });
  truth.set('exam', algebra);
  truth.set('session', ada);
  truth.set('session', bob);
  truth.pool(1, [1], 'add');
  return truth;
}

function served(truth: Truth, { method, path, headers, body: text }: Received): Answer {
  const url = new URL(path, 'http://service');
  const body = text === '' ? {} : JSON.parse(text);
  const always = { record: Number.POSITIVE_INFINITY, list: Number.POSITIVE_INFINITY, unseen: undefined };
  const request = { method, path: url.pathname.replace('/api/v1', ''), query: url.searchParams, text, body, headers, by: 1 };
  return handled(truth, request as unknown as Arrived, always, 0);
}

test('no answer breaks a command, whatever it is', async () => {
  let react: (request: Received) => { bytes: Buffer; ends: boolean };
  const elsewhere = await serverBy(() => (socket) => void socket.end());
  const server = await serverBy((request) => (socket) => {
    const { bytes, ends } = react(request);
    if (ends) socket.end(bytes);
    else socket.write(bytes);
  });
  await holds(120, async (draw) => {
    const truth = office();
    const { tokenVariable: secret } = plant(draw);
    const token = { ...secret, value: secret.core };
    const line = draw.pick(Object.keys(lines));
    const which = draw.pick(['one', 'reads', 'writes', 'lists', 'all'] as const);
    const at = draw.below(8);
    let count = 0;
    let isHealthy = false;
    let lies = false;
    const said: string[] = [];
    const bodies: string[] = [];
    react = (request) => {
      const { status, body } = served(truth, request);
      const plain = body === undefined ? '' : JSON.stringify(body);
      const isList = request.method === 'GET' && /\/(exams|student_sessions|proctor_pool|users)$/.test(request.path.split('?')[0] ?? '');
      const isMet = { one: count === at, reads: request.method === 'GET', writes: request.method !== 'GET', lists: isList, all: true }[
        which
      ];
      count += 1;
      const odd = spelledOddly(draw, {
        status,
        body: plain,
        isList,
        token: token.core,
        elsewhere: elsewhere.origin,
        origin: server.origin,
        isPlain: isHealthy || !isMet,
      });
      // A write that is refused so was not done.
      lies ||= odd.lies || (request.method !== 'GET' && /^HTTP\/1.1 (401|403|429)/m.test(odd.shown));
      said.push(odd.shown);
      bodies.push(odd.body);
      return odd;
    };
    const home = temporaryFolder();
    const world = {
      home,
      env: { PROCTOR_TOKEN: token.core, PROCTOR_TIMEZONE: 'UTC', PROCTOR_INSTITUTE: '1' },
      stdin: line.startsWith('auth') ? token.core : roster,
    };
    const argv =
      `${line} --no-input${/^(auth|doctor|api|preflight)|(list|get|find|show|export|report)\b/.test(line) ? '' : ' --yes'} -o ${draw.pick(['json', 'table', 'csv', 'ndjson'])}${draw.chance(0.3) ? ' --debug' : ''}`.split(
        ' ',
      );
    if (line.startsWith('auth')) argv.push('--base-url', server.origin);
    const judged = async () => {
      const before = server.writes().length;
      const ended = await attempt(argv, server.origin, line.startsWith('auth') ? { ...world, env: {} } : world);
      const writes = server.writes().slice(before);
      const about = `${which} ${at}: ${argv.join(' ')} → ${ended.code}\n${ended.stdout}${ended.stderr}\n${said.join('\n')}`;
      const given = line.startsWith('auth') ? ['config/config.json'] : [];
      expect([...brokenBy(ended, { argv, foreign: said.join('\n'), planted: [token] }), ...brokenIn(home, given, [token])], about).toEqual(
        [],
      );
      expect(elsewhere.requests(), about).toEqual([]);
      expect(writes.filter((each) => each.endsWith('send_emails')).length, about).toBeLessThan(2);
      if (ended.code === 0 && plainReads.test(line) && argv.includes('json')) expect(inventedIn(ended.stdout, bodies), about).toEqual([]);
      if (lies) return ended;
      expect(doubles(truth), about).toEqual([]);
      if (ended.code === 0) expect(lines[line]?.(truth), about).toBe(true);
      return ended;
    };
    await judged();
    await judged();
    isHealthy = true;
    await judged();
  });
});
