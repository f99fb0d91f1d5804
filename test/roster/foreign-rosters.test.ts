/**
 * An attack: rosters of systems that no record describes. Each is either read as the truth says, or stops; and with the options that the
 * message prints, or with what somebody declares who has read it, exactly the truth is imported. Never does a file import anybody else.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type ForeignRoster, type ForeignWorkbook, foreignRosters, foreignWorkbooks } from './foreign-rosters.ts';
import { judge } from './pasting.ts';
import { merging, packageOf, textRow } from './workbook.ts';

/** A text in a single-byte encoding, of which the platform has only the decoder. */
function encoded(text: string, encoding: string): Buffer {
  if (encoding === 'utf-16le') return Buffer.from(`\ufeff${text}`, 'utf16le');
  const decoder = new TextDecoder(encoding);
  const bytes = new Map(Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte]));
  return Buffer.from(Array.from(text, (character) => bytes.get(character) ?? 0x3f));
}

function workbookOfSheets({ sheets, merged = [], hidden = [] }: ForeignWorkbook): Buffer {
  const parts = Object.values(sheets).map((rows, index) => {
    const data = rows.map((row, at) =>
      textRow(at + 1, row.split(';')).replace('<row', hidden.includes(at + 1) ? '<row hidden="1"' : '<row'),
    );
    return [`xl/sheet${index}.xml`, `<worksheet><sheetData>${data.join('')}</sheetData>${merging(...merged)}</worksheet>`] as const;
  });
  const list = Object.keys(sheets)
    .map((name, index) => `<sheet name="${name}" r:id="r${index}"/>`)
    .join('');
  const targets = parts.map((_, index) => `<Relationship Id="r${index}" Target="sheet${index}.xml"/>`).join('');
  return packageOf({
    'xl/workbook.xml': `<workbook><sheets>${list}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${targets}</Relationships>`,
    ...Object.fromEntries(parts),
  });
}

const bytesOf = (roster: ForeignRoster | ForeignWorkbook): Buffer => {
  if ('sheets' in roster) return workbookOfSheets(roster);
  const bytes = readFileSync(`test/fixtures/rosters/foreign/${roster.file}`);
  return roster.written ? encoded(bytes.toString(), roster.written) : bytes;
};

describe('a roster of another system', () => {
  const all = [...foreignRosters, ...foreignWorkbooks];
  const verdicts = new Map<ForeignRoster, ReturnType<typeof judge>>();
  const verdictOn = (roster: ForeignRoster) => {
    const verdict = verdicts.get(roster) ?? judge(bytesOf(roster), roster);
    verdicts.set(roster, verdict);
    return verdict;
  };

  test.each(all)('imports nobody else than it should: $file', async (roster) => {
    expect((await verdictOn(roster)).alone).toBe(roster.isPlain ? 'read' : 'stopped');
  });

  test('is nearly always imported by the printed options, pasted at most twice', async () => {
    const by = await Promise.all(all.map(async (roster) => (await verdictOn(roster)).by));
    expect(by.filter((one) => one === 'pasting').length).toBeGreaterThanOrEqual(71);
  });
});
