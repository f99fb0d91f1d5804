import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Reject, writeRejects } from '../../../src/features/import/rejects.ts';
import { validate } from '../../../src/features/import/validate.ts';
import { mapTable } from '../../../src/roster/map/index.ts';
import { openRoster } from '../../../src/roster/read/index.ts';
import { opened, refusal, rowsOf } from '../../roster/read/roster.ts';
import { temporaryFolder } from '../../support/run.ts';

const folder = temporaryFolder();
const file = (name: string) => join(folder, name);
const rule = { force: true, inputs: [], sleep: async () => {}, shown: (text: string) => text };

/** Rejects what validation rejects, and gives the file's text. */
async function rejected(content: string | Uint8Array, path = file('rejects.csv'), ignored: readonly string[] = []): Promise<string> {
  const table = await opened(content);
  try {
    await writeRejects(path, rule, table, await validate(await mapTable(table, { ignored }), { now: () => 0, zone: undefined }));
  } finally {
    await table.close();
  }
  return readFileSync(path, 'utf8');
}

describe('the rejects file', () => {
  test('has each rejected row as it came, with its line, the codes and the reasons', async () => {
    const text = await rejected('Name;E-Mail;close_time\nAnn;ann@example.org;\n"Example, Ben";ben;never\n');
    expect(text).toBe(
      '\ufeffName,E-Mail,close_time,reject_line,reject_code,reject_reason\r\n' +
        '"Example, Ben",ben,never,3,bad_address bad_time,"it contains no @; it is not a time; write it as YYYY-MM-DDTHH:MM with its offset (+01:00, or Z for UTC), or relative to now: +2h30m"\r\n',
    );
  });

  test('is private, and whole or missing', async () => {
    await rejected('email\nx@y\n', file('private.csv'));
    expect(statSync(file('private.csv')).mode & 0o777).toBe(0o600);
    const table = await opened('email\nx@y\n');
    const validated = await validate(await mapTable(table), { now: () => 0, zone: undefined });
    expect((await refusal(writeRejects(join(folder, 'no', 'where.csv'), rule, table, validated))).code).toBe('output_failed');
    async function* checked() {
      yield* validated.checked();
      throw new Error('the disk is on fire');
    }
    await expect(writeRejects(file('half.csv'), rule, table, { checked })).rejects.toThrow();
    await table.close();
    expect(existsSync(file('half.csv'))).toBe(false);
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test('holds no passwords', async () => {
    const text = await rejected('username,password,firstname,lastname,email\na,hunter2,Ann,Example,x\nb,,Ben,Example,y\n');
    expect(text).not.toContain('hunter2');
    expect(text).toContain('a,********,Ann,Example,x,2,');
    expect(text).toContain('b,,Ben,Example,y,3,');
  });

  test('holds no password that a ragged row has in another column', async () => {
    const text = await rejected(
      'email,name,password\na@example.org,Example, Ann,hunter2\nb@example.org,hunter3\nc@example.org,Cy,hunter4\n',
      undefined,
      ['password'],
    );
    expect(text).not.toMatch(/hunter/);
    expect(text).toContain('a@example.org,Example,********,2,ragged,"the row has 4 cells, but the header 3; quote');
    expect(text).toContain('b@example.org,********,,3,ragged');
  });

  test('keeps the cells of a row that is too long, which stays invalid until they are where they belong', async () => {
    const first = await rejected('email,name\na@example.org,Example, Ann\nb,Ben\n');
    expect(first).toContain('a@example.org,Example,2,ragged,"the row has 3 cells, but the header 2; additional cells: "" Ann""; quote');
    const again = await rejected(first);
    expect(again).toMatch(/\r\na@example.org,Example,2,ragged,.*," Ann"\r\n/);
    expect(again).not.toContain('Example,3,ragged');
  });

  test('keeps a row that is too short invalid until each of its cells is where it belongs', async () => {
    const first = await rejected('email,name,close_time\nann@example.org,Ann,\nben@example.org,2027-02-01T10:00Z\n');
    expect(first).toMatch(
      /\r\nben@example\.org,2027-02-01T10:00Z,,3,ragged,"the row has 2 cells.*","some cells of this row were missing: /,
    );
    const problemsOf = async (content: string) => {
      const table = await opened(content);
      const { problems, entries } = await validate(await mapTable(table), { now: () => 0, zone: undefined });
      await table.close();
      return { codes: problems.map(({ code }) => code), names: [...entries].map(({ name }) => name) };
    };
    expect(await problemsOf(first)).toEqual({ codes: ['ragged'], names: [] });
    expect(await problemsOf(await rejected(first))).toEqual({ codes: ['ragged'], names: [] });
    const corrected = first.replace('org,2027-02-01T10:00Z,,', 'org,Ben,2027-02-01T10:00Z,').replace(/,"some cells[^\r]*/, ',');
    expect(await problemsOf(corrected)).toEqual({ codes: [], names: ['Ben'] });
  });

  test('gives a spreadsheet no formula', async () => {
    const text = await rejected('email,name,nr\n=x,@SUM(A1),-12\n+y,"\t=1","x;=cmd|calc"\n', undefined, ['nr']);
    expect(text).toContain("'=x,'@SUM(A1),-12,2");
    expect(text).toContain(`'+y,"\t'=1","x;'=cmd|calc",3`);
  });

  test('is imported as it is once it is corrected, however often', async () => {
    const first = await rejected('First name,Last name,Email address,Groups\nAnn,Example,ann,A\n', undefined, ['Groups']);
    const table = await opened(first);
    const mapping = await mapTable(table);
    expect(mapping.recognised).toBe('a Moodle participants export');
    expect(mapping.ignored).toEqual(['Groups']);
    await table.close();
    const again = await rejected(first);
    expect(again.split('\r\n')[0]).toBe('\ufeffFirst name,Last name,Email address,Groups,reject_line,reject_code,reject_reason');
    const corrected = await opened(first.replace(',ann,', ',ann@example.org,'));
    const { entries, problems } = await validate(await mapTable(corrected), { now: () => 0, zone: undefined });
    expect(problems).toEqual([]);
    expect([...entries]).toEqual([{ row: 1, line: 2, exam: 0, email: 'ann@example.org', name: 'Ann Example' }]);
    await corrected.close();
  });

  const nasty = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 10 }),
    fc.string({ unit: fc.constantFrom('"', ',', ';', '\t', '|', '\n', '\r', "'", '=', '+', '-', '@', ' ', '1', 'ü', '＝'), maxLength: 6 }),
  );

  test('is read again with the cells that it was written with', async () => {
    const rows = fc.array(fc.tuple(nasty, nasty), { minLength: 1, maxLength: 12 });
    const delimiter = fc.constantFrom(',', ';', '\t', '|');
    await fc.assert(
      fc.asyncProperty(rows, delimiter, async (cells, between) => {
        const quoted = (text: string) => `"${text.replaceAll('\0', '').toWellFormed().replaceAll('"', '""')}"`;
        const lines = [['email', 'name', 'Raum'], ...cells.map((row, index) => [`s${index}@example.org`, ...row])];
        const table = await opened(lines.map((line) => `${line.map(quoted).join(between)}\r\n`).join(''));
        const before = await rowsOf(table);
        const reject: Reject = { code: 'rejected', reason: 'the service said: "no, thanks"' };
        const checked = async function* () {
          for await (const rows of table.rows()) yield rows.map((row) => ({ row, problems: [] }));
        };
        await writeRejects(file('round.csv'), rule, table, { checked }, new Map(before.map(({ row }) => [row, reject])));
        await table.close();
        const written = await openRoster({ path: file('round.csv') });
        const after = await rowsOf(written);
        await written.close();
        expect(after.map((row) => row.cells.slice(0, 3))).toEqual(before.map((row) => row.cells));
        expect(after.map((row) => row.cells.slice(3))).toEqual(before.map(({ line }) => [String(line), reject.code, reject.reason]));
      }),
      { numRuns: 150 },
    );
  });
});
