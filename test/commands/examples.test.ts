/** Every example of every command does what it shows: on the embedded service, where it needs one. */
import { cpSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.ts';
import { allCommands } from '../cli/all-commands.ts';
import { run, temporaryFolder } from '../support/run.ts';
import { freshHome, wordsOf } from './embedded.ts';

/** The service to which `auth login` logs in, and a home that is logged in to it, with a second profile to be removed. */
let sandbox: Sandbox;
const loggedIn = temporaryFolder();

beforeAll(async () => {
  sandbox = await startSandbox({ folder: temporaryFolder() });
  for (const profile of ['default', 'old']) {
    const { code } = await run(['auth', 'login', '--profile', profile, '--base-url', sandbox.baseUrl, '--with-token'], {
      home: loggedIn,
      stdin: sandbox.token,
    });
    expect(code).toBe(0);
  }
});
afterAll(() => sandbox.close());

const examples = allCommands.flatMap((command) => command.examples.map(({ line }) => [line, command] as const));

/** An import that this home knows of. */
async function importedRun(home: string): Promise<string> {
  const argv = ['--profile', 'sandbox', 'sessions', 'import', '-', '--exam', '6', '--yes', '-o', 'json'];
  const { stdout } = await run(argv, { home, stdin: 'email\nada@example.org\n' });
  return (JSON.parse(stdout) as { run: string }).run;
}

describe('the example', () => {
  test.each(examples)('%s', async (line, command) => {
    const [first = ''] = line.split(' | ');
    const [program, ...argv] = wordsOf(first.replace(/ < .*/, ''));
    expect(program).toBe('proctor-cli');
    const home = freshHome();
    cpSync(loggedIn, home, { recursive: true });
    const stop = new AbortController();
    if (command.name === 'sandbox serve') stop.abort(new CliError('interrupted', 'Stopped by the test.'));
    const profile = ['auth', 'profiles', 'config'].includes(argv[0] ?? '') ? [] : ['--profile', 'sandbox'];
    const address = / < token/.test(line) ? ['--base-url', sandbox.baseUrl] : [];
    const port = command.name === 'sandbox serve' ? ['--port', '0'] : [];
    const stdin = / < roster/.test(line) ? 'email\nada@example.org\n' : sandbox.token;
    const world = line === 'proctor-cli auth login' ? { tty: true, answers: [sandbox.baseUrl, sandbox.token] } : { stdin };
    const imported = argv.findIndex((word) => /^\d{8}T\d{6}-/.test(word));
    if (imported >= 0) argv[imported] = await importedRun(home);
    const { code, stderr } = await run([...profile, ...argv, ...address, ...port], { home, interrupt: stop.signal, ...world });
    expect(stderr).not.toContain('error:');
    expect(code, stderr).toBe(0);
  });
});
