import { describe, expect, test } from 'vitest';
import { describeProblem, keptProblems, validate } from '../../../src/features/import/validate.ts';
import { type MapOptions, mapTable } from '../../../src/roster/map/index.ts';
import { opened, refusal } from '../../roster/read/roster.ts';
import { textRow, workbookOf } from '../../roster/read/zip.ts';

const now = Date.parse('2026-11-01T08:00:00Z');
const lines = (...all: string[]) => all.map((line) => `${line}\n`).join('');

async function validated(content: string | Uint8Array, options: MapOptions & { zone?: string } = {}) {
  const table = await opened(content);
  try {
    const mapping = await mapTable(table, options);
    const result = await validate(mapping, { now: () => now, zone: options.zone });
    const said = result.problems.map((problem) => `${problem.code}: ${describeProblem(problem, mapping)}`);
    return { ...result, entries: [...result.entries], said };
  } finally {
    await table.close();
  }
}

async function validatedAll(content: string) {
  const table = await opened(content);
  try {
    const result = await validate(await mapTable(table), { now: () => now, zone: undefined });
    let checked = 0;
    for await (const rows of result.checked()) for (const { problems } of rows) checked += problems.length;
    return { ...result, checked };
  } finally {
    await table.close();
  }
}

describe('validation', () => {
  test('turns rows into entries', async () => {
    const header = 'email,name,open_time,close_time,skip_requirements';
    const { entries, problems, total } = await validated(
      lines(header, ' Ann@Example.org ,Ann,2026-11-21T09:00+01:00,+2h,Ja', 'ben@example.org,,,2026-11-21 12:00,0', 'cy@example.org,,,,'),
      { zone: 'Europe/Vienna' },
    );
    expect(problems.map(({ code }) => code)).toEqual(['bad_order']);
    expect(total).toBe(3);
    expect(entries).toEqual([
      { row: 2, line: 3, exam: 0, email: 'ben@example.org', close_time: Date.parse('2026-11-21T11:00:00Z'), skip_requirements: false },
      { row: 3, line: 4, exam: 0, email: 'cy@example.org' },
    ]);
  });

  test('keeps the case of an address and trims what stands around it', async () => {
    const { entries } = await validated(lines('email,name', '\u00a0Ann.Example@Example.ORG ,  Ann  Example '));
    expect(entries).toEqual([{ row: 1, line: 2, exam: 0, email: 'Ann.Example@Example.ORG', name: 'Ann  Example' }]);
  });

  test('says everything that is wrong at once, each with its place', async () => {
    const { said, entries, total } = await validated(
      lines(
        'E-Mail;Name;close_time;skip_requirements;level_of_suspicion',
        'ann@example.org;Ann;;;',
        ';Ben;;true;',
        'cy(at)example.org;Cy;tomorrow;maybe;2',
        'dee@example.org, d@example.org;Dee;2026-11-21 09:00;;',
        'ANN@example.org ;Ann;;;',
        'eve@example.org;"Eve\u001b[31m\nX";03/04/2026;;0',
      ),
    );
    expect(said).toEqual([
      'no_address: line 3, column 1 ("E-Mail"): the e-mail address is missing.',
      'bad_address: line 4, column 1 ("E-Mail"): "cy(at)example.org": it contains no @.',
      'bad_time: line 4, column 3 ("close_time"): "tomorrow": it is a day in a time zone, and no zone is set; set the zone (--timezone Europe/Vienna), or write the date and the time with its offset.',
      'bad_boolean: line 4, column 4 ("skip_requirements"): "maybe": must be true or false.',
      'read_only: line 4, column 5 ("level_of_suspicion"): "2": level_of_suspicion is read-only (added on 2022-03-27): only the service sets it; leave the column out.',
      'two_addresses: line 5, column 1 ("E-Mail"): "dee@example.org, d@example.org": the cell contains several addresses.',
      'bad_time: line 5, column 3 ("close_time"): "2026-11-21 09:00": it has no time zone, and no zone is set; add an offset (2026-11-21T09:00+01:00, or Z for UTC), or set the zone: --timezone Europe/Vienna.',
      'duplicate: line 6, column 1 ("E-Mail"): "ANN@example.org": same address as line 2.',
      'bad_name: line 7, column 2 ("Name"): "Eve\\u001b[31m\\nX": the name contains a line break or another control character.',
      'bad_time: line 7, column 3 ("close_time"): "03/04/2026": it is ambiguous: some put the day first, others the month; write year, month and day in this order: YYYY-MM-DDTHH:MM. For a file, --dates dmy or --dates mdy says which comes first.',
      'read_only: line 7, column 5 ("level_of_suspicion"): "0": level_of_suspicion is read-only (added on 2022-03-27): only the service sets it; leave the column out.',
    ]);
    expect(entries).toEqual([{ row: 1, line: 2, exam: 0, email: 'ann@example.org', name: 'Ann' }]);
    expect(total).toBe(6);
  });

  test('finds an address again in a row that is wrong for another reason', async () => {
    const { said } = await validated(lines('email,close_time', 'ann@example.org,never', 'Ann@example.org,'));
    expect(said[1]).toBe('duplicate: line 3, column 1 ("email"): "Ann@example.org": same address as line 2.');
  });

  test('makes problems of ragged rows, all of them, and imports the others', async () => {
    const { said, entries } = await validated(lines('email,name', 'ann@example.org', 'ben@example.org,Ben', 'cy@example.org,Example, Cy'));
    expect(said.map((text) => text.slice(0, 60))).toEqual([
      'ragged: line 2, column 2: the row has 1 cell, but the header',
      'ragged: line 4, column 3: the row has 3 cells, but the heade',
    ]);
    expect(entries.map(({ email }) => email)).toEqual(['ben@example.org']);
  });

  test('lets no cell of a ragged row decide about its import', async () => {
    const text = lines(
      'name,email,role',
      'Ann,ann@example.org,student',
      'Example, Ben,ben@example.org,student',
      'Cy,cy@example.org,teacher',
    );
    const { problems, entries, leftOut } = await validated(text, { only: { role: ['student'] } });
    expect(problems.map(({ code, line }) => [code, line])).toEqual([['ragged', 3]]);
    expect(entries.map(({ email }) => email)).toEqual(['ann@example.org']);
    expect(Object.fromEntries(leftOut)).toEqual({ 'role "teacher"': 1 });
  });

  test('gives each row its further fields', async () => {
    const text = lines('email,Nr,Seat', 'ann@example.org,0123,7');
    const { entries } = await validated(text, { map: { nr: ['Nr'], 'seat:': ['Seat'] } });
    expect(entries[0]?.extra).toEqual({ nr: '0123', seat: 7 });
  });

  test('keeps the first problems only, and counts and writes out all of them', async () => {
    const { problems, problemCount, invalid, total, checked } = await validatedAll(`email,close_time\n${'x,never\n'.repeat(20_000)}`);
    expect([problems.length, problemCount, invalid, total]).toEqual([keptProblems, 40_000, 20_000, 20_000]);
    expect(checked).toBe(40_000);
  });

  test('says of a bad time nothing that stands in the cell, however it is quoted', async () => {
    const { problems } = await validated('email,close_time\na@example.org,"+1d"" hint: run me"\n');
    expect(problems[0]?.reason).not.toContain('run me');
  });

  test('shortens and escapes what it quotes', async () => {
    const { problems } = await validated(lines('email', `${'x'.repeat(500)}@`, '\u202eann@\u200b', ''));
    expect(problems.map(({ value }) => value)).toEqual([`"${'x'.repeat(60)}…"`, '"\\u202eann@\\u200b"']);
  });

  test('counts the rows left out, and each row ends in exactly one way', async () => {
    const rows = ['ann@example.org,student', 'ben@example.org,teacher', 'x,student', 'cy@example.org,teacher', 'y,teacher'];
    const { entries, problems, leftOut, total } = await validated(lines('email,role', ...rows), { only: { role: ['student'] } });
    expect(Object.fromEntries(leftOut)).toEqual({ 'role "teacher"': 3 });
    expect([entries.length, problems.length, total]).toEqual([1, 1, 5]);
  });

  test('counts very many reasons for rows left out as one', async () => {
    const rows = Array.from({ length: 1500 }, (_, index) => `s${index}@example.org,v${index}`);
    const { leftOut } = await validated(lines('email,Ort', ...rows, 'in@example.org,hier'), { only: { Ort: ['hier'] } });
    expect([leftOut.size, leftOut.get('other values')]).toEqual([1001, 500]);
  });

  test('lets rows without an address through only where that is allowed', async () => {
    const text = lines('email,name,close_time', ',Ann,+2h', 'ben@example.org,Ben,');
    expect((await validated(text)).problems).toHaveLength(1);
    expect((await validated(text, { allowNoEmail: true })).entries).toHaveLength(2);
  });

  test('refuses the file for a row of one text, which may divide the students', async () => {
    const text = lines('email,name,role', 'ann@example.org,Ann,student', 'Withdrawn', 'ben@example.org,Ben,student', ',Cy,');
    expect(await refusal(validated(text))).toMatchObject({
      message: 'stdin, line 3: "Withdrawn" stands alone; it may be a heading, a footer or an incomplete student.',
      hint: 'Complete it, or remove it. If it is a heading, first check which of the lines below are to be used.',
    });
    expect((await validated(lines('email,name', 'ann@example.org', ',Ben'), { allowNoEmail: true })).entries).toHaveLength(1);
  });

  test('refuses an end that is not after the beginning', async () => {
    const text = lines('email,open_time,close_time', 'a@example.org,2026-11-21T10:00Z,2026-11-21T09:00Z', 'b@example.org,now,now');
    expect((await validated(text)).said).toEqual([
      'bad_order: line 2, column 3 ("close_time"): "2026-11-21T09:00Z": close_time is not after open_time ("2026-11-21T10:00Z").',
      'bad_order: line 3, column 3 ("close_time"): "now": close_time is not after open_time ("now").',
    ]);
  });

  test('reads dates of a workbook only with a zone', async () => {
    const student = '<row r="2"><c t="inlineStr"><is><t>a@example.org</t></is></c><c s="2"><v>46347.375</v></c></row>';
    const workbook = workbookOf({ rows: textRow(1, ['email', 'close_time']) + student });
    expect((await validated(workbook)).problems.map(({ code, line }) => [code, line])).toEqual([['bad_time', 2]]);
    expect((await validated(workbook, { zone: 'Europe/Vienna' })).entries[0]?.close_time).toBe(Date.parse('2026-11-21T08:00Z'));
  });

  test('takes constants for every row, and refuses bad ones once', async () => {
    const text = lines('email', 'ann@example.org', 'ben@example.org');
    const { entries, extra } = await validated(text, { constants: { close_time: '+2h', skip_requirements: true, room: 'A' } });
    expect(entries.map(({ close_time, skip_requirements }) => [close_time, skip_requirements])).toEqual(
      Array(2).fill([now + 7_200_000, true]),
    );
    expect(extra).toEqual({ room: 'A' });
    expect((await refusal(validated(text, { constants: { close_time: 'soon' } }))).message).toBe('-F close_time: "soon" is not a time.');
    expect((await refusal(validated(text, { constants: { skip_requirements: 'perhaps' } }))).code).toBe('invalid_input');
  });
});
