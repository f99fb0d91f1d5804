/** For screen readers and dumb terminals: what every command prints on a terminal there, and how it asks. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { embedded } from '../commands/embedded.ts';
import { examplesOfFile, firstExamples, statusesOf } from '../commands/example-runs.ts';
import { temporaryFolder } from '../support/run.ts';

const runs = examplesOfFile();

const escapeCode = '\u001b';
/** Escape sequences, redrawing, bars, frames, and signs that are not read out. */
const drawn = new RegExp(`[${escapeCode}\\r\\b\u2190-\u21ff\u2500-\u25ff\u2700-\u27bf·…]`);

/** All but those that read from stdin, which is a terminal here, and those whose script is not for reading. */
const read = firstExamples.filter(([line, { name }]) => !/ < | - |auth login$/.test(line) && name !== 'completion');

describe.each(read)('%s', (line, command) => {
  test('draws nothing with --plain', async () => {
    const { code, stdout, stderr, lasts } = await runs.run(line, command, { options: ['--plain', '--no-input'], tty: true });
    expect(statusesOf(command, lasts), stderr).toContain(code);
    expect(`${stdout}${stderr}`).not.toBe('');
    // CSV ends its lines as the RFC says.
    expect(stdout.replaceAll('\r\n', '\n')).not.toMatch(drawn);
    expect(stderr).not.toMatch(drawn);
  });
});

describe('the plain mode', () => {
  const service = embedded();

  test('is asked for by flag, variable or setting, or by a dumb terminal', async () => {
    const shown = async (options: string[], env?: Record<string, string>) =>
      (await service.run(['exams', 'list', ...options], { tty: true, columns: 40, ...(env ? { env } : {}) })).stdout;
    const plain = await shown(['--plain']);
    expect(plain).not.toMatch(drawn);
    expect(await shown([], { PROCTOR_PLAIN: '1' })).toBe(plain);
    expect(await shown([], { TERM: 'dumb' })).toBe(plain);
    expect(await shown([], { PROCTOR_PLAIN: '0' })).toMatch(drawn);
    await service.run('config set plain yes');
    expect(await shown([])).toBe(plain);
    expect(await shown([], { PROCTOR_PLAIN: 'no' })).toMatch(drawn);
  });

  test('cuts nothing to the width of the terminal', async () => {
    const { stdout } = await service.run('exams list --plain', { tty: true, columns: 20 });
    const pipe = await service.run('exams list');
    // A person gets the offset once, in the heading; a program in each time.
    const cells = (text: string) => text.replaceAll(' +00:00', '').replace(/ +/g, ' ');
    expect(cells(stdout)).toBe(cells(pipe.stdout));
  });

  test('says that there is nothing, in place of a sign', async () => {
    const create = 'sessions create --exam 2 --email x@example.org --plain --no-input';
    expect((await service.run(create, { tty: true })).stdout).toMatch(/^Closes +none$/m);
  });

  test('keeps data as they are', async () => {
    expect((await service.run('exams get 1 --plain -o json')).stdout).toBe((await service.run('exams get 1 -o json')).stdout);
  });
});

test.each<[bar: boolean, where: string, env: Record<string, string>, options: string[]]>([
  [true, 'otherwise', {}, []],
  [false, 'in CI', { CI: 'true' }, []],
  [false, 'on a dumb terminal', { TERM: 'dumb' }, []],
  [false, 'with --plain', {}, ['--plain']],
])('an import on a terminal draws a bar over itself (%s) %s', async (bar, _where, env, options) => {
  const roster = join(temporaryFolder(), 'roster.csv');
  writeFileSync(roster, 'email\nada@example.org\nbob@example.org\n');
  const line = ['sessions', 'import', roster, '--exam', '6', '--yes', ...options];
  const { code, stderr } = await embedded().run(line, { tty: true, env });
  expect([code, /\r.*█/.test(stderr)]).toEqual([0, bar]);
});
