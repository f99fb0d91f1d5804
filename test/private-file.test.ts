/** A private file is there whole or not at all. */
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkWritable, writePrivateFile } from '../src/private-file.ts';
import { temporaryFolder } from './support/run.ts';

test('what is written takes the place of what was there, for its owner alone', async () => {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, 'before', { mode: 0o644 });
  await writePrivateFile(path, async (file) => {
    await file.writeFile('after');
    expect(readFileSync(path, 'utf8')).toBe('before');
  });
  expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['after', 0o600]);
});

test('what fails half-way leaves all as it was, and nothing beside it', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'file'), 'before');
  const writing = writePrivateFile(join(folder, 'file'), async (file) => {
    await file.writeFile('half');
    throw new Error('the disk is full');
  });
  await expect(writing).rejects.toThrow('the disk is full');
  expect([readdirSync(folder), readFileSync(join(folder, 'file'), 'utf8')]).toEqual([['file'], 'before']);
});

test('a link stays, and what it leads to is replaced', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'elsewhere'));
  const [link, target] = [join(folder, 'link'), join(folder, 'elsewhere', 'file')];
  writeFileSync(target, 'before');
  symlinkSync(target, link);
  await writePrivateFile(link, (file) => file.writeFile('after'));
  expect([lstatSync(link).isSymbolicLink(), readFileSync(target, 'utf8'), readdirSync(folder)]).toEqual([
    true,
    'after',
    ['elsewhere', 'link'],
  ]);
});

test.skipIf(process.platform === 'win32')('what is no file is not replaced: a folder, a pipe, a device', async () => {
  const folder = temporaryFolder();
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  for (const path of [folder, join(folder, 'pipe'), '/dev/null']) await expect(checkWritable(path)).rejects.toThrow('no file stands there');
  await checkWritable(join(folder, 'new'));
});
