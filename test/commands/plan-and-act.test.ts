/**
 * A command that writes sends what its dry run has printed: each line runs twice, with --dry-run and for
 * real, against an embedded service of the line's own that records every request.
 */
import { describe, expect, test } from 'vitest';
import { allCommands } from '../cli/all-commands.ts';
import type { Run } from '../support/run.ts';
import { type Data, embedded, withSamples, wordsOf } from './embedded.ts';

type Sent = { method: string; path: string; body?: Data };

/** They change this machine alone; `sessions end` is refused. */
const otherwise = ['runs forget', 'sessions end'];
/** Commands that write to the service. */
const writing = allCommands.filter(({ name, effect }) => effect !== 'local' && effect !== 'read' && !otherwise.includes(name));

const more = [
  'exams update 1 --no-allow-pen-paper --put',
  ...['exams update 1 --allow-headphones --no-allow-whiteboard --allow-leave-room --no-allow-pen-paper', 'exams clone 6 --start now+7h'],
  ...['exams delete 1 2 6', 'sessions delete -', 'sessions update 5 --name Ada --put', 'sessions import - --exam 6'],
  ...['sessions import - --exam 6 --remove-missing 40', 'api POST /exams/6/student_sessions -F email=ada@example.org -F name=Ada'],
  ...['api PATCH /student_sessions/5?x=1 -F name=Ada --during-exam reason', 'api DELETE /exams/1', 'exams send-emails 2 --resend'],
  'api POST /exams/6/send_emails',
];

/** All but those that write nothing: the list of the operations, and checks. */
const examples = writing
  .flatMap(({ name, examples }) => Object.keys(examples).map((line) => [lineOf(line), name] as const))
  .filter(([line]) => !/^api (--list|GET )| --check$/.test(line));
const lines = [
  ...examples,
  ...more.map((line) => [line, writing.find(({ name }) => `${line} `.startsWith(`${name} `))?.name ?? ''] as const),
];

/** Without what decides between the two runs. */
function lineOf(line: string): string {
  return line.replace('proctor-cli ', '').replace(/ (--yes|--no-input|--dry-run|-o json|< \S+)(?= |$)/g, '');
}

describe('a real run sends what a dry run prints', () => {
  test.each(lines)('%s', async (line, name) => {
    const service = await recorded();
    await before(name, service);
    const words = withSamples(wordsOf(line.replace(/\d{8}T\d{6}-[0-9a-f]{6}/, await record(name, service))));
    const stdin = name === 'sessions import' ? 'email,name\nada@example.org,Ada\nben@example.org,Ben\n' : '7\n8\n';

    const dry = await service.run([...words, '--dry-run', '-o', 'json'], stdin);
    expect(dry.code, dry.stderr).toBe(0);
    expect(service.writes()).toEqual([]);

    const real = await service.run([...words, '--yes', '-o', 'json'], stdin);
    expect(real.code, real.stderr).toBe(line.includes('--skip-invalid') ? 9 : 0);
    const sent = service.writes();
    const output = JSON.parse(dry.stdout) as Data[] | { steps: Data[] };
    const printed = ('steps' in output ? output.steps : output).filter(({ method }) => method !== 'GET');
    const announced = printed.map((row) => requestOf(row, service.origin));
    // Requests of several exams or students go out side by side.
    const key = ({ path, body }: Sent) => `${path} ${body?.email}`;
    if (['exams delay', 'sessions move', 'sessions import'].includes(name)) {
      sent.sort((a, b) => key(a).localeCompare(key(b)));
      announced.sort((a, b) => key(a.request).localeCompare(key(b.request)));
    }
    expect(sent.map((request, at) => asAnnounced(request, announced[at]))).toEqual(announced.map(({ request }) => request));
    const methods = new Set(sent.map(({ method }) => method));
    if (line.includes('--remove-missing') || name === 'sessions move') expect([...methods].sort()).toEqual(['DELETE', 'POST']);
    else if (line.includes('--with-students')) expect([...methods].sort()).toEqual(['PATCH', 'POST']);
    else expect(methods.size).toBe(line.startsWith('api GET') ? 0 : 1);
  });

  test('and every command that writes is among them', () => {
    const names = lines.flatMap(([line, name]) => (line.startsWith('api GET') ? [] : name));
    expect([...new Set(names)].sort()).toEqual(writing.map(({ name }) => name).sort());
  });
});

type Announced = { request: Sent; note?: string };

/** The request that a row of a dry run announces. */
function requestOf({ method, url, body, note }: Data, origin: string): Announced {
  const path = String(url).replace(`${origin}/api/v1`, '');
  const request = { method: String(method), path, ...(body === undefined ? {} : { body: body as Data }) };
  return { request, ...(note === undefined ? {} : { note: String(note) }) };
}

/** A request that was sent, without what its announcement says is known only later; nothing else may differ. */
function asAnnounced(sent: Sent, announced: Announced | undefined): Sent {
  const { path } = sent;
  const { note = '', request } = announced ?? {};
  if (request?.path.endsWith('/ID')) return { ...sent, path: path.replace(/\d+$/, 'ID') };
  if (note.startsWith('ID: ')) return { ...sent, path: path.replace(/^\/exams\/\d+\//, '/exams/ID/') };
  return sent;
}

/** Prepares the world for a command: a run to undo, or one that was stopped at its second request. */
async function before(name: string, service: Recorded) {
  if (name !== 'runs undo' && name !== 'runs resume') return;
  const stops = name === 'runs resume';
  if (stops) service.refuseAfter(1);
  const { code, stderr } = await service.run(wordsOf('sessions extend --exam 5 --by 30m --yes'), '');
  expect(code, stderr).toBe(stops ? 9 : 0);
  service.refuseAfter(undefined);
  service.writes();
}

/** The ID of the last run of this machine. */
async function record(name: string, service: Recorded): Promise<string> {
  if (!name.startsWith('runs ')) return '';
  const [last] = JSON.parse((await service.run(['runs', 'list', '-o', 'json'], '')).stdout) as { run: string }[];
  return last?.run ?? '';
}

type Recorded = {
  origin: string;
  run(words: readonly string[], stdin: string): Promise<Run>;
  /** The requests that may have changed something since it was asked last, in the order of their arrival. */
  writes(): Sent[];
  /** Refuses the token of all writes after so many. */
  refuseAfter(writes: number | undefined): void;
};

/** An embedded service that records. The clock of the program stands still. */
async function recorded(): Promise<Recorded> {
  const sent: Sent[] = [];
  let allowed: number | undefined;
  const { env, run } = await embedded().under((service) => async (request, connection) => {
    if (request.method === 'GET') return service(request, connection);
    const { pathname, search } = new URL(request.url);
    const text = await request.clone().text();
    const path = pathname.replace('/api/v1', '') + search;
    sent.push({ method: request.method, path, ...(text === '' ? {} : { body: JSON.parse(text) }) });
    const isRefused = allowed !== undefined && sent.length > allowed;
    return isRefused ? Response.json({ error: 'refused' }, { status: 401 }) : service(request, connection);
  });
  const now = new Date().toISOString();
  return {
    origin: new URL(env.PROCTOR_BASE_URL).origin,
    run: (words, stdin) => run(words, { now, stdin }),
    writes: () => sent.splice(0),
    refuseAfter(writes) {
      allowed = writes;
    },
  };
}
