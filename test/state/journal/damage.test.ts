import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CliError } from '../../../src/errors.ts';
import { openJournal } from '../../../src/features/import/journal/journal.ts';
import type { JournalRecord } from '../../../src/features/import/journal/records.ts';
import type { RowState } from '../../../src/features/import/journal/row-state.ts';
import { readRun } from '../../../src/features/import/journal/runs.ts';
import { identity } from '../../features/import/journal/roster.ts';
import { begin, legalRecords, now, plainly, write } from '../../features/import/journal/sample.ts';
import { memoryDisk } from './disk.ts';

const path = '/state/imports/exam-42/run.ndjson';

/** A journal's bytes, and where each of its lines ends. */
async function written(records: readonly JournalRecord[]) {
  const { journal, disk } = await begin();
  for (const record of records) await write(journal, record);
  await journal.close();
  const bytes = disk.durable.get(journal.path) ?? Buffer.alloc(0);
  const ends = [...bytes.entries()].filter(([, byte]) => byte === 0x0a).map(([at]) => at + 1);
  return { bytes, ends };
}

/** What a journal of these bytes says of its rows; undefined where not even its header is whole. */
async function read(bytes: Buffer): Promise<[number, RowState][] | undefined> {
  const found = await readRun(path, memoryDisk([[path, bytes]]));
  return found && [...found.rows.entries()];
}

/** The same, or the code of the error and what it says. */
const readOrRefuse = (bytes: Buffer) => read(bytes).catch((error: CliError) => ({ code: error.code, message: error.message }));

const key = 'AAAAAAAAAAAAAAAAAAAAAA';
const sample: JournalRecord[] = [
  { row: 1, key, intent: 'create', next: 'update' },
  { row: 2, key, intent: 'create' },
  { row: 1, outcome: 'done', session: '991' },
  { row: 2, outcome: 'rejected', code: '422', reason: 'Name "Zoë" is too long:\n\u0000 ,"sum":"00000000"}' },
  { row: 1, key, intent: 'update' },
  { row: 3, key, intent: 'create' },
  { note: 'stopped', reason: 'Ctrl-C' },
  { row: 1, outcome: 'done' },
  { row: 3, outcome: 'unknown', code: 'timeout' },
];

describe('a journal that ends too early', () => {
  test('says, cut anywhere, what its whole lines say', async () => {
    await fc.assert(
      fc.asyncProperty(legalRecords(12), async (drawn) => {
        const records = drawn.map((record) => ('reason' in record ? { ...record, reason: 'some reason' } : record));
        const { bytes, ends } = await written(records);
        const states = [undefined, ...ends.map((_, count) => plainly(records.slice(0, count)))];
        for (let cut = 0; cut <= bytes.length; cut++) {
          const whole = ends.filter((end) => end <= cut).length;
          expect(await read(bytes.subarray(0, cut))).toEqual(states[whole]);
        }
      }),
      { numRuns: 8 },
    );
  });

  test('is cut back to its whole lines, and resumed', async () => {
    const { bytes, ends } = await written(sample);
    for (let cut = ends[0] ?? 0; cut <= bytes.length; cut++) {
      const whole = ends.filter((end) => end <= cut);
      for (const zeros of [0, 4096]) {
        const disk = memoryDisk([[path, Buffer.concat([bytes.subarray(0, cut), Buffer.alloc(zeros)])]]);
        const { journal, torn } = await openJournal(path, identity, { now, files: disk });
        expect(torn).toBe(cut + zeros - (whole.at(-1) ?? 0));
        expect([...journal.rows.entries()]).toEqual(plainly(sample.slice(0, whole.length - 1)));
        const after = disk.durable.get(path)?.toString() ?? '';
        expect(after.startsWith(bytes.toString('utf8', 0, whole.at(-1)))).toBe(true);
        expect(after.split('\n')).toHaveLength(whole.length + 2);
        expect(await read(Buffer.from(after))).toEqual([...journal.rows.entries()]);
      }
    }
  });

  test('within its header holds no run, and is not resumed', async () => {
    const { bytes, ends } = await written([]);
    for (const cut of [0, 1, (ends[0] ?? 0) - 1]) {
      const disk = memoryDisk([[path, bytes.subarray(0, cut)]]);
      await expect(openJournal(path, identity, { now, files: disk })).rejects.toMatchObject({ code: 'journal_damaged' });
    }
  });
});

describe('a journal that is damaged', () => {
  test('is refused for any bit that is not as it was written', async () => {
    const { bytes } = await written(sample);
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      expect(await readOrRefuse(flipped(bytes, bit)), `bit ${bit}`).toMatchObject({ code: 'journal_damaged' });
    }
  });

  test('or short as well, is never taken for another state than that of its whole lines', async () => {
    const flips = Number(process.env.JOURNAL_FLIPS ?? 1000);
    const { bytes, ends } = await written(sample);
    let refused = 0;
    const draw = fc.sample(fc.tuple(fc.nat(bytes.length), fc.array(fc.nat(), { minLength: 1, maxLength: 3 })), { numRuns: flips, seed: 7 });
    for (const [length, places] of draw) {
      const cut = Math.max(length, 1);
      const hurt = places.reduce((left, place) => flipped(left, place % (cut * 8)), bytes.subarray(0, cut));
      const whole = ends.filter((end) => end <= cut);
      const found = await readOrRefuse(hurt);
      // Whether a flip hit a whole line; a flip undone by another hit nothing.
      const intact = hurt.subarray(0, whole.at(-1) ?? 0).equals(bytes.subarray(0, whole.at(-1) ?? 0));
      if (Array.isArray(found)) expect([intact, found]).toEqual([true, plainly(sample.slice(0, whole.length - 1))]);
      else if (found === undefined) expect(whole).toEqual([]);
      else refused++;
    }
    expect(refused).toBeGreaterThan(flips / 2);
  });

  test('is refused with the file, the line, what is wrong and what to do', async () => {
    const { bytes, ends } = await written(sample);
    const line = (number: number) => bytes.subarray(ends[number - 2] ?? 0, ends[number - 1]);
    const of = (...numbers: number[]) => readOrRefuse(Buffer.concat(numbers.map(line)));
    const all = sample.map((_, index) => index + 2);
    const says = (text: string) => ({ code: 'journal_damaged', message: `The journal ${path} is damaged in line ${text}.` });
    expect(await of(1, 2, 3, 6, 7)).toEqual(says('4: lines are missing before number 6'));
    expect(await of(1, 2, 3, 3, 4)).toEqual(says('4: number 3 is repeated'));
    expect(await of(1, 3, 2)).toEqual(says('2: lines are missing before number 3'));
    expect(await of(...all)).toEqual(says('1: its contents have changed since they were written'));
    expect(await readOrRefuse(Buffer.concat([bytes, Buffer.from('\n')]))).toEqual(
      says('11: its contents have changed since they were written'),
    );
    expect(await readOrRefuse(Buffer.concat([bytes, Buffer.alloc(512), line(2)]))).toMatchObject({ code: 'journal_damaged' });
    expect(await readOrRefuse(Buffer.concat([bytes, Buffer.alloc(512), Buffer.from('{')]))).toEqual(
      says('11: its last line is damaged, and not by an interrupted write'),
    );
    expect(await readOrRefuse(Buffer.concat([bytes, Buffer.alloc(1 << 20, 'x')]))).toMatchObject({ code: 'journal_damaged' });
  });

  test('is refused where a block of another journal stands in it', async () => {
    const one = await written(sample);
    const other = await written(sample);
    const mixed = Buffer.concat([one.bytes.subarray(0, one.ends[3]), other.bytes.subarray(other.ends[3])]);
    expect(await readOrRefuse(mixed)).toMatchObject({
      message: expect.stringContaining('line 5: its contents have changed since they were written'),
    });
  });

  test('is refused where a newer proctor-cli wrote it, or the rows do what no run does', async () => {
    const { crc32 } = await import('node:zlib');
    const sealed = (text: string, seed = 0) => {
      const sum = crc32(text.slice(0, -1), seed);
      return { text: `${text.slice(0, -1)},"sum":"${sum.toString(16).padStart(8, '0')}"}\n`, sum };
    };
    const newer = sealed('{"n":1,"at":0,"journal":2,"other":"fields"}').text;
    expect(await readOrRefuse(Buffer.from(newer))).toMatchObject({ message: expect.stringContaining('newer proctor-cli') });
    const unknown = sealed('{"n":1,"at":0,"journal":1}').text;
    expect(await readOrRefuse(Buffer.from(unknown))).toMatchObject({
      message: expect.stringContaining('line 1: this version does not know such a header'),
    });

    const { bytes, ends } = await written([{ row: 1, key, intent: 'create' }]);
    const seed = crc32(bytes.subarray(0, (ends[0] ?? 0) - 19));
    const twice = Buffer.concat([bytes, Buffer.from(sealed(`{"n":3,"at":0,"row":1,"key":"${key}","intent":"create"}`, seed).text)]);
    expect(await readOrRefuse(twice)).toMatchObject({
      message: expect.stringContaining('line 3: row 1 cannot create after create intended'),
    });
    const strange = Buffer.concat([bytes, Buffer.from(sealed('{"n":3,"at":0,"row":1,"outcome":"maybe"}', seed).text)]);
    expect(await readOrRefuse(strange)).toMatchObject({
      message: expect.stringContaining('line 3: this version does not know such a record'),
    });
  });
});

function flipped(bytes: Buffer, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
}
