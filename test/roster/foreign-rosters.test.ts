/**
 * An attack: rosters of systems that no record describes. Each is either read as the truth says, or stops; and with the options that the
 * message prints, or with what somebody declares who has read it, exactly the truth is imported. Never does a file import anybody else.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type ForeignRoster, type ForeignWorkbook, foreignRosters, foreignWorkbooks } from './foreign-rosters.ts';
import { judge } from './pasting.ts';
import { merging, textRow, zipOf } from './workbook.ts';

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
    .map((name, index) => `<sheet name="${name}" id="r${index}"/>`)
    .join('');
  const targets = parts.map((_, index) => `<Relationship Id="r${index}" Target="sheet${index}.xml"/>`).join('');
  return zipOf({
    'xl/workbook.xml': `<workbook><sheets>${list}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${targets}</Relationships>`,
    ...Object.fromEntries(parts),
  });
}

describe('a roster of another system', () => {
  let byPasting = 0;
  const judged = async (bytes: Buffer, roster: ForeignRoster) => {
    const { alone, by } = await judge(bytes, roster);
    if (by === 'pasting') byPasting += 1;
    return alone;
  };

  test.each(foreignRosters)('$file imports nobody else than it should', async (roster) => {
    const bytes = readFileSync(`test/fixtures/rosters/foreign/${roster.file}`);
    const alone = await judged(roster.written ? encoded(bytes.toString(), roster.written) : bytes, roster);
    expect(alone).toBe(roster.isPlain ? 'read' : 'stopped');
  });

  test.each(foreignWorkbooks)('$file imports nobody else than it should', async (roster) => {
    expect(await judged(workbookOfSheets(roster), roster)).toBe('stopped');
  });

  test('is nearly always imported by the printed options, pasted at most twice', () => {
    expect(byPasting).toBeGreaterThanOrEqual(73);
  });
});
