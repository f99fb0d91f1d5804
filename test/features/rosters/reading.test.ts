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

test('an encoding is asked about on a terminal, with names as they would be read', async () => {
  const latin = Buffer.from('email,name\nzoe@example.org,Zoë Brandstätter\n', 'latin1');
  const asked = (answer: string) => imported('r.csv', latin, ['--dry-run'], { tty: true, answers: [answer] });
  const { stderr, questions, offered } = await asked('');
  expect(questions).toEqual(['The file is not UTF-8 (line 2, column 19). Which encoding is right?']);
  expect(offered[0]?.[0]).toBe('windows-1252: Zoë, Brandstätter');
  expect(offered[0]).toContain('windows-1253: Zoλ, Brandstδtter');
  expect(offered[0]?.filter((label) => label.includes('Zoë')).length).toBe(1);
  expect(stderr).toContain('1 student');
});

test('where no encoding is right, the import ends, and names the flag', async () => {
  const latin = Buffer.from('email,name\nzoe@example.org,Zoë Brandstätter\n', 'latin1');
  const { code, stderr, questions } = await imported('r.csv', latin, ['--dry-run'], { tty: true, answers: ['none'] });
  expect([code, questions.length]).toEqual([3, 1]);
  expect(stderr).toContain('--encoding windows-1252');
});
