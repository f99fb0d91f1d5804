/** What is declared of a file, and what is asked on a terminal, through the whole program. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshHome } from '../../commands/embedded.ts';
import { textRow, workbookOf } from '../../roster/read/zip.ts';
import { run, type World } from '../../support/run.ts';

async function imported(name: string, content: string | Buffer, options: string[], world: World = {}) {
  const home = freshHome();
  const file = join(home, name);
  writeFileSync(file, content);
  return run(['--profile', 'sandbox', 'sessions', 'import', file, '--exam', '6', ...options], { home, ...world });
}

const filtered = workbookOf({
  rows:
    textRow(1, ['email']) +
    textRow(2, ['ann@example.org']) +
    textRow(3, ['ben@example.org']).replace('<row', '<row hidden="1"') +
    textRow(4, ['cy@example.org']),
});

describe('hidden rows of a workbook', () => {
  test('stop a script, and the hint works as it is printed', async () => {
    const { code, stderr } = await imported('r.xlsx', filtered, ['--yes']);
    expect(code).toBe(3);
    expect(stderr).toBe(
      'error: r.xlsx, sheet "Students" has 1 hidden row (3); a filter hides rows.\nhint: Add --hidden-rows include to use hidden rows, or --hidden-rows skip to leave them out.\n',
    );
    const skipped = await imported('r.xlsx', filtered, ['--yes', '-o', 'json', '--hidden-rows', 'skip']);
    expect([skipped.code, JSON.parse(skipped.stdout).created]).toEqual([0, 2]);
    expect(skipped.stderr).toContain('1 hidden row left out.');
    const included = await imported('r.xlsx', filtered, ['--yes', '-o', 'json', '--hidden-rows', 'include']);
    expect([included.code, JSON.parse(included.stdout).created]).toEqual([0, 3]);
  });

  test.each([
    [[true], '3 students'],
    [[false, true], '2 students'],
    [[false, false], 'Add --hidden-rows include to'],
  ])('are asked about on a terminal: %j', async (answers, said) => {
    const { stderr, questions } = await imported('r.xlsx', filtered, ['--dry-run'], { tty: true, answers });
    expect(questions[0]).toBe('r.xlsx, sheet "Students" has 1 hidden row (3). Import them too?');
    expect(stderr).toContain(said);
  });
});

test('an encoding is not asked about: the error shows how a word would read, and names the option', async () => {
  const latin = Buffer.from('email,name\nzoe@example.org,\u001b[2JZoë Brandstätter\n', 'latin1');
  const { code, stderr, questions } = await imported('r.csv', latin, ['--dry-run'], { tty: true });
  expect([code, questions]).toEqual([3, []]);
  expect(stderr).toContain('line 2, column 23: invalid UTF-8.');
  expect(stderr.replace(/\s+/g, ' ')).toContain(String.raw`"\u001b[2JZoë": if that is right, add --encoding windows-1252.`);
});
