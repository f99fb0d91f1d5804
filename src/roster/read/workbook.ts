/**
 * Excel workbooks (ECMA-376): the parts of the archive, and the choice of a sheet. The rows of the sheet are
 * streamed; only the shared strings are held.
 */
import { CliError } from '../../errors.ts';
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
  const sheet = await firstWithHeader(chosen, recordsOf, known);
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

/** The first sheet with a header that is known, past covers and notes; the first of all where none has one. */
async function firstWithHeader(
  sheets: readonly WorkbookSheet[],
  recordsOf: (sheet: WorkbookSheet) => () => AsyncGenerator<Record[]>,
  known: KnownHeader,
): Promise<WorkbookSheet> {
  const [first, ...more] = sheets as [WorkbookSheet, ...WorkbookSheet[]];
  for (const sheet of more.length > 0 ? sheets : []) {
    // Another sheet may be damaged; it matters if it is the one that is read.
    const head = await headOf(recordsOf(sheet)()).catch((): Record[] => []);
    if (head.some((record) => isHeader(record, known))) return sheet;
  }
  return first;
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
