/** What is drawn and coloured where, and what every command prints for screen readers and dumb terminals. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { embedded } from '../commands/embedded.ts';
import { examplesOfFile, firstExamples, statusesOf } from '../commands/example-runs.ts';
import { temporaryFolder } from '../support/run.ts';

const runs = examplesOfFile();
const forced = { FORCE_COLOR: '1' };
const roster = join(temporaryFolder(), 'roster.csv');
writeFileSync(roster, 'email\nada@example.org\nbob@example.org\n');

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
    const pipe = await service.run('exams list --sort start_time');
    // A person gets the offset once, in the heading; a program in each time.
    const cells = (text: string) => text.replaceAll(' +00:00', '').replace(/ +/g, ' ');
    expect(cells(stdout)).toBe(cells(pipe.stdout));
  });

  test('says that there is nothing, in place of a sign', async () => {
    const create = 'sessions create --exam 2 --email x@example.org --plain --no-input';
    expect((await service.run(create, { tty: true })).stdout).toMatch(/^Start by +none$/m);
  });

  test('keeps data as they are', async () => {
    expect((await service.run('exams get 1 --plain -o json')).stdout).toBe((await service.run('exams get 1 -o json')).stdout);
  });
});

test.each<
  [inTables: boolean, inMessages: boolean, isDrawn: boolean, where: string, tty: boolean, env: Record<string, string>, options?: string[]]
>([
  [true, true, true, 'on a terminal', true, {}],
  [true, true, false, 'on a terminal in CI', true, { CI: 'true' }],
  [false, true, false, 'in a pipe, where FORCE_COLOR asks for them', false, forced],
  [true, true, false, 'on a dumb terminal where FORCE_COLOR asks for them', true, { ...forced, TERM: 'dumb' }],
  [false, false, false, 'in a pipe', false, {}],
  [false, false, true, 'with --no-color', true, {}, ['--no-color']],
  [false, false, true, 'with NO_COLOR, whatever FORCE_COLOR says', true, { ...forced, NO_COLOR: '1' }],
  [false, false, true, 'with FORCE_COLOR=0', true, { FORCE_COLOR: '0' }],
  [false, false, false, 'on a dumb terminal', true, { TERM: 'dumb' }],
  [false, false, false, 'with --plain', true, {}, ['--plain']],
  ...['json', 'ndjson'].map((format) => [false, false, true, `in ${format}`, true, forced, ['-o', format]] as never),
  ...['csv', 'id'].map((format) => [false, true, true, `in ${format}`, true, forced, ['-o', format]] as never),
])('coloured tables %j, messages %j, a bar over itself %j: %s', async (inTables, inMessages, isDrawn, _where, tty, env, options = []) => {
  const service = embedded();
  const run = (line: string) => service.run([...line.split(' '), ...options], { tty, env: { NO_COLOR: '', ...env } });
  const [list, missing] = [await run('exams list'), await run('exams get 999')];
  const imported = await run(`sessions import ${roster} --exam 6 --yes`);
  expect([list.code, missing.code, imported.code]).toEqual([0, 6, 0]);
  const shown = missing.stderr.replaceAll('\u001b', '␛');
  expect([list.stdout.includes('\u001b'), shown.includes('␛'), /\r.*█/.test(imported.stderr)]).toEqual([inTables, inMessages, isDrawn]);
  if (inMessages) expect(shown).toMatch(/^␛\[1m␛\[31merror:␛\[39m␛\[22m .*\n␛\[1m␛\[36mhint:/);
});
