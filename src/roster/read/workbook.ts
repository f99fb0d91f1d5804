/**
 * Excel workbooks (ECMA-376): the parts of the archive, and the choice of a sheet. The rows of the sheet are
 * streamed; only the shared strings are held.
 */
import { CliError } from '../../errors.ts';
import { typedOption } from '../../model/shell-quote.ts';
import { sentence } from '../../text/sentence.ts';
import type { Archive } from './archive.ts';
import type { Bytes } from './encoding.ts';
import type { KnownHeader } from './header.ts';
import { quote, quoteAll } from './quote.ts';
import type { Record, TableContent } from './table.ts';
import { headOf } from './tabulate.ts';
import { cellFormats, sharedStrings } from './workbook-cells.ts';
import { sheetRecords } from './workbook-sheet.ts';
import { readPart } from './workbook-xml.ts';

/** Largest unpacked size of a part beside the sheets: names, formats, relations. Bytes. */
const mostDescription = 32 << 20;
type WorkbookSheet = { name: string; relation: string; visible: boolean };
export type SheetChoice = { sheet?: string | undefined; known: KnownHeader };

export async function readWorkbook(archive: Archive, name: string, { sheet: wanted, known }: SheetChoice): Promise<TableContent> {
  const sheets: WorkbookSheet[] = [];
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
  const visible = sheets.filter((sheet) => sheet.visible);
  const chosen = wanted === undefined ? visible : [sheetNamed(wanted, sheets, visible, name)];
  if (chosen.length === 0)
    throw new CliError('invalid_input', sentence`${name} has no visible sheet.`, {
      hint: 'Show the sheet with the students, and save it.',
    });
  const targets = new Map<string, string>();
  await readPart(part(archive, 'xl/_rels/workbook.xml.rels', name), {
    open(tag, attributes) {
      if (tag === 'Relationship') targets.set(attributes.Id ?? '', attributes.Target ?? '');
    },
  });
  const styles = { strings: await sharedStrings(archive, name), formats: await cellFormats(archive), since1904 };
  const recordsOf = (sheet: WorkbookSheet) => () => recordsIn(sheet);
  async function* recordsIn({ relation }: WorkbookSheet): AsyncGenerator<Record[]> {
    const target = targets.get(relation) ?? '';
    const file = part(archive, target.startsWith('/') ? target.slice(1) : `xl/${target}`, name);
    yield* sheetRecords(file, styles);
  }
  const sheet = await sheetOfStudents(chosen, recordsOf, { known, name });
  const others = visible.filter((one) => one !== sheet).map((one) => one.name);
  return {
    format: `Excel workbook, sheet ${quote(sheet.name)}`,
    kind: 'xlsx',
    encoding: undefined,
    notes:
      wanted === undefined && others.length > 0
        ? [`Reading sheet ${quote(sheet.name)}; the workbook also has ${quoteAll(others)}. --sheet NAME selects another.`]
        : [],
    records: recordsOf(sheet),
  };
}

/**
 * The sheet with a header that is known and addresses below it, past covers and notes; otherwise the first with such a
 * header, or the first of all. Throws `invalid_input` where several have addresses: those of the others would be left out.
 */
async function sheetOfStudents(
  sheets: readonly WorkbookSheet[],
  recordsOf: (sheet: WorkbookSheet) => () => AsyncGenerator<Record[]>,
  { known, name }: { known: KnownHeader; name: string },
): Promise<WorkbookSheet> {
  const [first, ...more] = sheets as [WorkbookSheet, ...WorkbookSheet[]];
  if (more.length === 0) return first;
  const withHeader: WorkbookSheet[] = [];
  const withAddresses: WorkbookSheet[] = [];
  for (const sheet of sheets) {
    // Another sheet may be damaged; it matters if it is the one that is read.
    const head = await headOf(recordsOf(sheet)()).catch((): Record[] => []);
    const header = head.findIndex((record) => isHeader(record, known));
    if (header < 0) continue;
    withHeader.push(sheet);
    if (head.slice(header + 1).some(({ cells }) => cells.some((cell) => /\S@\S/.test(cell)))) withAddresses.push(sheet);
  }
  const [only, ...others] = withAddresses;
  if (others.length === 0) return only ?? withHeader[0] ?? first;
  throw new CliError(
    'invalid_input',
    sentence`${name} has several sheets with e-mail addresses: ${quoteAll(withAddresses.map((sheet) => sheet.name))}.`,
    { hint: sentence`Choose one: ${typedOption('--sheet', only?.name ?? '')}` },
  );
}

function isHeader({ cells }: Record, known: KnownHeader): boolean {
  const filled = cells.filter((cell) => cell.trim() !== '');
  const found = filled.filter(known).length;
  return found > 1 || (found === 1 && filled.length === 1);
}

/** The sheet of this name, or of this number among the visible ones. */
function sheetNamed(wanted: string, sheets: readonly WorkbookSheet[], visible: readonly WorkbookSheet[], name: string): WorkbookSheet {
  const found = sheets.find((sheet) => sheet.name.trim().toLowerCase() === wanted.trim().toLowerCase());
  const numbered = /^\d+$/.test(wanted) ? visible[Number(wanted) - 1] : undefined;
  if (found ?? numbered) return (found ?? numbered) as WorkbookSheet;
  const names = quoteAll(visible.map((sheet) => sheet.name));
  throw new CliError('invalid_input', sentence`${name} has no sheet ${quote(wanted)}. Its sheets: ${names}.`, {
    hint: 'Choose one: --sheet NAME',
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
