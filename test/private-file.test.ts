/** A private file is there whole or not at all. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writePrivateFile } from '../src/private-file.ts';
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
