/** A name is data: whatever characters a roster or the service has in it, every command on its student and exam does its work. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nameFault } from '../../src/roster/roster-fields.ts';
import { textRow, workbookOf } from '../roster/workbook.ts';
import { ada, algebra, serviceWithExam } from '../support/algebra.ts';
import { killed, openRun } from './small-office.ts';

/** An import of two students of that name that was killed after the first, and what was done about it: each status, and who was there. */
async function toldOf(name: string) {
  const service = serviceWithExam({ exams: [algebra], sessions: [ada] });
  const imported = 'sessions import - --exam 1 --yes';
  const stdin = JSON.stringify(['zoe', 'yan'].map((student) => ({ email: `${student}@example.org`, name })));
  const told: [command: string, code: number, ...unknown[]][] = [];
  const then = async (home: string, ...lines: string[]) => {
    for (const line of lines) {
      const { code, stdout } = await service.run(`${line} -o json`, { home, stdin });
      const isShown = code === 0 && JSON.stringify(JSON.parse(stdout)).includes(JSON.stringify(name));
      const there = service.sessions.map((session) => (session.name === name ? 'of that name' : session.name));
      told.push([line.split(' ', 2).join(' '), code, isShown && 'shows it', there]);
    }
  };
  const home = await killed(service, imported, { stdin });
  const run = await openRun(service, home);
  await then(home, 'runs list', `runs show ${run}`, `runs resume ${run} --yes`, 'exams update 1 --allow-headphones --yes');
  await then(home, 'sessions create --exam 1 --email eve@example.org', 'sessions list --exam 1', 'exams report 1');
  await then(home, imported);
  const runs = JSON.parse((await service.run('runs list -o json', { home })).stdout) as { run: string; command: string }[];
  const again = runs.find((other) => other.command.startsWith('sessions import') && other.run !== run);
  await then(home, `runs undo ${again?.run} --yes`, 'runs forget --student zoe@example.org --yes');
  const other = await openRun(service);
  const { id } = service.add({ email: 'una@example.org', name });
  await then(service.home, `runs close ${other} --yes`, 'sessions list', `sessions delete ${id} --yes`, `runs forget --exam 1 --yes`);
  return told;
}

const brackets = ['[', '{', '[{"a":', ']', '}', '"', '\\', '\\"', '[\\'];
/** Right to left and marks that turn the direction, a family and a flag, marks piled up, halves of a pair. */
const writings = [
  ...['é', '\u05d0\u0628', '\u202e', '\u200f\u2067', '\u{1f469}\u200d\u{1f467}', '\u{1f1e6}\u{1f1f9}', 'a\u0301\u0302', '\ud83d'],
  '\ude00',
];
const piece = fc.oneof(fc.constantFrom(...brackets, ...writings), fc.string(), fc.string({ unit: 'binary' }));
/** Of up to 10,000 characters, and such as a roster may have: no control characters. */
const names = fc
  .tuple(fc.constantFrom(1, 101, 5000), piece)
  .map(([times, text]) => `Z${text.repeat(times).slice(0, 9998)}`.trim())
  .filter((name) => nameFault(name) === undefined);
const examples = ['['.repeat(101), '{'.repeat(10_000), '"\\'.repeat(5000), '\\"['.repeat(101)].map((name): [string] => [name]);

test('A student of any name is imported, listed, reported, undone, closed, forgotten and deleted as one called Zoe', async () => {
  const usual = await toldOf('Zoe');
  // The rest of an import is in its roster alone.
  expect(usual.filter(([, code]) => code !== 0).map(([command]) => command)).toEqual(['runs resume']);
  await fc.assert(
    fc.asyncProperty(names, async (name) => {
      expect(await toldOf(name)).toEqual(usual);
    }),
    { numRuns: 30, seed: 20261121, examples },
  );
});

test('What the service calls a student, NUL and halves of a pair too, makes no list, in no format, nor what was done with it unusable', async () => {
  const hostile = [
    '['.repeat(10_000),
    'a\0b',
    '\ud83d',
    '\ude00\ud83d',
    '\u202eA\u2066',
    '\u{1f469}\u200d'.repeat(3000),
    `${'"\\'.repeat(5000)}\0`,
  ];
  for (const name of hostile) {
    const service = serviceWithExam({ exams: [{ ...algebra, name }], sessions: [{ ...ada, name }] });
    const codes: unknown[] = [];
    for (const line of ['sessions list --exam 1', 'sessions get 7', 'exams list', 'exams report 1'])
      for (const format of ['table', 'json', 'ndjson', 'csv', 'id'])
        codes.push([line, format, (await service.run(`${line} -o ${format}`)).code]);
    const [update, ...after] = [
      'sessions update 7 --name Eva --yes',
      'runs list',
      'runs undo RUN --yes',
      'runs show RUN',
      'sessions delete 7 --yes',
    ];
    codes.push([update, (await service.run(update ?? '')).code]);
    const [{ run }] = JSON.parse((await service.run('runs list -o json')).stdout);
    for (const line of after) codes.push([line, (await service.run(line.replace('RUN', run))).code]);
    codes.push((await service.run('runs forget --exam 1 --yes')).code, service.sessions.length);
    expect(
      codes.flat().filter((one) => typeof one === 'number' && one !== 0),
      JSON.stringify([name.slice(0, 20), codes]),
    ).toEqual([]);
  }
});

test('A field that is nested as deep as an answer may be is recorded, shown and undone; one level more is refused before anything is sent', async () => {
  // The list around it, and the student.
  const deepest = 100 - 2;
  const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}"[\\u005b"${']'.repeat(levels)}`);
  const told = async (levels: number) => {
    const service = serviceWithExam({ exams: [algebra], sessions: [ada] });
    service.showing.as = (record) => ('email' in record ? { ...record, extra: nested(levels) } : record);
    const update = await service.run('sessions update 7 --name Adda --yes');
    if (update.code !== 0) return [update.code, service.writes().length];
    const [{ run }] = JSON.parse((await service.run('runs list -o json')).stdout);
    const lines = [
      `runs show ${run}`,
      'sessions list',
      'sessions list --exam 1',
      `runs undo ${run} --yes`,
      'sessions update 7 --name Adda',
    ];
    const codes = [];
    for (const line of lines) codes.push((await service.run(line)).code);
    return [...codes, service.sessions[0]?.name];
  };
  expect(await told(deepest)).toEqual([0, 0, 0, 0, 0, 'Adda']);
  expect(await told(101)).toEqual([8, 0]);
});

test('A roster of a spreadsheet whose row has a huge number is refused, and the record can be read', async () => {
  const service = serviceWithExam({ exams: [algebra], sessions: [ada] });
  for (const number of ['100000000000000000', '1e300']) {
    const rows = textRow(1, ['email']) + textRow(2, [`z${number}@example.org`]).replace('r="2"', `r="${number}"`);
    const file = join(service.home, 'roster.xlsx');
    writeFileSync(file, workbookOf({ rows }));
    expect((await service.run(`sessions import ${file} --exam 1 --yes`)).code).toBe(3);
  }
  for (const line of ['sessions create --exam 1 --email eve@example.org', 'runs forget --student eve@example.org --yes'])
    expect((await service.run(line)).code, line).toBe(0);
});
