import { execFileSync } from 'node:child_process';
import { appendFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openRoster } from '../../../src/roster/read/index.ts';
import { temporaryFolder } from '../../support/run.ts';
import { arriving, refusal, rowsOf } from './roster.ts';

const folder = temporaryFolder;
const text = 'email\nann@example.org\n';

describe('the file of a roster', () => {
  test('is read as often as needed', async () => {
    const path = join(folder(), 'r.csv');
    writeFileSync(path, text);
    const table = await openRoster({ path });
    for (let time = 1; time <= 2; time += 1) expect(await rowsOf(table)).toHaveLength(1);
    await table.close();
  });

  test('leaves nothing behind when it came through a pipe, not even while it is read', async () => {
    const spool = folder();
    const table = await openRoster({ stdin: arriving(text, 3) }, { folder: spool });
    expect(readdirSync(spool)).toEqual([]);
    expect(await rowsOf(table)).toHaveLength(1);
    await table.close();
    await refusal(openRoster({ stdin: arriving('email\n') }, { folder: spool }));
    expect(readdirSync(spool)).toEqual([]);
  });

  test('that cannot be kept is refused in words', async () => {
    const nowhere = join(folder(), 'nowhere');
    expect((await refusal(openRoster({ stdin: arriving(text) }, { folder: nowhere }))).message).toBe(
      'stdin could not be copied to a temporary file (ENOENT).',
    );
  });

  test('may be a named pipe', async () => {
    const path = join(folder(), 'pipe');
    execFileSync('mkfifo', [path]);
    const opening = openRoster({ path }, { folder: folder() });
    writeFileSync(path, text);
    const table = await opening;
    expect(await rowsOf(table)).toHaveLength(1);
    await table.close();
  });

  test('is refused when it changes while it is read', async () => {
    const path = join(folder(), 'r.csv');
    writeFileSync(path, text);
    const table = await openRoster({ path });
    appendFileSync(path, 'ben@example.org\n');
    expect((await refusal(rowsOf(table))).message).toBe('r.csv changed while it was being read.');
    await table.close();
  });

  test('is refused by name when it is missing or is a folder', async () => {
    expect((await refusal(openRoster({ path: '/nowhere/r.csv' }))).message).toBe('No such file: "/nowhere/r.csv".');
    expect((await refusal(openRoster({ path: folder() }))).message).toContain('is a folder');
  });
});
