/** Tab in the real shells, each installed by the line that docs/configuration.md gives; and what they ask, by itself. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ShellName, shells } from '../../src/commands/completion.ts';
import { temporaryFolder } from '../support/run.ts';
import { compiledCode, installInto, program } from './program.ts';
import { openScreen, type Screen, withoutScreen } from './screen.ts';

/** The folder for traces of a shell that executed a name or an ID. */
const marks = temporaryFolder();
const names = [
  ...['Linear Algebra', `$(touch ${marks}/1)`, `\`touch ${marks}/2\``, `'; touch ${marks}/3; '`, `"; touch ${marks}/4; "`, 'a: colon'],
  ...['tab\there\nline\u001b[31m\u202e', '%F{red}%n \\back', '$HOME $(HOME) * ~ {a,b} !!'],
];
const exams = [
  ...names.map((name, index) => ({ id: 40 + index, name, start_time: '2027-02-01T09:00:00Z' })),
  { id: 'a:b', name: 'With a colon in its ID' },
  { id: `$(touch ${marks}/5)`, name: 'Evil' },
  { id: 'x; touch y', name: 'Evil' },
  { id: '-rf', name: 'Evil' },
];
const students = Array.from({ length: 5000 }, (_, index) => ({ id: 10_000 + index, email: `s${index}@example.org`, status: 'registered' }));

/** Answers about everything but the exam "silent". */
const server = createServer((request, response) => {
  if (request.url?.includes('silent')) return;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(request.url?.includes('student_sessions') ? students : exams));
});
let service: Record<string, string>;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  service = { PROCTOR_BASE_URL: `http://127.0.0.1:${port}`, PROCTOR_TOKEN: 'a-token-of-the-tests' };
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

/** A home with a prompt that can be recognised, the program, and another one of that name that answers everything alike. */
function homeOf(name: ShellName): string {
  const home = temporaryFolder();
  writeFileSync(join(home, '.bashrc'), "PS1='ready> '\n");
  writeFileSync(join(home, '.zshrc'), "PS1='ready> '\n");
  mkdirSync(join(home, '.config/fish'), { recursive: true });
  writeFileSync(join(home, '.config/fish/config.fish'), 'set -g fish_greeting\nfunction fish_prompt; echo -n "ready> "; end\n');
  mkdirSync(join(home, 'bin'));
  installInto(join(home, 'bin'));
  mkdirSync(join(home, 'other'));
  writeFileSync(join(home, 'other/proctor-cli'), "#!/bin/sh\nprintf 'words 0\\nanswered\\n'\n", { mode: 0o755 });
  mkdirSync(join(home, 'work'));
  writeFileSync(join(home, 'work/roster of 2027.csv'), '');
  appendFileSync(shells[name].start.replace('~', home), `${shells[name].line}\n`);
  return home;
}

function environment(home: string): Record<string, string> {
  return { HOME: home, PATH: `${join(home, 'bin')}:/usr/local/bin:/usr/bin:/bin` };
}

describe.each(['bash', 'zsh', 'fish'] as const)('%s', (name) => {
  const missing = withoutScreen || spawnSync(name, ['--version']).error !== undefined;
  let screen: Screen;
  let home: string;

  beforeAll(() => {
    if (missing) return;
    home = homeOf(name);
    screen = openScreen(`cd ${home}/work && exec ${name} -i`, { ...environment(home), ...compiledCode, ...service });
  });
  afterAll(() => screen?.close());
  beforeEach(async () => {
    if (missing) return;
    await screen.shows(/ready>/);
    screen.press('C-e', 'C-u', 'C-l');
    await screen.shows(/^ready>$/);
  });

  const typed = (line: string, ...keys: string[]) => {
    screen.type(line);
    screen.press(...(keys.length > 0 ? keys : ['Tab']));
  };

  /** On a busy machine an answer may come too late for its shell: then the line is typed again. */
  const shows = async (line: string, pattern: RegExp, ...keys: string[]): Promise<string> => {
    for (let tries = 100; ; tries -= 1) {
      typed(line, ...keys);
      const seen = await screen.shows(pattern, 3_000).catch((error) => (tries > 0 ? undefined : Promise.reject(error)));
      if (seen !== undefined) return seen;
      screen.press('C-e', 'C-u', 'C-l');
    }
  };

  test.skipIf(missing).each([
    ['a noun', 'proctor-cli exa', 'proctor-cli exams'],
    ['a verb', 'proctor-cli exams upd', 'proctor-cli exams update'],
    ['an option before the verb', 'proctor-cli --prof', 'proctor-cli --profile'],
    ['an option behind it', 'proctor-cli exams update 4 --allow-hea', 'proctor-cli exams update 4 --allow-headphones'],
    ['a value', 'proctor-cli exams list -o js', 'proctor-cli exams list -o json'],
    ['a value behind =', 'proctor-cli exams list --output=js', 'proctor-cli exams list --output=json'],
    ['one more column', 'proctor-cli exams list --columns id,na', 'proctor-cli exams list --columns id,name'],
    ['a zone', 'proctor-cli exams list --timezone Europe/Vien', 'proctor-cli exams list --timezone Europe/Vienna'],
    ['a profile', 'proctor-cli exams list --profile san', 'proctor-cli exams list --profile sandbox'],
    ['a folder', 'proctor-cli sandbox reset --folder ../wo', 'proctor-cli sandbox reset --folder ../work/'],
    ['by the program that is typed', '../other/proctor-cli ans', '../other/proctor-cli answered'],
    ['by the one in the home', '~/other/proctor-cli ans', '~/other/proctor-cli answered'],
    ['behind a variable, which only the shell could follow', '$HOME/bin/proctor-cli exa', '$HOME/bin/proctor-cli exams'],
    ['an ID with a colon', 'proctor-cli exams get a:', 'proctor-cli exams get a:b'],
    ['an ID by its name', 'proctor-cli exams get linear', 'proctor-cli exams get 40'],
    ['an ID by an address', 'proctor-cli sessions get s4321', 'proctor-cli sessions get 14321'],
    // With the quotes that this shell puts.
    ['a file', 'proctor-cli sessions import ros', /^ready> proctor-cli sessions import ['"]?roster\\? of\\? 2027\.csv/],
    // bash shows what all have in common, and no more than the words where there is nothing.
    ['verbs with what they do', 'proctor-cli runs ', /list +(-- |\()?List what was done from here/, 'Tab', 'Tab'],
  ] as [string, string, string | RegExp, ...string[]][])('%s', async (_what, line, completed, ...keys) => {
    const whole = (text: string) => new RegExp(`^ready> ${text.replaceAll(/[.*+?^$()|]/g, '\\$&')}( |$)`);
    await shows(line, typeof completed === 'string' ? whole(completed) : completed, ...keys);
  });

  test.skipIf(missing)('no shell obeys a name that it completes, whatever it is', async () => {
    const seen = await shows('proctor-cli exams get ', /With a colon in its ID/, 'Tab', 'Tab');
    for (const part of [
      ...['Linear Algebra, 2027-02-01 09:00 +00:00', '`touch', '$(touch', 'a: colon', 'tab␉here␊line␛[31m', '%F{red}%n \\back'],
      '$HOME $(HOME) * ~',
    ])
      expect(seen).toContain(part);
    expect(seen).not.toContain('Evil');
    expect(readdirSync(marks)).toEqual([]);
  });

  test.skipIf(missing)('one of 5,000 sessions', async () => {
    const seen = await shows('proctor-cli students show --exam 40 --session 1432', /14329/, 'Tab', 'Tab');
    expect(seen).toMatch(/14321 +(-- |\()?s4321@example\.org, registered/);
  });

  test.skipIf(missing)('a service that never answers does not hold up the line', async () => {
    typed('proctor-cli students show --exam silent --session ');
    screen.type('7');
    expect(await screen.shows(/--session 7/)).not.toMatch(/rror|fail/);
  });

  test.skipIf(missing)('nothing, and not a word, once the program is gone', async () => {
    // In bash, where a variable that is not set is an error too.
    screen.type(`${name === 'bash' ? 'set -u; ' : ''}export PATH=/usr/bin:/bin; clear\n`);
    await screen.shows(/^ready>$/);
    typed('proctor-cli exams up');
    screen.type('x');
    // A busy machine echoes what is typed before the shell reads it again.
    expect(await screen.shows(/upx/)).toMatch(/^x?ready> proctor-cli exams upx$/);
    screen.press('C-e', 'C-u');
    screen.type(`${name === 'bash' ? 'set +u; ' : ''}export PATH=${environment(home).PATH}; clear\n`);
    await screen.shows(/^ready>$/);
  });
});

describe('what the scripts ask', () => {
  const deaf = createTcpServer(() => {});
  beforeAll(() => once(deaf.listen(0, '127.0.0.1'), 'listening'));
  afterAll(() => void deaf.close());

  test.each<[string, string, () => Record<string, string | undefined>]>([
    ['a service that never answers', 'students show --exam silent --session ', () => ({})],
    ['a service that is gone', 'exams get ', () => ({ PROCTOR_BASE_URL: 'http://127.0.0.1:1' })],
    ['a service to which a connection is only being made', 'exams get ', () => ({ PROCTOR_BASE_URL: addressOf(deaf) })],
    ['a machine without a home', 'exams get ', () => ({ HOME: undefined, PROCTOR_BASE_URL: undefined })],
  ])('of %s is nothing, without a word', async (_service, line, env) => {
    const words = ['__complete', ...line.split(' ').slice(0, -1), `:${line.split(' ').at(-1)}`];
    // It ends itself by a signal: a name that is being looked up would hold up another end.
    const nothing = { code: null, stderr: '', stdout: 'words 0\n' };
    expect(await program(words, { home: temporaryFolder(), env: { ...service, ...env() } })).toEqual(nothing);
  });
  const addressOf = (listens: Server) => `https://127.0.0.1:${(listens.address() as AddressInfo).port}`;
});

describe('PowerShell', () => {
  const { file } = shells.powershell;
  const script = readFileSync(join(import.meta.dirname, '../../completions', file), 'utf8');

  test('its script calls the program once, and executes no text', () => {
    expect(script.match(/& \$program __complete @words ":\$current" 2>\$null/g)).toHaveLength(1);
    expect(script).not.toMatch(/Invoke-Expression|\biex\b/);
    // Tab is no command: what the last one ended with stays.
    expect(script).toMatch(/\$status = \$global:LASTEXITCODE\n[\s\S]*finally \{[^}]*\$global:LASTEXITCODE = \$status\n/);
    // Windows PowerShell reads a file without a mark as whatever the machine's old code page is.
    expect(script).toMatch(/^[\x20-\x7e\n]+$/);
  });

  test.skipIf(spawnSync('pwsh', ['-Version']).error !== undefined)('its parser finds nothing wrong, and completes', () => {
    const path = join(temporaryFolder(), file);
    writeFileSync(path, script);
    const home = temporaryFolder();
    mkdirSync(join(home, 'bin'));
    installInto(join(home, 'bin'));
    const line = `$e = $null; [void][System.Management.Automation.Language.Parser]::ParseFile('${path}', [ref]$null, [ref]$e); $e.Count; . '${path}'; (TabExpansion2 'proctor-cli exams upd' 21).CompletionMatches.CompletionText`;
    const { stdout } = spawnSync('pwsh', ['-NoProfile', '-Command', line], { env: environment(home), encoding: 'utf8' });
    expect(stdout.trim().split(/\s+/)).toEqual(['0', 'update']);
  });
});
