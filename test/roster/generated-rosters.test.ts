/** An attack by chance: rosters in three languages with what real ones have beside their students. Nobody else is ever imported in silence. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judge } from './pasting.ts';
import { textRow, workbookOf } from './workbook.ts';

/** The columns of a student and of the state, the states of who counts and who does not, and a heading. */
const languages = [
  [['Email address', 'First name', 'Last name'], 'Status', 'enrolled', 'withdrawn', 'Waiting list'],
  [['E-Mail-Adresse', 'Vorname', 'Nachname'], 'Anmeldung', 'ja', 'nein', 'Abgemeldet'],
  [['Courriel', 'Prénom', 'Nom'], 'Situation', 'inscrit', '', 'Désinscrits'],
] as const;

const furtherCells = {
  group: (at: number) => `G${at % 3}`,
  serial: (at: number) => String(7000 + at),
  constant: () => 'WS26',
  empty: () => '',
  remark: (at: number) => (at % 4 === 1 ? 'cancelled on 3 Oct' : ''),
};

const roster = fc.record({
  language: fc.constantFrom(...languages),
  format: fc.constantFrom(',', ';', '\t', 'xlsx'),
  /** Whether each student counts. */
  upper: fc.array(fc.boolean(), { minLength: 1, maxLength: 15 }),
  hasStatus: fc.boolean(),
  title: fc.boolean(),
  further: fc.subarray(Object.keys(furtherCells) as (keyof typeof furtherCells)[]),
  end: fc.constantFrom('nothing', 'total', 'heading', 'short heading', 'second header'),
  hidden: fc.array(fc.boolean(), { maxLength: 20 }),
});
type Roster = typeof roster extends fc.Arbitrary<infer T> ? T : never;

function written({ language, format, upper, hasStatus, title, further, end, hidden }: Roster) {
  const [names, status, counts, doesNot, heading] = language;
  const header = [...names, ...(hasStatus ? [status] : []), ...further];
  const student = (isIn: boolean, at: number) => [
    ...[`s${at}@example.org`, `Ann${at}`, 'Lee', ...(hasStatus ? [isIn ? counts : doesNot] : [])],
    ...further.map((column) => furtherCells[column](at)),
  ];
  const whole = (...cells: string[]) => header.map((_, at) => cells[at] ?? '');
  const last = {
    nothing: [],
    total: [whole('Total', String(upper.length))],
    heading: [whole(heading)],
    'short heading': [[heading]],
    'second header': [header],
  };
  const below = [...last[end], ...(end === 'total' || end === 'nothing' ? [] : [student(true, 50), student(false, 51)])];
  const lines = [...(title ? [whole('Exam of 21 November')] : []), header, ...upper.map(student), ...below];
  const first = title ? 3 : 2;
  const isHidden = (line: number) => format === 'xlsx' && line >= first && hidden[line - first] === true;
  const rows = lines.map((cells, at) => textRow(at + 1, cells).replace('<row', isHidden(at + 1) ? '<row hidden="1"' : '<row'));
  const hasMore = below.length > 0 || lines.some((_, at) => isHidden(at + 1));
  const truth = {
    file: format,
    imports: upper.flatMap((isIn, at) => (isIn || !hasStatus ? [`s${at}`] : [])).join(' '),
    ...(hasStatus ? { only: { [status]: [counts] } } : {}),
    ...(hasMore ? { rows: `${first}-${first + upper.length - 1}` } : {}),
  };
  const text = lines.map((cells) => `${cells.join(format)}\n`).join('');
  return { bytes: format === 'xlsx' ? workbookOf({ rows: rows.join('') }) : Buffer.from(text), truth, mayBeRead: !hasStatus && !hasMore };
}

test('A roster that was made by chance imports exactly its students, or stops; what it prints, or what somebody declares, imports them.', async () => {
  let pasted = 0;
  await fc.assert(
    fc.asyncProperty(roster, async (made) => {
      const { bytes, truth, mayBeRead } = written(made);
      // An --only of which the column has no value is refused for what it is: somebody mistyped it.
      if (made.hasStatus && !made.upper.includes(true)) return;
      const { alone, by } = await judge(bytes, truth);
      if (by === 'pasting') pasted += 1;
      if (!mayBeRead) expect(alone).toBe('stopped');
    }),
    { numRuns: 100 },
  );
  expect(pasted).toBeGreaterThan(30);
});
