/** Files that are written where a person says: never over what exists, over what is read, or through a link, and whole or not at all. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { checkOutputFile, type OutputFile, type OutputRule, writeOutputFile } from '../../src/files/output-file.ts';
import { checkFolderOf, writePrivateFile } from '../../src/files/private-files.ts';
import { ofSources } from '../support/memory.ts';
import { isRoot, nobody, withoutRights } from '../support/rights.ts';
import { temporaryFolder } from '../support/run.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
const at = (name: string): OutputFile => ({ path: join(folder, name), option: '--html', holds: 'The page' });
const rule = (given: Partial<OutputRule> = {}): OutputRule => ({ force: false, inputs: [], shown: (text) => text, ...given });
const put = (name: string, text = 'precious') => writeFileSync(join(folder, name), text, { mode: 0o644 });
const text = (name: string) => readFileSync(join(folder, name), 'utf8');
const modeOf = (name: string) => statSync(join(folder, name)).mode & 0o777;

/** Checks and writes, as a command does. */
async function write(file: OutputFile, given: Partial<OutputRule> = {}): Promise<void> {
  await checkOutputFile(file, rule(given));
  await writeOutputFile(file, rule(given), 'written');
}

test('a file is written for its owner alone, with the text as it may be shown', async () => {
  put('empty', '');
  for (const name of ['new', 'empty']) {
    await write(at(name), { shown: (words) => words.replace('written', '********') });
    expect([text(name), modeOf(name)]).toEqual(['********', withoutRights ? 0o666 : 0o600]);
  }
  expect(readdirSync(folder).sort()).toEqual(['empty', 'new']);
});

test('another file is replaced with --force only; one of the program without', async () => {
  put('old');
  linkSync(join(folder, 'old'), join(folder, 'other name'));
  await expect(write(at('old'))).rejects.toMatchObject({
    code: 'usage',
    message: `"${join(folder, 'old')}" already exists.`,
    hint: 'Name another place: --html FILE, or add --force to replace it.',
  });
  const isOwn = (beginning: string) => beginning.startsWith('own');
  await expect(write({ ...at('old'), isOwn })).rejects.toThrow('is another file, and is not replaced.');
  expect(text('old')).toBe('precious');
  await write(at('old'), { force: true });
  put('own', 'own text');
  await write({ ...at('own'), isOwn }, { inputs: [join(folder, 'old')] });
  expect([text('old'), text('own'), text('other name')]).toEqual(['written', 'written', 'precious']);
});

test.runIf(isRoot)('a file that its owner has made read-only is kept, also with --force, and refused before anything is sent', () => {
  put('kept');
  chmodSync(join(folder, 'kept'), 0o444);
  for (const path of [folder, join(folder, 'kept')]) chownSync(path, nobody, nobody);
  const checked = `
    import { checkOutputFile } from ${JSON.stringify(join(import.meta.dirname, '../../src/files/output-file.ts'))};
    process.setuid(${nobody});
    await checkOutputFile(${JSON.stringify(at('kept'))}, { force: true, inputs: [] }).catch(({ message, hint }) => console.log(message, hint));`;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', checked], { env: ofSources, encoding: 'utf8' });
  const why = 'is read-only, or open in another program. Name another place: --html FILE, or close that program.';
  expect([said, text('kept')]).toEqual([`"${join(folder, 'kept')}" ${why}\n`, 'precious']);
});

test('what comes to the place after the check is neither replaced nor followed, and nothing is left beside it', async () => {
  await checkOutputFile(at('new'), rule());
  put('new');
  await expect(writeOutputFile(at('new'), rule(), 'written')).rejects.toMatchObject({ code: 'usage' });
  if (!withoutRights) {
    symlinkSync('new', join(folder, 'link'));
    await expect(writeOutputFile(at('link'), rule(), 'written')).rejects.toMatchObject({ code: 'usage' });
    unlinkSync(join(folder, 'link'));
  }
  const shown = (words: string) => {
    put('last');
    return words;
  };
  await expect(writeOutputFile(at('last'), rule({ shown }), 'written')).rejects.toMatchObject({ code: 'output_failed' });
  expect([text('new'), text('last'), readdirSync(folder).sort()]).toEqual(['precious', 'precious', ['last', 'new']]);
});

test('what a command reads is never written to, by whatever name, with --force or without', async () => {
  for (const content of ['precious', '']) {
    put('roster.csv', content);
    linkSync(join(folder, 'roster.csv'), join(folder, `hard ${content}`));
    for (const name of ['roster.csv', './roster.csv', `hard ${content}`])
      for (const force of [true, false]) {
        const inputs = [relative(process.cwd(), join(folder, 'roster.csv'))];
        const refused = write({ ...at('x'), path: `${folder}/${name}` }, { force, inputs });
        await expect(refused).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('is in use by this command') });
      }
    expect(text('roster.csv')).toBe(content);
  }
});

test('a place where no file can be is refused with the reason, before anything is sent', async () => {
  put('file');
  mkdirSync(join(folder, 'sub'));
  const ofUnix = [
    [join(folder, 'file/x'), 'output_failed', 'not a directory (ENOTDIR)'],
    [join(folder, 'x'.repeat(300)), 'output_failed', 'name too long (ENAMETOOLONG)'],
  ] as const;
  for (const [path, code, why] of [
    [join(folder, 'sub'), 'usage', 'is a folder'],
    [join(folder, 'no/where'), 'output_failed', 'no such file or directory (ENOENT)'],
    ...(withoutRights ? [] : ofUnix),
    ['', 'usage', '"" names no file.'],
    [' ', 'usage', '" " names no file.'],
  ] as const)
    await expect(checkOutputFile({ ...at('x'), path }, rule({ force: true }))).rejects.toMatchObject({
      code,
      message: expect.stringContaining(why),
    });
});

test.skipIf(process.platform === 'win32')(
  'a link, a pipe, a device and a file of another user are refused with --force, too, and stay',
  async () => {
    put('file');
    mkdirSync(join(folder, 'folder'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const targets = ['file', 'folder', 'nowhere', 'pipe', '/dev/fd/1'];
    const links = targets.map((target, index) => {
      symlinkSync(target, join(folder, `link ${index}`));
      return [join(folder, `link ${index}`), 'is a link'] as const;
    });
    const theirs = ['precious', ''].map((content, index) => {
      put(`theirs ${index}`, content);
      if (process.getuid?.() === 0) chownSync(join(folder, `theirs ${index}`), 65534, 65534);
      return [join(folder, `theirs ${index}`), 'belongs to another user'] as const;
    });
    const places = [...links, [join(folder, 'pipe'), 'is no regular file'] as const, ['/dev/null', 'is no regular file'] as const];
    for (const [path, what] of process.getuid?.() === 0 ? [...places, ...theirs] : places)
      for (const force of [true, false])
        await expect(write({ ...at('x'), path }, { force }), path).rejects.toMatchObject({
          code: 'usage',
          message: expect.stringContaining(what),
          hint: 'Name another place: --html FILE',
        });
    expect(links.map(([path]) => lstatSync(path).isSymbolicLink())).toEqual(targets.map(() => true));
    expect([text('file'), text('theirs 0')]).toEqual(['precious', 'precious']);
  },
);

test.skipIf(withoutRights)('a private file is whole or not there, replaces a link, and may have the longest of names', async () => {
  mkdirSync(join(folder, 'elsewhere'));
  const [link, target, long] = ['link', 'elsewhere/file', 'x'.repeat(255)].map((name) => join(folder, name)) as [string, string, string];
  writeFileSync(target, 'before');
  symlinkSync(target, link);
  await writePrivateFile(link, 'after', { replace: true });
  await writePrivateFile(long, 'text', { replace: false });
  await expect(writePrivateFile(long, 'other', { replace: false })).rejects.toMatchObject({ code: 'EEXIST' });
  expect([lstatSync(link).isFile(), readFileSync(link, 'utf8'), readFileSync(target, 'utf8')]).toEqual([true, 'after', 'before']);
  expect([readFileSync(long, 'utf8'), readdirSync(folder).sort()]).toEqual(['text', ['elsewhere', 'link', 'x'.repeat(255)]]);
});

test('a folder that takes no file is found out by making one, also where everything is allowed', async () => {
  await checkFolderOf(join(folder, 'new'));
  expect(readdirSync(folder)).toEqual([]);
  for (const path of [join(folder, 'no', 'where'), ...(process.platform === 'linux' ? ['/proc/file'] : [])])
    await expect(checkFolderOf(path)).rejects.toMatchObject({ code: 'ENOENT' });
});
