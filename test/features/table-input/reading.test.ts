/** What is asked on a terminal about a file, and remembered for the next one; what a script is told. Through the whole program. */
import { chownSync, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshHome } from '../../commands/embedded.ts';
import { packageOf, textRow, workbookOf } from '../../roster/workbook.ts';
import { run, told, type World } from '../../support/run.ts';

const csv = (...lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');
/** A roster of students in these states, all of one semester, with numbers of which one stands twice. */
const rosterOf = (states: readonly string[]) =>
  csv('email,Status,Semester,Nr', ...states.map((state, at) => `s${at}@example.org,${state},WS26,${Math.max(at, 1)}`));
const enrolled = Array<string>(14).fill('enrolled');
const roster = rosterOf([...enrolled, 'withdrawn', 'guest']);
/** Enter opens the first column to be answered; the third value is that of those who are enrolled; Enter goes on. */
const answers = ['', ['2'], ''];

type Given = World & { name?: string; options?: readonly string[]; dryRun?: boolean };

/** A dry run: `creates` is how many students would be imported. */
async function planned(content: string | Buffer, { home = freshHome(), name = 'r.csv', options = [], dryRun = true, ...world }: Given) {
  const file = join(home, name);
  writeFileSync(file, content);
  const line = [...`--profile sandbox sessions import ${file} --exam 6 -o json${dryRun ? ' --dry-run' : ''}`.split(' '), ...options];
  const ended = await run(line, { home, columns: 2000, ...world });
  const creates = ended.code === 0 && dryRun ? (JSON.parse(ended.stdout) as { counts: { to_create: number } }).counts.to_create : undefined;
  return { ...ended, stderr: told(ended.stderr), home, creates };
}

describe('undeclared columns on a terminal', () => {
  test('are on one screen: a choice between a few values has to be answered, every other column does not matter', async () => {
    const { creates, questions, offered, stderr } = await planned(roster, { tty: true, answers });
    expect([creates, questions.length]).toEqual([14, 3]);
    expect(offered[0]).toEqual([
      '1 to be answered: "Status" (column 2): "withdrawn" 1 (line 16), "guest" 1 (line 17), "enrolled" 14',
      '2 does not matter: "Semester" (column 3): "WS26" 16',
      expect.stringMatching(/^3 does not matter: "Nr" \(column 4\): .* more$/),
    ]);
    expect(offered[1]?.at(-1)).toBe('[ ] all lines, whatever "Status" says');
    expect(offered[2]?.slice(0, 2)).toEqual(['Go on: r.csv with 14 of 16 lines', '1 "Status" (column 2): only "enrolled"']);
    expect(stderr).toContain('r.csv: CSV with commas. 14 of 16 lines, 2 left out (Status "withdrawn" 1, Status "guest" 1).');
  });

  test('are declared by the options that are printed, in a script too', async () => {
    const { stderr } = await planned(roster, { tty: true, answers });
    const [, printed = ''] = /To answer this in a script, add: (.*)/.exec(stderr) ?? [];
    expect(printed).toBe('--only Status=enrolled --except Status=withdrawn,guest --ignore-column Semester --ignore-column Nr');
    expect((await planned(roster, { options: printed.split(' ') })).creates).toBe(14);
    const all = await planned(roster, { tty: true, answers: ['', ['0', '1', '2'], ''] });
    expect(all.stderr).toContain('To answer this in a script, add: --only Status=withdrawn,guest,enrolled --ignore-column Semester');
    expect((await planned(rosterOf([...enrolled, 'late']), { options: printed.split(' ') })).code).toBe(3);
  });

  test('never end the command with Enter, nor import anybody by it', async () => {
    const { creates, questions } = await planned(roster, { tty: true, answers: ['', [], [], ['2'], ''] });
    expect([creates, new Set(questions).size]).toEqual([14, 3]);
    await expect(planned(roster, { tty: true, answers: ['', [], []] })).resolves.toMatchObject({ code: 1, creates: undefined });
  });

  test('can be changed before going on: a column that was not asked about, and one that does not matter after all', async () => {
    const { creates } = await planned(roster, { tty: true, answers: ['', ['2'], '3', ['0'], '1', ['all'], ''] });
    expect(creates).toBe(1);
  });

  const oneColumn = (values: readonly string[]) => csv('email,Bemerkung', ...values.map((value, at) => `s${at}@example.org,${value}`));
  test('are one question where there is one column: of a few values some are ticked, and any other is used unless somebody says no', async () => {
    const choice = await planned(oneColumn(['ja', 'ja', 'nein']), { tty: true, answers: [[], ['1']] });
    expect(new Set(choice.questions)).toEqual(new Set(['"Bemerkung" in r.csv: which of its values mean that a student takes the exam?']));
    expect(choice.creates).toBe(2);
    const constant = await planned(oneColumn(['ja', 'ja', 'ja']), { tty: true, answers: [true] });
    expect([constant.creates, constant.questions]).toEqual([3, ['Use all 3 lines of r.csv, whatever "Bemerkung" says?']]);
    const refused = await planned(oneColumn(Array.from({ length: 51 }, (_, at) => `no. ${at}`)), { tty: true, answers: [false] });
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('--ignore-column Bemerkung')]);
  });

  test('are printed for a script as one line only where none of them is a choice between a few values', async () => {
    const free = await planned(csv('email,Term,Room', 'a@example.org,WS26,B1', 'b@example.org,WS26,B1'), {});
    expect(free.stderr).toContain('To use every line, whatever they say: --ignore-column Term --ignore-column Room');
    expect((await planned(roster, {})).stderr).not.toContain('To use every line');
  });

  test('without a header stop the file: nothing could declare them', async () => {
    const { code, stderr, questions } = await planned('email,\na@example.org,x\nb@example.org,y\n', { tty: true });
    expect([code, questions]).toEqual([3, []]);
    expect(stderr).toContain('Give column 2 a header');
  });
});

describe('answers', () => {
  test('are kept for files with this header, never for a script: its names and the values that decide, for the user alone', async () => {
    const { home } = await planned(roster, { tty: true, answers });
    const file = join(home, 'config', 'columns.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).not.toMatch(/@|WS26/);
    const next = await planned(rosterOf([...enrolled, 'guest']), { tty: true, home });
    expect([next.creates, next.questions]).toEqual([14, []]);
    expect(next.stderr).toContain(`As answered before for files with this header (kept in ${file}): --only Status=enrolled`);
    const options = ['--only', 'status=guest', '--map', 'name=Semester'];
    const another = await planned(roster, { tty: true, home, options });
    expect([another.creates, another.questions], 'after an option about the same column').toEqual([1, []]);
    expect(another.stderr).toMatch(/As answered before .*: --ignore-column Nr\n/);
    for (const script of [{}, { tty: true, options: ['--no-input'] }]) expect((await planned(roster, { home, ...script })).code).toBe(3);
    writeFileSync(file, '[{"what":');
    expect((await planned(roster, { tty: true, home, answers })).creates, 'asked for again, since the file was cut off').toBe(14);
  });

  test.runIf(process.getuid?.() === 0)('of another user are not taken, and asked for again', async () => {
    const { home } = await planned(roster, { tty: true, answers });
    const [folder, file] = [join(home, 'config'), join(home, 'config', 'columns.json')];
    for (const path of [file, folder]) {
      chownSync(path, 65_534, 65_534);
      const again = await planned(roster, { tty: true, home, answers });
      chownSync(path, 0, 0);
      expect([again.creates, again.questions.length], path).toEqual([14, 3]);
    }
  });

  test('name no value that was not chosen, which is recognised all the same; a new one is asked about', async () => {
    const ill = [...enrolled, 'withdrawn', 'on sick leave'];
    const { home } = await planned(rosterOf(ill), { tty: true, answers });
    const file = join(home, 'config', 'columns.json');
    expect(readFileSync(file, 'utf8')).toMatch(/"enrolled"/);
    expect(readFileSync(file, 'utf8')).not.toMatch(/sick|withdrawn/);
    const next = await planned(rosterOf([...enrolled, 'On Sick Leave']), { tty: true, home });
    expect([next.creates, next.questions]).toEqual([14, []]);
    const later = await planned(rosterOf([...enrolled, 'on sick leave', 'late']), { tty: true, home, answers: [['2']] });
    expect([later.creates, later.questions.length]).toEqual([14, 1]);
    const last = await planned(rosterOf([...enrolled, 'on sick leave', 'late']), { tty: true, home });
    expect([last.creates, last.questions]).toEqual([14, []]);
  });

  test('of any shape that is not theirs are as good as none', async () => {
    const { home } = await planned(roster, { tty: true, answers });
    const file = join(home, 'config', 'columns.json');
    const whole = JSON.parse(readFileSync(file, 'utf8'));
    const [entry] = whole;
    const [column] = entry.columns;
    const odd = [{}, { header: 7 }, { header: 'Role' }, { ...column, by: {} }, { ...column, only: 'enrolled' }, { ...column, except: [7] }];
    const columns = [null, 'Status', [null], ...odd.map((one) => [one])];
    const entries = [null, 7, 'x', [], {}, ...[null, {}, 'email'].map((header) => ({ ...entry, header })), { ...entry, salt: 1 }];
    const shapes = [
      '',
      '{',
      '{}',
      'null',
      '7',
      '"x"',
      ...[...entries, ...columns.map((one) => ({ ...entry, columns: one }))].map((one) => JSON.stringify([one])),
    ];
    for (const shape of shapes) {
      writeFileSync(file, shape);
      const again = await planned(roster, { tty: true, home, answers });
      expect([shape, again.creates, again.questions.length]).toEqual([shape, 14, 3]);
    }
    writeFileSync(file, JSON.stringify([...entries, entry]));
    expect((await planned(roster, { tty: true, home })).questions, 'beside the one that is theirs').toEqual([]);
  });

  test('are kept for the last 50 headers, and named where a student is forgotten', async () => {
    const home = freshHome();
    const file = join(home, 'config', 'columns.json');
    const forget = () => run('--profile sandbox runs forget --student s1@example.org --yes'.split(' '), { home });
    expect((await forget()).stderr).not.toContain('columns.json');
    for (let at = 0; at < 52; at += 1) {
      const { questions } = await planned(roster.replace('Status', `Status ${at}`), { tty: true, home, answers });
      expect(questions).toHaveLength(3);
    }
    const kept = JSON.parse(readFileSync(file, 'utf8')) as { header: string[] }[];
    expect(kept.map(({ header }) => header[1])).toEqual(Array.from({ length: 50 }, (_, at) => `Status ${51 - at}`));
    expect((await forget()).stderr).toContain(`Answers about the columns of files stay in ${file}`);
  });

  test('are kept only once the command goes on, after its own question', async () => {
    const home = freshHome();
    const write = { tty: true, home, dryRun: false };
    await planned('email\na@example.org\n', { ...write, answers: [true] });
    expect((await planned(roster, { ...write, answers: ['', ['1'], '', false] })).code).toBe(130);
    expect(existsSync(join(home, 'config', 'columns.json'))).toBe(false);
    expect((await planned(roster, { ...write, answers: [...answers, true] })).questions).toHaveLength(4);
    expect((await planned(roster, { ...write, answers: [] })).questions).toEqual([]);
  });

  test.each<[string, string, World['answers'] & object, string]>([
    ['a value', rosterOf([...enrolled, 'late']), [['1']], '"Status" (column 2), in neither --only nor --except: "late" 1 (line 16)'],
    [
      'a value beside one that was left out',
      rosterOf([...enrolled, 'guest', 'late']),
      [['2']],
      '"Status" (column 2), in neither --only nor --except: "late" 1 (line 17)',
    ],
    ['a value where all had the same', roster.replace(/WS26(?=,1\n)/, 'SS27'), [['all']], '"SS27" 1'],
    ['a column', roster.replaceAll(/(?<=\w)$/gm, ',A').replace('Nr,A', 'Nr,Group'), answers, '"Status" (column 2)'],
  ])('are asked for again about %s that is new', async (_, text, again, shown) => {
    const { home } = await planned(roster, { tty: true, answers });
    const { creates, offered, stderr } = await planned(text, { tty: true, home, answers: again });
    expect([creates, [...offered.flat(), stderr].join('\n')]).toEqual([14, expect.stringContaining(shown)]);
  });
});

test('Where the roster ends is asked on a terminal, with the lines that are then not read.', async () => {
  const text = 'email,name\na@example.org,Ann\nb@example.org,Ben\nWaiting list,\nc@example.org,Cy\n';
  const { creates, questions, stderr } = await planned(text, { tty: true, answers: [true] });
  expect(questions[0]).toContain('Use only the lines 2 to 3, and leave out 2 other lines, 1 with an address?');
  expect([creates, stderr]).toEqual([2, expect.stringContaining('To answer this in a script, add: --rows 2-3')]);
  expect((await planned(text, { tty: true, answers: [false] })).code).toBe(3);
  expect((await planned(text, { options: ['--rows', '2-3'] })).creates).toBe(2);
});

test.each([
  [true, 3],
  [false, 2],
])('Hidden rows of a workbook are asked about on a terminal: %s.', async (answer, creates) => {
  const rows = ['email', 'a@example.org', 'b@example.org', 'c@example.org'].map((cell, at) => textRow(at + 1, [cell]));
  const book = workbookOf({ rows: rows.join('').replace('<row r="3"', '<row r="3" hidden="1"') });
  const ended = await planned(book, { name: 'r.xlsx', tty: true, answers: [answer] });
  expect([ended.creates, ended.questions[0]]).toEqual([creates, expect.stringContaining('has 1 hidden row (3). Use them too?')]);
  expect((await planned(book, { name: 'r.xlsx' })).stderr).toContain('--rows 2-4');
});

test.each([
  ['Europe/Vienna', 'Use the zone of the file: --timezone Europe/Vienna'],
  ['Europe/Vienna; touch x', 'Nothing was sent. Correct the value and run the command again.'],
])('A workbook with the times of another zone is refused, and only a zone is typed: %s', async (zone, hint) => {
  const sheets = ['data', 'about'].map((name, at) => `<sheet name="${name}" ${at ? 'state="hidden"' : ''} r:id="r${at}"/>`);
  const rows = [['email', 'a@example.org'].map((cell, at) => textRow(at + 1, [cell])).join(''), textRow(1, ['zone', zone])];
  const related = rows.map((_, at) => `<Relationship Id="r${at}" Target="worksheets/sheet${at}.xml"/>`);
  const parts = rows.map((row, at) => [`xl/worksheets/sheet${at}.xml`, `<worksheet><sheetData>${row}</sheetData></worksheet>`]);
  const book = packageOf({
    'xl/workbook.xml': `<workbook><sheets>${sheets.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${related.join('')}</Relationships>`,
    ...Object.fromEntries(parts),
  });
  const { code, stderr } = await planned(book, { name: 'r.xlsx', options: ['--timezone', 'Europe/London'] });
  const { error } = JSON.parse(stderr) as { error: { message: string; hint: string } };
  expect([code, error.message, error.hint]).toEqual([3, expect.stringContaining('the time zone in force is Europe/London'), hint]);
});

test('A file that is missing, a folder, or larger than 64 MiB is refused by its path; stdin is read for -.', async () => {
  const home = freshHome();
  const large = join(home, 'large.csv');
  writeFileSync(large, '');
  truncateSync(large, (64 << 20) + 1);
  const line = (file: string) => `--profile sandbox sessions import ${file} --exam 6 --dry-run`.split(' ');
  for (const [file, why] of [
    ['/nowhere/r.csv', 'no such file or directory (ENOENT)'],
    [home, 'it is a folder'],
    [large, 'it is larger than 64 MiB'],
  ] as const)
    expect(await run(line(file), { home })).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`Could not read ${file}: ${why}.`),
    });
  expect((await run(line('-'), { home, stdin: 'email\na@example.org\n' })).stderr).toContain('stdin: CSV with commas. 1 line.');
});
