/** A private file is there whole or not at all. */
import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkFolderOf, writePrivateFile } from '../../src/files/private-file.ts';
import { temporaryFolder } from '../support/run.ts';

test('what is written takes the place of what was there, for its owner alone', async () => {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, 'before', { mode: 0o644 });
  const write = async (file: { writeFile(text: string): Promise<void> }) => {
    await file.writeFile('after');
    expect(readFileSync(path, 'utf8')).toBe('before');
  };
  await writePrivateFile(path, write, { replace: true });
  expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['after', 0o600]);
});

test.each([true, false])('what fails half-way leaves all as it was, and nothing beside it (replace: %s)', async (replace) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'file'), 'before');
  const writing = writePrivateFile(
    join(folder, 'file'),
    async (file) => {
      await file.writeFile('half');
      throw new Error('the disk is full');
    },
    { replace },
  );
  await expect(writing).rejects.toThrow('the disk is full');
  expect([readdirSync(folder), readFileSync(join(folder, 'file'), 'utf8')]).toEqual([['file'], 'before']);
});

test('what came to the place while it was written stays there', async () => {
  const path = join(temporaryFolder(), 'file');
  const write = async () => writeFileSync(path, 'of another');
  await expect(writePrivateFile(path, write, { replace: false })).rejects.toMatchObject({ code: 'EEXIST' });
  expect(readFileSync(path, 'utf8')).toBe('of another');
  expect(readdirSync(join(path, '..'))).toEqual(['file']);
});

test('a link is replaced, and what it leads to stays', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'elsewhere'));
  const [link, target] = [join(folder, 'link'), join(folder, 'elsewhere', 'file')];
  writeFileSync(target, 'before');
  symlinkSync(target, link);
  await writePrivateFile(link, (file) => file.writeFile('after'), { replace: true });
  expect([lstatSync(link).isFile(), readFileSync(link, 'utf8'), readFileSync(target, 'utf8')]).toEqual([true, 'after', 'before']);
});

test('a name may be as long as a name can be', async () => {
  const path = join(temporaryFolder(), 'x'.repeat(255));
  await writePrivateFile(path, (file) => file.writeFile('text'), { replace: false });
  expect(readFileSync(path, 'utf8')).toBe('text');
});

test('a folder that takes no file is found out by making one, also where everything is allowed', async () => {
  const folder = temporaryFolder();
  await checkFolderOf(join(folder, 'new'));
  expect(readdirSync(folder)).toEqual([]);
  for (const path of [join(folder, 'no', 'where'), ...(process.platform === 'linux' ? ['/proc/file'] : [])])
    await expect(checkFolderOf(path)).rejects.toMatchObject({ code: 'ENOENT' });
});
