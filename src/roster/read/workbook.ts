/**
 * Excel workbooks (ECMA-376): the parts of the archive, and the choice of a sheet. The rows of the sheet are
 * streamed; only the shared strings and the places of merged cells are held.
 */
import { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { sentence } from '../../text/sentence.ts';
import type { Archive } from './archive.ts';
import type { Bytes } from './encoding.ts';
import { quote, quoteAll } from './quote.ts';
import type { Record, TableContent } from './source-table.ts';
import { cellFormats, sharedStrings } from './workbook-cells.ts';
import { type SheetSurvey, sheetRecords, surveySheet } from './workbook-sheet.ts';
import { readPart } from './workbook-xml.ts';

/** Largest unpacked size of a part beside the sheets: names, formats, relations. Bytes. */
const mostDescription = 32 << 20;

/** What becomes of hidden rows. */
export const hiddenRowRules = ['include', 'skip'] as const;
export type HiddenRowRule = (typeof hiddenRowRules)[number];

export type WorkbookOptions = {
  /** Name of the sheet, or its number among the visible ones. */
  sheet?: string | undefined;
  hiddenRows?: HiddenRowRule | undefined;
  /** Decides where nothing is declared; undefined leaves the file refused. */
  chooseHiddenRows?: ((what: string) => Promise<HiddenRowRule | undefined>) | undefined;
};

type ListedSheet = { name: string; relation: string; visible: boolean };
type SurveyedSheet = { name: string; file: Bytes; survey: SheetSurvey };

export async function readWorkbook(archive: Archive, name: string, options: WorkbookOptions): Promise<TableContent> {
  const { sheets, since1904 } = await sheetsIn(archive, name);
  const visible = sheets.filter((sheet) => sheet.visible);
  const wanted = options.sheet === undefined ? visible : [sheetNamed(options.sheet, sheets, visible, name)];
  if (wanted.length === 0)
    throw new CliError('invalid_input', sentence`${name} has no visible sheet.`, {
      hint: 'Show the sheet with the students, and save it.',
    });
  const fileOf = await filesOf(archive, name);
  const styles = { strings: await sharedStrings(archive, name), formats: await cellFormats(archive), since1904 };
  const surveyed: SurveyedSheet[] = [];
  for (const sheet of wanted) {
    const file = fileOf(sheet);
    surveyed.push({ name: sheet.name, file, survey: await surveySheet(file, styles) });
  }
  const { name: sheet, file, survey } = sheetOfStudents(surveyed, name);
  const rule = await hiddenRowRule(survey, `${name}, sheet ${quote(sheet)}`, options);
  const others = visible.filter((one) => one.name !== sheet).map((one) => one.name);
  const notes = [
    ...(options.sheet === undefined && others.length > 0
      ? [`Reading sheet ${quote(sheet)}; the workbook also has ${quoteAll(others)}. --sheet NAME selects another.`]
      : []),
    ...(rule === undefined ? [] : [`${count(survey.hidden, 'hidden row')} ${rule === 'skip' ? 'left out' : 'included'}.`]),
  ];
  return {
    name,
    format: `Excel workbook, sheet ${quote(sheet)}`,
    kind: 'xlsx',
    notes,
    records: () => recordsIn(sheetRecords(file, styles, survey.merged), rule === 'skip'),
  };
}

async function* recordsIn(records: AsyncGenerator<Record[]>, withoutHidden: boolean): AsyncGenerator<Record[]> {
  for await (const portion of records) yield withoutHidden ? portion.filter(({ sheet }) => !sheet?.hidden) : portion;
}

async function sheetsIn(archive: Archive, name: string): Promise<{ sheets: ListedSheet[]; since1904: boolean }> {
  const sheets: ListedSheet[] = [];
  let since1904 = false;
  await readPart(part(archive, 'xl/workbook.xml', name), {
    open(tag, attributes) {
      if (tag === 'workbookPr') since1904 = ['1', 'true'].includes(attributes.date1904 ?? '');
      if (tag === 'sheet') {
        const relation = Object.entries(attributes).find(([key]) => key === 'id' || key.endsWith(':id'))?.[1] ?? '';
        sheets.push({ name: attributes.name ?? '', relation, visible: (attributes.state ?? 'visible') === 'visible' });
      }
    },
  });
  return { sheets, since1904 };
}

async function filesOf(archive: Archive, name: string): Promise<(sheet: ListedSheet) => Bytes> {
  const targets = new Map<string, string>();
  await readPart(part(archive, 'xl/_rels/workbook.xml.rels', name), {
    open(tag, attributes) {
      if (tag === 'Relationship') targets.set(attributes.Id ?? '', attributes.Target ?? '');
    },
  });
  return ({ relation }) => {
    const target = targets.get(relation) ?? '';
    return part(archive, target.startsWith('/') ? target.slice(1) : `xl/${target}`, name);
  };
}

/** The only sheet that is not empty, or the only one with addresses. Throws `invalid_input` where another may have students too. */
function sheetOfStudents(sheets: readonly SurveyedSheet[], name: string): SurveyedSheet {
  const [first] = sheets as [SurveyedSheet, ...SurveyedSheet[]];
  const filled = sheets.filter(({ survey }) => !survey.isEmpty);
  if (filled.length < 2) return filled[0] ?? first;
  const withAddresses = filled.filter(({ survey }) => survey.hasAddresses);
  const [only, ...more] = withAddresses;
  if (only && more.length === 0) return only;
  const among = only ? withAddresses : filled;
  throw new CliError(
    'invalid_input',
    sentence`${name} has several sheets${only ? ' with e-mail addresses' : ', none with e-mail addresses'}: ${quoteAll(among.map((sheet) => sheet.name))}.`,
    { hint: 'Choose the sheet with the students: --sheet NAME' },
  );
}

/** Undefined where no row is hidden. Throws `invalid_input` where nobody decides. */
async function hiddenRowRule(
  { hidden, firstHidden }: SheetSurvey,
  where: string,
  { hiddenRows, chooseHiddenRows }: WorkbookOptions,
): Promise<HiddenRowRule | undefined> {
  if (hidden === 0) return undefined;
  const which = `${firstHidden.join(', ')}${hidden > firstHidden.length ? ', …' : ''}`;
  const what = `${where} has ${count(hidden, 'hidden row')} (${which})`;
  const rule = hiddenRows ?? (await chooseHiddenRows?.(what));
  if (rule) return rule;
  throw new CliError('invalid_input', sentence`${what}; a filter hides rows.`, {
    hint: 'Add --hidden-rows include to use hidden rows, or --hidden-rows skip to leave them out.',
  });
}

/** The sheet of this name, or of this number among the visible ones. */
function sheetNamed(wanted: string, sheets: readonly ListedSheet[], visible: readonly ListedSheet[], name: string): ListedSheet {
  const found = sheets.find((sheet) => sheet.name.trim().toLowerCase() === wanted.trim().toLowerCase());
  const numbered = /^\d+$/.test(wanted) ? visible[Number(wanted) - 1] : undefined;
  if (found ?? numbered) return (found ?? numbered) as ListedSheet;
  const names = quoteAll(visible.map((sheet) => sheet.name));
  throw new CliError('invalid_input', sentence`${name} has no sheet ${quote(wanted)}. Its sheets: ${names}.`, {
    hint: 'Choose the sheet with the students: --sheet NAME',
  });
}

function part(archive: Archive, path: string, name: string): Bytes & { size: number } {
  const entry = archive.entry(path);
  if (entry && !path.startsWith('xl/worksheets/') && entry.size > mostDescription) {
    throw new CliError('invalid_input', sentence`${entry.name} is larger than ${mostDescription >> 20} MB.`, {
      hint: 'Save the sheet as CSV.',
    });
  }
  if (entry) return entry;
  throw new CliError('invalid_input', sentence`${name} is an incomplete Excel workbook: ${quote(path)} is missing.`, {
    hint: 'Save it again as .xlsx, or as CSV.',
  });
}
