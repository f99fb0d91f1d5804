/**
 * An attack: rosters of systems that no record describes. Each is either read as the truth says, or stops; and with what
 * somebody declares who has read the message, exactly the truth is imported. Never does a file import anybody else.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { validate } from '../../src/features/import/validate.ts';
import { type MapOptions, mapTable } from '../../src/roster/map/index.ts';
import type { RosterOptions } from '../../src/roster/read/index.ts';
import { type ForeignRoster, type ForeignSheet, foreignRosters, foreignWorkbooks } from './foreign-rosters.ts';
import { opened } from './read/roster.ts';
import { merging, textRow, zipOf } from './read/zip.ts';

type Options = MapOptions & RosterOptions;
/** `invalid`: some lines are, and `--skip-invalid` would import the others. */
type Outcome = { imported: string[] } | { invalid: string[] } | { refused: CliError };

/** What an import of these bytes would send, without a terminal. */
async function outcomeOf(bytes: Buffer, options: Options = {}): Promise<Outcome> {
  try {
    const table = await opened(bytes, { ...options, headers: Object.values(options.map ?? {}).flat() });
    try {
      const mapping = await mapTable(table, options);
      const { entries, problems } = await validate(mapping, { now: () => 0, zone: 'UTC' });
      if (problems.length > 0) return { invalid: problems.map(({ reason }) => reason) };
      return { imported: [...entries].map(({ email = '' }) => email.slice(0, email.indexOf('@'))) };
    } finally {
      await table.close();
    }
  } catch (error) {
    if (error instanceof CliError) return { refused: error };
    throw error;
  }
}

/** With what is declared, and every other column of which the message says that nothing declares it as one that does not decide. */
async function declaredOutcome(bytes: Buffer, { map = {}, only = {}, except = {}, ...reading }: ForeignRoster): Promise<Outcome> {
  const declared = { ...reading, map, only, except };
  const first = await outcomeOf(bytes, declared);
  if (!('refused' in first)) return first;
  const ignored = [...first.refused.message.matchAll(/^ {2}"((?:[^"\\]|\\.)*)" \(column \d+\)/gm)].map(([, header]) =>
    JSON.parse(`"${header}"`),
  );
  return outcomeOf(bytes, { ...declared, ignored });
}

async function judge(bytes: Buffer, roster: ForeignRoster) {
  const truth = roster.imports?.split(' ');
  const unattended = await outcomeOf(bytes);
  if ('imported' in unattended) expect(unattended.imported, 'imported without a word').toEqual(truth);
  else expect(unattended).toMatchObject({ refused: { code: 'invalid_input' } });
  const outcome = await declaredOutcome(bytes, roster);
  if (truth === undefined) expect(outcome).toMatchObject({ refused: { code: 'invalid_input' } });
  else expect(outcome).toEqual({ imported: truth });
  return 'imported' in unattended ? 'read' : 'stopped';
}

/** A text in a single-byte encoding, of which the platform has only the decoder. */
function encoded(text: string, encoding: string): Buffer {
  if (encoding === 'utf-16le') return Buffer.from(`\ufeff${text}`, 'utf16le');
  const decoder = new TextDecoder(encoding);
  const bytes = new Map(Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte]));
  return Buffer.from(Array.from(text, (character) => bytes.get(character) ?? 0x3f));
}

function workbookOfSheets(sheets: readonly ForeignSheet[]): Buffer {
  const parts = sheets.map(({ rows, merged = [], hidden = [] }, index) => {
    const data = rows.map((row, at) => textRow(at + 1, row).replace('<row', hidden.includes(at + 1) ? '<row hidden="1"' : '<row'));
    return [`xl/sheet${index}.xml`, `<worksheet><sheetData>${data.join('')}</sheetData>${merging(...merged)}</worksheet>`] as const;
  });
  const list = sheets.map(({ name }, index) => `<sheet name="${name}" id="r${index}"/>`).join('');
  const targets = sheets.map((_, index) => `<Relationship Id="r${index}" Target="sheet${index}.xml"/>`).join('');
  return zipOf({
    'xl/workbook.xml': `<workbook><sheets>${list}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${targets}</Relationships>`,
    ...Object.fromEntries(parts),
  });
}

describe('a roster of another system', () => {
  test.each(foreignRosters)('$file imports nobody else than it should', async (roster) => {
    const bytes = readFileSync(`test/fixtures/rosters/foreign/${roster.file}`);
    const end = await judge(roster.written ? encoded(bytes.toString(), roster.written) : bytes, roster);
    expect(end).toBe(roster.isPlain ? 'read' : 'stopped');
  });

  test.each(foreignWorkbooks)('$file imports nobody else than it should', async (roster) => {
    expect(await judge(workbookOfSheets(roster.sheets), roster)).toBe('stopped');
  });
});
