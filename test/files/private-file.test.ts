/** A private file is there whole or not at all. */
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkFolderOf, writePrivateFile } from '../../src/files/private-file.ts';
import { temporaryFolder } from '../support/run.ts';

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
