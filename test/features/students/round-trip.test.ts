/** What an exam's roster is exported as, is imported again as "all unchanged", whatever the students are called. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { run, temporaryFolder } from '../../support/run.ts';

/** Names as people have them, and as spreadsheets, CSV and terminals fear them. */
const name = fc.oneof(
  fc.constantFrom(
    ..."=1+1|+49|-3|@cmd|'quoted|O\"Neil|D'Arcy|a,b|a;b|sep=,|\u202eevil|  spaced  |١٢٣|田中 太郎|👩‍🎓 Ada|0012|TRUE|null|=|'=x|\"|,".split(
      '|',
    ),
  ),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((text) => text.trim() !== '' && !/[\p{Cc}\ufffd]/u.test(text)),
);

test('an export, CSV where it is no terminal or a workbook, imports again as all unchanged', async () => {
  const roster = fc.array(name, { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(roster, fc.constantFrom([], ['-o', 'json'], ['--to', 'students.xlsx']), async (names, format) => {
      const home = temporaryFolder();
      const sandbox = (line: string[], more = {}) => run(['--profile', 'sandbox', ...line], { home, ...more });
      const created = await sandbox(['exams', 'create', '--start', 'now', '--end', '+2h', '-o', 'id']);
      const exam = created.stdout.trim();
      const students = names.map((each, index) => ({ email: `s${index}@example.org`, name: each, close_time: '2027-02-01T09:00:00Z' }));
      const file = join(home, 'roster.json');
      writeFileSync(file, JSON.stringify(students));
      const first = await sandbox(['sessions', 'import', file, '--exam', exam, '--yes', '-o', 'json']);
      expect([first.code, JSON.parse(first.stdout).counts.created], first.stderr).toEqual([0, names.length]);
      const options = format.map((word) => (word === 'students.xlsx' ? join(home, word) : word));
      const exported = await sandbox(['sessions', 'export', '--exam', exam, ...options]);
      const source = format[0] === '--to' ? join(home, 'students.xlsx') : '-';
      const again = await sandbox(['sessions', 'import', source, '--exam', exam, '--yes', '-o', 'json'], { stdin: exported.stdout });
      expect([again.code, JSON.parse(again.stdout).counts.unchanged], again.stderr).toEqual([0, names.length]);
    }),
    { numRuns: 12 },
  );
});
