/** Questions on a real terminal: util-linux's `script` lends one. */
import { expect, onTestFinished, test } from 'vitest';
import { embedded, seededExams } from '../commands/embedded.ts';
import { answer, faultServer, type Reaction, silence } from '../faults/server.ts';
import { temporaryFolder } from '../support/run.ts';
import { command, internals, program, shell } from './program.ts';
import { onTerminal, openScreen, withoutScreen, withoutTerminal } from './screen.ts';

type Step = readonly [text: string, act: string | ((pid: number) => void)];
type Terminal = { home?: string; env?: Record<string, string>; columns?: number };

/**
 * Types the keys of each step, or acts, as soon as its text is there, after what was typed before; it has to come. `shown` is what
 * came to the terminal, without its escape sequences, and `raw` with them.
 */
async function dialogue(line: string, steps: readonly Step[], { home = temporaryFolder(), env = {}, columns = 100 }: Terminal = {}) {
  const terminal = onTerminal(`stty cols ${columns}; echo pid $$; exec ${command} ${line}`, { home, env });
  const pid = Number(await terminal.sees(/pid (\d+)/));
  for (const [text, act] of steps) {
    await terminal.sees(new RegExp(text.replaceAll(/[()?.]/g, '\\$&')), plain);
    if (typeof act === 'string') terminal.type(act);
    else act(pid);
  }
  const { code } = await terminal.end;
  return { code, shown: plain(terminal.shown()), raw: terminal.shown() };
}

const plain = (text: string) => text.replace(/␛\[[0-9;?]*[A-Za-z]/g, '').replace(/\r/g, '');

const deleteExam = 'exams delete 5';

/** The embedded service in this process, which the program starts with less work than one of its own. */
async function seeded() {
  const service = embedded();
  const { env } = await service.under([]);
  return { env, isThere: (exam: number) => service.store((kept) => kept.find('exams', exam) !== undefined) };
}

test.skipIf(withoutTerminal)('the ID of the exam, and nothing else, deletes it', async () => {
  const home = temporaryFolder();
  const steps: Step[] = [
    ['Type 5 to confirm:', 'y\r'],
    // The wrong answer has left the field.
    ['Type 5 to confirm, or', '5\r'],
  ];
  const { code, shown } = await dialogue(`--profile sandbox ${deleteExam}`, steps, { home });
  expect(code).toBe(0);
  expect(shown).toMatch(/at the embedded\s+service\?/);
  expect(shown).toContain('deleted');
  expect((await program('--profile sandbox exams get 5', { home })).code).toBe(6);
});

test.skipIf(withoutTerminal).each([
  ['Enter alone', '', '\r'],
  ['Ctrl-C', '', '\u0003'],
  ['Ctrl-D', '', '\u0004'],
  ['Ctrl-C with --plain', '--plain ', '\u0003'],
  ['Ctrl-D with --plain', '--plain ', '\u0004'],
])('leaves everything as it is: %s', async (_key, option, keys) => {
  const { env, isThere } = await seeded();
  const asked = [
    [deleteExam, 'Type 5 to confirm:', env],
    ['auth login --no-verify --base-url https://proctor.example', 'operator of the service:', {}],
  ] as const;
  // An empty token is asked for again.
  for (const [line, question, its] of keys === '\r' ? asked.slice(0, 1) : asked) {
    const { code, shown } = await dialogue(option + line, [[question, keys]], { env: its });
    expect(code).toBe(130);
    expect(shown).not.toMatch(internals);
    if (line === deleteExam) expect(shown).toMatch(/Nothing( more)? was (sent|changed)\./);
  }
  expect(isThere(5)).toBe(true);
});

test.skipIf(withoutTerminal)('where stderr is redirected, a question is asked on stdout', async () => {
  const { env, isThere } = await seeded();
  for (const option of ['', '--plain '])
    expect(await dialogue(`${option}sessions delete 7 2>/dev/null`, [['Delete student session 7 (', 'n\r']], { env })).toMatchObject({
      code: 130,
    });
  expect(await dialogue(`${deleteExam} 2>/dev/null`, [['Type 5 to confirm:', '5\r']], { env })).toMatchObject({ code: 0 });
  expect(isThere(5)).toBe(false);
});

test.skipIf(withoutTerminal)('a question ends with its process', async () => {
  const { env, isThere } = await seeded();
  const { code, shown } = await dialogue(deleteExam, [['Delete exam 5 (', (pid) => process.kill(pid, 'SIGTERM')]], { env });
  expect([code, shown]).toEqual([143, expect.stringContaining('Stopped by SIGTERM.')]);
  expect(isThere(5)).toBe(true);
});

test.skipIf(withoutTerminal)('a token that is typed is not shown', async () => {
  const home = temporaryFolder();
  const token = 'typed-secret-0123456789';
  const login = 'auth login --no-verify --timezone UTC --institute 1 --base-url https://proctor.example';
  const { code, shown } = await dialogue(login, [['of the service:', `${token}\r`]], { home });
  expect(code).toBe(0);
  expect(shown).not.toContain(token);
  expect((await program('auth token', { home })).stdout).toBe(`${token}\n`);
});

const enter = '\r';
const controlC = '\u0003';
const down = '\u001b[B';

/** The questions of `exams create`, each with an answer. */
const wizard: readonly Step[] = [
  ['--start;', `2027-02-01T09:00+01:00${enter}`],
  ['--end;', `2h${enter}`],
];

/** A service that gives each request its reaction; `env` leads to it, `writes` are the requests that would change something. */
async function service(...reactions: Reaction[]) {
  const server = await faultServer(reactions);
  const env = { PROCTOR_BASE_URL: server.origin, PROCTOR_TOKEN: 'a-token' };
  return { env, requests: server.requests, writes: () => server.requests().filter((request) => !request.startsWith('GET ')) };
}

test.skipIf(withoutTerminal)('exams create asks, shows the line that does the same, and creates', async () => {
  const home = temporaryFolder();
  const { code, shown } = await dialogue('--profile sandbox exams create --name "Ada\'s exam" --allow-pen-paper', wizard, {
    home,
    columns: 400,
  });
  expect(code).toBe(0);
  const [, line = ''] = /The same command without prompts:\n {2}(proctor-cli .*)\n/.exec(shown) ?? [];
  expect(line).toContain("--name 'Ada'\\''s exam'");
  const typed = line.replace('proctor-cli', 'proctor');
  expect(await shell(typed, { home })).toMatchObject({ code: 11, stdout: '' });
  const pasted = await shell(`${typed} --allow-duplicate -o csv --columns name,start_time,allow_pen_paper`, { home });
  expect(pasted.stdout.trim().split(/\r?\n/).at(-1)).toBe("Ada's exam,2027-02-01T08:00:00Z,true");
  expect((await program('--profile sandbox exams list -o id', { home })).stdout.trim().split('\n')).toHaveLength(seededExams.length + 2);
});

const exams = [
  { id: 41, name: 'Organic Chemistry', start_time: '2027-02-01T08:00:00Z' },
  { id: 42, name: 'Linear Algebra', start_time: '2027-02-02T08:00:00Z' },
];

test.skipIf(withoutTerminal)('Ctrl-C at a picker that still loads exits with 130, and no write was sent', async () => {
  const { env, writes } = await service(silence);
  const { code, shown } = await dialogue('exams delete', [['Waiting for the service', controlC]], { env });
  expect({ code, writes: writes() }).toEqual({ code: 130, writes: [] });
  expect(shown).not.toMatch(internals);
});

test.skipIf(withoutTerminal)('a picker finds by what is typed, and an arrow takes the next one', async () => {
  const { env, requests } = await service(answer(200, exams), answer(200, exams[1]));
  const steps: Step[] = [
    ['Organic Chemistry', 'alg'],
    ['❯ 42  Linear Algebra', '\u0015'],
    ['41  Organic Chemistry', `${down}${enter}`],
  ];
  const { code } = await dialogue('exams get', steps, { env });
  expect({ code, requests: requests() }).toEqual({ code: 0, requests: ['GET /exams', 'GET /exams/42'] });
});

test.skipIf(withoutTerminal)('Enter that comes in one piece with what was typed takes what that finds, not the first of all', async () => {
  const { env, requests } = await service(answer(200, exams), answer(200, exams[1]));
  const { code } = await dialogue('exams get', [['Organic Chemistry', `l${enter}`]], { env });
  expect({ code, requests: requests() }).toEqual({ code: 0, requests: ['GET /exams', 'GET /exams/42'] });
});

test.skipIf(withoutTerminal).each([
  ['with --plain', '--plain ', {}],
  ['on a dumb terminal', '', { TERM: 'dumb' }],
])('%s a question is a line, and nothing is redrawn', async (_where, option, dumb) => {
  const { env, isThere } = await seeded();
  const steps: Step[] = [
    ['Type 5 to confirm:', 'y\r'],
    ['Type 5 to confirm, or', '5\r'],
  ];
  const { code, raw } = await dialogue(option + deleteExam, steps, { env: { ...env, ...dumb } });
  expect(code).toBe(0);
  expect(raw).not.toContain('␛');
  expect(isThere(5)).toBe(false);
});

test.skipIf(withoutScreen)('Ctrl-Z stops a watch and a question, and fg resumes them', async () => {
  const screen = openScreen("env HISTFILE= 'PS1=ready> ' bash --norc --noprofile", { HOME: temporaryFolder() });
  onTestFinished(screen.close);
  await screen.shows(/ready>$/);
  screen.type(`${command} --profile sandbox sessions watch --exam 3\n`);
  await screen.shows(/q quits$/);
  screen.press('C-z');
  expect(await screen.shows(/Stopped.*ready>$/s)).not.toContain('Introduction to Programming');
  screen.type('fg\n');
  expect(await screen.shows(/q quits$/)).toContain('Introduction to Programming');
  screen.press('q');
  expect(await screen.shows(/ready> fg\n.*ready>$/s)).not.toContain('Introduction to Programming');

  screen.type(`clear; ${command} --profile sandbox exams get\n`);
  await screen.shows(/navigate/);
  screen.press('C-z');
  await screen.shows(/Stopped/);
  screen.type('fg\n');
  screen.type('programming');
  await screen.shows(/exam: programming\s+❯ 3 {2}Introduction/);
  screen.press('Enter');
  await screen.shows(/Name +Introduction to Programming.*ready>$/s);
});
