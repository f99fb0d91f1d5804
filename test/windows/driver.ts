/**
 * Runs on Node for Windows and spawns the program there: what a person in an office does, and what Windows does otherwise. Prints a line for
 * each promise. What Wine cannot show is tested as text (test/cli/windows.test.ts) and by the release's workflow.
 */
import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const {
  TEST_PROGRAM: program = '',
  TEST_GIVEN: given = '',
  TEST_NPM: npm = '',
  TEST_PACKED: packed = '',
  TEST_EXECUTABLE: executable = '',
  TEST_SOURCES: sources = '',
} = process.env;
const node = process.execPath;
const folder = 'C:\\Prüfungen 2027';

type World = {
  command?: [file: string, ...before: string[]];
  home?: string;
  stdin?: string | Buffer;
  env?: Record<string, string>;
  cwd?: string;
};
let homes = 0;
const newHome = () => join(folder, `home ${++homes}`);

function environment({ home = newHome(), env = {} }: World): NodeJS.ProcessEnv {
  const { HOME: _, ...machine } = process.env;
  const profile = { USERPROFILE: home, LOCALAPPDATA: join(home, 'Local'), APPDATA: join(home, 'Roaming') };
  for (const path of Object.values(profile)) mkdirSync(path, { recursive: true });
  return { ...machine, ...profile, ...env };
}

function run(words: readonly string[], world: World = {}) {
  const [file, ...before] = world.command ?? [node, program];
  const { status, stdout, stderr } = spawnSync(file, [...before, ...words], {
    env: environment(world),
    cwd: world.cwd ?? folder,
    input: world.stdin ?? '',
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

/** In the embedded service; throws what it says if it does not end well. */
function done(line: string | readonly string[], world: World = {}): string {
  const words = typeof line === 'string' ? line.split(' ') : line;
  const { status, stdout, stderr } = run(['--profile', 'sandbox', ...words], world);
  assert.equal(status, 0, stderr);
  return stdout;
}

type Started = ChildProcessByStdio<null, Readable, Readable>;

function start(words: readonly string[], world: World): Started {
  return spawn(node, [program, ...words], { env: environment(world), cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** What is printed until the pattern is there. */
async function until(child: Started, pattern: RegExp): Promise<RegExpExecArray> {
  let text = '';
  for (;;) {
    const found = pattern.exec(text);
    if (found) return found;
    const [part] = await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), once(child, 'exit')]);
    assert(part instanceof Buffer, `It ended: ${text}`);
    text += part;
  }
}

/** The embedded service, as one that is reached by its address. */
async function serving<T>(use: (service: { url: string; token: string; home: string }) => Promise<T>): Promise<T> {
  const home = newHome();
  const child = start(['sandbox', 'serve'], { home });
  try {
    const [, url = '', token = ''] = await until(child, /(http:\S+\/api\/v1)[\s\S]*?(sandbox_\w+|[\w-]{20,})/);
    return await use({ url, token, home });
  } finally {
    child.kill();
    await once(child, 'exit');
  }
}

/** Open in another program that shares neither writing over it nor its removal, as Excel does. */
function openElsewhere(path: string): () => void {
  const database = new DatabaseSync(path);
  assert.throws(() => database.exec('SELECT * FROM sqlite_schema'));
  return () => database.close();
}

const students = (count: number) =>
  `email,name\r\n${Array.from({ length: count }, (_, n) => `s${n}@example.org,Jürgen ${n}\r\n`).join('')}`;
const sessionsOf = (exam: number, world: World) =>
  JSON.parse(done(`sessions list --exam ${exam} -o json`, world)) as { email: string; name: string }[];

const promises: Record<string, () => void | Promise<void>> = {
  'the version and the help are printed'() {
    assert.match(run(['--version']).stdout, /^proctor-cli \d/);
    assert.match(run(['exams', 'update', '--help']).stdout, /^Usage: proctor-cli exams update/);
  },

  'settings and runs are in the local part of the profile, compiled code beside them, nothing in the part that roams'() {
    const home = newHome();
    assert.equal(run(['config', 'set', 'timezone', 'Europe/Vienna'], { home }).status, 0);
    done(['exams', 'create', '--name', 'Statik', '--start', '2027-05-01T09:00Z', '--end', '2027-05-01T11:00Z'], { home });
    for (const name of ['proctor-cli\\config.json', 'proctor-cli\\record.sqlite', 'proctor-cli-cache'])
      assert(existsSync(join(home, 'Local', name)), name);
    assert(!existsSync(join(home, 'Roaming', 'proctor-cli')));
  },

  'a list is printed as a table, as JSON, as lines of JSON, as CSV and as IDs'() {
    const home = newHome();
    assert.match(done('exams list', { home }), /^ID +NAME/);
    const rows = JSON.parse(done('exams list -o json', { home })) as unknown[];
    assert.equal(done('exams list -o ndjson', { home }).trim().split('\n').length, rows.length);
    assert.equal(done('exams list -o csv', { home }).trim().split('\r\n').length, rows.length + 1);
    assert.equal(done('exams list -o id', { home }).trim().split('\n').length, rows.length);
  },

  'a roster with a mark, CRLF and umlauts is imported from a folder with blanks and umlauts, and from a path of 300 characters'() {
    const home = newHome();
    const long = join(folder, 'x'.repeat(120), 'y'.repeat(120), 'z'.repeat(60));
    mkdirSync(long, { recursive: true });
    for (const [exam, path] of [
      [6, join(folder, 'Größe 1.csv')],
      [7, join(long, 'roster.csv')],
    ] as const) {
      writeFileSync(path, `\ufeff${students(3)}`);
      done(['sessions', 'import', path, '--exam', String(exam), '--yes'], { home });
      assert(
        sessionsOf(exam, { home }).some(({ name }) => name === 'Jürgen 2'),
        path,
      );
    }
  },

  'a workbook is imported'() {
    const home = newHome();
    done(['sessions', 'import', join(given, 'roster.xlsx'), '--exam', '6', '--yes'], { home });
    assert(sessionsOf(6, { home }).some(({ name }) => name === 'Zoë Müller'));
  },

  'a roster comes through a pipe of cmd, and a list goes into a file by its >, byte by byte'() {
    const home = newHome();
    writeFileSync(join(folder, 'piped.csv'), students(2));
    const [quotedNode, quotedProgram] = [`"${node}"`, `"${program}" --profile sandbox`];
    const script = join(folder, 'pipes.bat');
    const lines = [
      `type piped.csv | ${quotedNode} ${quotedProgram} sessions import - --exam 6 --yes`,
      `${quotedNode} ${quotedProgram} sessions list --exam 6 --columns email,name -o csv > list.csv`,
    ];
    writeFileSync(script, `@${lines.join('\r\n@')}\r\n`);
    spawnSync('cmd', ['/c', script], { env: environment({ home }), cwd: folder });
    assert.match(readFileSync(join(folder, 'list.csv'), 'utf8'), /^email,name\r\n[\s\S]*s1@example\.org,Jürgen 1\r\n/);
  },

  'an export is written to a file, and read again'() {
    const home = newHome();
    done('sessions export --exam 2 -o csv --to export.csv', { home });
    assert.match(
      run(['--profile', 'sandbox', 'sessions', 'import', 'export.csv', '--exam', '2', '--check'], { home }).stderr,
      /Plan: \d+ unchanged/,
    );
  },

  'an import that is killed and resumed has each student once, and is named while it runs'() {
    return serving(async ({ url, token, home }) => {
      const env = { PROCTOR_BASE_URL: url, PROCTOR_TOKEN: token };
      writeFileSync(join(folder, 'many.csv'), students(60));
      // A machine may be so slow that each command takes ten seconds.
      const words = ['sessions', 'import', 'many.csv', '--exam', '6', '--yes', '--rate', '1'];
      const created = () => {
        const list = JSON.parse(run(['sessions', 'list', '--exam', '6', '-o', 'json'], { home, env }).stdout) as { email: string }[];
        return list.map(({ email }) => email).filter((email) => /^s\d+@/.test(email));
      };
      const child = start(words, { home, env });
      while (created().length === 0) {
        await pause(100);
        assert.equal(child.exitCode, null, 'It ended before it created anybody.');
      }
      const second = run(words, { home, env });
      assert.deepEqual([second.status, /another|already|running/i.test(second.stderr)], [8, true], second.stderr);
      child.kill();
      await once(child, 'exit');
      const before = created().length;
      const resumed = run(words.slice(0, -2), { home, env });
      assert.equal(resumed.status, 0, resumed.stderr);
      const after = created();
      assert.deepEqual([after.length, new Set(after).size, before < 60], [60, 60, true]);
    });
  },

  'a run is undone'() {
    const home = newHome();
    writeFileSync(join(folder, 'few.csv'), students(3));
    const before = sessionsOf(6, { home }).length;
    done('sessions import few.csv --exam 6 --yes', { home });
    const [run] = JSON.parse(done('runs list -o json', { home })) as { run: string }[];
    done(['runs', 'undo', String(run?.run), '--yes'], { home });
    assert.equal(sessionsOf(6, { home }).length, before);
  },

  async 'four settings that are made at once are all kept'() {
    const home = newHome();
    const settings = { timezone: 'UTC', timeout: '20s', institute: '4', keepRuns: '90d' };
    await Promise.all(
      Object.entries(settings).map(([key, value]) => once(start(['config', 'set', key, value, '--profile', 'p'], { home }), 'exit')),
    );
    assert.deepEqual(JSON.parse(readFileSync(join(home, 'Local', 'proctor-cli', 'config.json'), 'utf8')).profiles.p, settings);
  },

  async 'a setting is made although another program has the file open for a moment, and refused while it stays open'() {
    const home = newHome();
    run(['config', 'set', 'timeout', '20s'], { home });
    const path = join(home, 'Local', 'proctor-cli', 'config.json');
    const close = openElsewhere(path);
    const { stderr } = run(['config', 'set', 'timeout', '21s'], { home });
    assert.match(stderr, /The file is as it was\.\r?\nhint: Close a program that has it open/);
    const exit = once(start(['config', 'set', 'timeout', '22s'], { home }), 'exit');
    while (!existsSync(join(path, '..', '.new-config'))) await pause(20);
    await pause(300);
    close();
    assert.deepEqual([(await exit)[0], /22s/.test(readFileSync(path, 'utf8'))], [0, true]);
  },

  'a login takes the token from stdin, with a line break of Windows'() {
    return serving(async ({ url, token, home }) => {
      const { status, stderr } = run(['auth', 'login', '--base-url', url, '--with-token'], { home, stdin: `${token}\r\n` });
      assert.equal(status, 0, stderr);
      assert.equal(run(['exams', 'list', '-o', 'id'], { home }).status, 0);
    });
  },

  'a token file that PowerShell wrote (UTF-16) is read'() {
    const path = join(folder, 'token.txt');
    writeFileSync(path, Buffer.from('\ufeffa-token-of-the-tests\r\n', 'utf16le'));
    assert.equal(
      run(['auth', 'token'], { env: { PROCTOR_BASE_URL: 'https://x.invalid', PROCTOR_TOKEN_FILE: path } }).stdout.trim(),
      'a-token-of-the-tests',
    );
  },

  'a token command that is a .cmd is named with how it is run, and runs so'() {
    const path = join(folder, 'get token.cmd');
    writeFileSync(path, '@echo a-token-of-the-tests\r\n');
    const token = (command: string) =>
      run(['auth', 'token'], { env: { PROCTOR_BASE_URL: 'https://x.invalid', PROCTOR_TOKEN_COMMAND: command } });
    for (const command of [`"${path}"`, '"get token"']) assert.match(token(command).stderr, /runs as: cmd \/c /);
    assert.equal(token('cmd /c "get token.cmd"').stdout.trim(), 'a-token-of-the-tests');
  },

  'a server with an authority of its own is trusted by caFile, whatever its path, and not without'() {
    return serving(async ({ url, token, home }) => {
      const { hostname, port } = new URL(url);
      const pem = (name: string) => readFileSync(join(given, name));
      const secure = createServer({ key: pem('key.pem'), cert: pem('cert.pem') }, ({ method, url: path, headers }, answer) => {
        request({ hostname, port, method, path, headers }, (from) =>
          from.pipe(answer.writeHead(from.statusCode ?? 500, from.headers)),
        ).end();
      }).listen(0, '127.0.0.1');
      await once(secure, 'listening');
      const authority = join(folder, 'Behörde.pem');
      writeFileSync(authority, pem('cert.pem'));
      const base = { PROCTOR_BASE_URL: `https://127.0.0.1:${(secure.address() as AddressInfo).port}`, PROCTOR_TOKEN: token };
      const listed = async (env: Record<string, string>) => {
        const child = start(['exams', 'list', '-o', 'id'], { home, env });
        child.stdout.resume();
        child.stderr.resume();
        return (await once(child, 'exit'))[0];
      };
      assert.deepEqual([await listed({ ...base, PROCTOR_CA_FILE: authority }), await listed(base)], [0, 8]);
      secure.close();
    });
  },

  'a page whose file is open elsewhere, or read-only, is refused before a request, with the path as it was typed'() {
    const path = join(folder, 'Seite.html');
    const written = () =>
      run(['exams', 'report', '1', '--html', path, '--force'], {
        env: { PROCTOR_BASE_URL: 'http://127.0.0.1:9', PROCTOR_TOKEN: 'token-of-nobody' },
      });
    writeFileSync(path, 'x'.repeat(5000));
    const close = openElsewhere(path);
    assert(written().stderr.startsWith(`error: "${path}" is read-only, or open in another program.`), written().stderr);
    close();
    chmodSync(path, 0o444);
    assert.match(written().stderr, /is read-only, or open in another program\.\r?\nhint: Name another place/);
    chmodSync(path, 0o666);
    assert.doesNotMatch(written().stderr, /read-only/);
  },

  async 'words that are written for cmd are what cmd gives to a program'() {
    const { shellQuoted, writeForShellOf } = await import(pathToFileURL(join(sources, 'src/model/shell-quote.ts')).href);
    writeForShellOf({ platform: 'win32', env: { PROMPT: '$P$G' } });
    const print = join(folder, 'print.cjs');
    writeFileSync(print, 'console.log(JSON.stringify(process.argv.slice(2)))');
    for (const word of [
      ...['42', 'Liste März.csv', "Ada's", 'a,b', '9&echo x', '$(calc)', 'a`b', 'Wow!', '100%', 'C:\\exams 1\\', 'a "b" & echo c'],
      'a\\"b',
    ]) {
      const line = `""${node}" "${print}" ${shellQuoted(word)} end"`;
      const { stdout } = spawnSync('cmd', ['/d', '/s', '/c', line], { windowsVerbatimArguments: true, encoding: 'utf8', cwd: folder });
      assert.equal(stdout.trim(), JSON.stringify([word, 'end']), line);
    }
  },

  'a variable of a hint is set as cmd has it'() {
    const { stderr } = run(['runs', 'list'], {
      env: { PROCTOR_STATE_DIR: 'state', PROMPT: '$P$G', PROCTOR_BASE_URL: 'https://x.invalid', PROCTOR_TOKEN: 'x-token-of-tests' },
    });
    const [, line = ''] = /such as: (.*?)\r?\n/.exec(stderr) ?? [];
    assert.equal(line, 'set "PROCTOR_STATE_DIR=~/proctor"', stderr);
    const { stdout } = spawnSync('cmd', ['/d', '/s', '/c', `"${line}&& set PROCTOR_STATE_DIR"`], {
      windowsVerbatimArguments: true,
      encoding: 'utf8',
      cwd: folder,
    });
    assert.match(stdout, /^PROCTOR_STATE_DIR=~\/proctor\r?\n/);
  },

  'Tab is answered'() {
    assert.match(run(['__complete', 'exams', ':upd']).stdout, /^words 0\n[\s\S]*update/);
  },

  'the executable prints its version, keeps settings and runs, lists, imports a roster with umlauts, and answers Tab, without a warning'() {
    const home = newHome();
    const path = join(folder, 'proctor-cli.exe');
    copyFileSync(executable, path);
    const said = (line: string) => {
      const { status, stdout, stderr } = run(line.split(' '), { home, command: [path] });
      assert.equal(status, 0, stderr);
      return { stdout, stderr };
    };
    assert.match(said('--version').stdout, /^proctor-cli \d/);
    said('config set timezone Europe/Vienna');
    const list = said('--profile sandbox exams list -o id');
    assert.deepEqual([/^1\n2\n/.test(list.stdout), list.stderr], [true, '']);
    writeFileSync(join(folder, 'größe.csv'), students(2));
    said('--profile sandbox sessions import größe.csv --exam 6 --yes');
    assert(
      JSON.parse(said('--profile sandbox sessions list --exam 6 -o json').stdout).some(({ name }: { name: string }) => name === 'Jürgen 1'),
    );
    // It ends itself.
    assert.match(run(['__complete', 'exams', ':upd'], { home, command: [path] }).stdout, /^words 0\n[\s\S]*update/);
    for (const name of ['config.json', 'record.sqlite']) assert(existsSync(join(home, 'Local', 'proctor-cli', name)), name);
  },

  'the package is installed by npm with a .cmd and a .ps1, and runs'() {
    const prefix = join(folder, 'npm');
    const [file = ''] = readdirSync(packed).filter((name) => name.endsWith('.tgz'));
    const words = [npm, 'install', '--global', '--offline', '--no-audit', '--no-fund', '--prefix', prefix, join(packed, file)];
    const { status, stderr } = spawnSync(node, words, { env: environment({}), encoding: 'utf8', cwd: folder });
    assert.equal(status, 0, stderr);
    // The shim goes to a label that is not there, of which Wine 8 knows nothing.
    for (const name of ['proctor-cli.cmd', 'proctor-cli.ps1']) assert(existsSync(join(prefix, name)));
    const installed = join(prefix, 'node_modules', 'proctor-cli', 'bin', 'proctor-cli.js');
    const list = spawnSync(node, [installed, ...'--profile sandbox exams list -o id'.split(' ')], {
      env: environment({}),
      encoding: 'utf8',
    });
    assert.match(list.stdout, /^1\n2\n/, list.stderr);
  },
};

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
let failed = 0;
for (const [promise, holds] of Object.entries(promises)) {
  try {
    await holds();
    console.log(`ok      ${promise}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${promise}\n${(error as Error).stack}`);
  }
}
console.log(`${Object.keys(promises).length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
