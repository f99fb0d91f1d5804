/** The comparison of an exam's sessions with a list: states, the row that holds, and never the wrong student. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AccommodationList, ExamScope } from '../../../src/features/accommodations/accommodation.ts';
import { judgeExam, type ShownSession } from '../../../src/features/accommodations/judge-sessions.ts';
import { unmatchedIn } from '../../../src/features/accommodations/unmatched.ts';
import { addressKey } from '../../../src/model/address-key.ts';
import { listOf, reading } from './lists.ts';

const at = (text: string) => Date.parse(text);
const algebra = { id: '3', name: 'Linear Algebra', start: at('2027-02-01T09:00Z'), end: at('2027-02-01T11:00Z') };

async function list(...rows: string[]): Promise<AccommodationList> {
  const { list: read, error } = await reading(listOf(...rows));
  if (!read) throw error;
  return read;
}
const session = (id: string, email: string, fields: ShownSession['fields'] = {}): ShownSession => ({ id, email, fields });
const quarter = 'ada@example.org,25%';

describe('a session is', () => {
  test.each([
    ['missing', { close_time: null }],
    ['missing', {}],
    ['less', { close_time: '2027-02-01T11:00:00Z' }],
    ['less', { close_time: '2027-02-01T11:29:59Z' }],
    ['ok', { close_time: '2027-02-01T11:30:00Z' }],
    ['ok', { close_time: '2027-02-01T12:30:00+01:00' }],
    ['ok', { close_time: at('2027-02-01T11:30Z') / 1000 }],
    ['more', { close_time: '2027-02-01T11:30:01Z' }],
    ['finished', { close_time: null, status: 'exam_finished' }],
    ['finished', { close_time: '2027-02-01T11:00:00Z', status: 'EXAM_FINISHED' }],
    ['less', { close_time: '2027-02-01T11:30:00Z', open_time: '2027-02-01T09:30:00Z' }],
    ['ok', { close_time: '2027-02-01T12:00:00Z', open_time: '2027-02-01T09:30:00Z' }],
    ['ok', { close_time: '2027-02-01T11:30:00Z', open_time: '2027-02-01T08:00:00Z' }],
    ['conflict', { close_time: 'tomorrow' }],
    ['conflict', { open_time: 'tomorrow' }],
  ])('%s with %j', async (state, fields) => {
    const judged = judgeExam(await list(quarter), algebra, [session('7', 'Ada@Example.org', fields)], 'UTC');
    expect(judged.map((each) => each.state)).toEqual([state]);
    expect(judged[0]?.why === undefined).toBe(state !== 'conflict');
  });

  test.each([
    ['does not show its start', { start: undefined }],
    ['does not show its end', { end: undefined }],
    ['ends before it starts', { end: at('2027-02-01T08:00Z') }],
    ['is so long that the share is more than a day', { end: at('2027-02-08T09:00Z') }],
  ])('a conflict in an exam that %s', async (_, times) => {
    const [judged] = judgeExam(await list(quarter), { ...algebra, ...times }, [session('7', 'ada@example.org')], 'UTC');
    expect(judged).toMatchObject({ state: 'conflict', target: undefined });
  });

  test('told where its target is on the day after the exam, and not at midnight itself', async () => {
    const late = (plus: string) => list(`ada@example.org,${plus}`);
    const exam = { ...algebra, start: at('2027-02-01T19:00Z'), end: at('2027-02-01T22:30Z') };
    const told = async (plus: string) =>
      judgeExam(await late(plus), exam, [session('7', 'ada@example.org')], 'Europe/Vienna')[0]?.pastMidnight;
    expect(await told('30m')).toBe(false);
    expect(await told('31m')).toBe(true);
  });
});

describe('the row that holds', () => {
  const held = async (rows: string[], exam = algebra, key = 'ada@example.org', zone = 'Europe/Vienna') =>
    new ExamScope(await list(...rows), exam, zone).granted(key);

  test('is the one that names the exam, by its ID, its name or a pattern, and replaces the one for all exams', async () => {
    for (const word of ['3', 'linear ALGEBRA', 'Linear*', '*']) {
      const rows = ['ada@example.org,10%,,,all', `ada@example.org,5m,Chemistry; ${word},,named`];
      expect(await held(rows)).toMatchObject({ extra: { share: 0, plus: 300_000 }, reference: 'named' });
      const other = await held(rows, { ...algebra, id: '4', name: 'Statistics' });
      expect(other).toMatchObject({ reference: word === '*' ? 'named' : 'all' });
      expect(await held(rows, algebra, 'bob@example.org')).toBe(undefined);
    }
  });

  test.each(['0%', '1×', '0m', '0 min'])('is a row for the exam that grants nothing: %s', async (nothing) => {
    const rows = await list(quarter, `ada@example.org,${nothing},Linear*`);
    const judged = (exam: typeof algebra) => judgeExam(rows, exam, [session('1', 'ada@example.org', { close_time: null })], 'UTC');
    expect(judged(algebra)).toMatchObject([{ state: 'ok', target: undefined }]);
    expect(judged({ ...algebra, id: '4', name: 'Statistics' })).toMatchObject([{ state: 'missing' }]);
  });

  test('is none of two that name the exam', async () => {
    const rows = ['ada@example.org,10%', 'ada@example.org,25%,Linear*', 'ada@example.org,40m,3'];
    await expect(held(rows)).rejects.toMatchObject({ code: 'invalid_input', message: expect.stringContaining('line 3 and line 4') });
    expect(await held(rows, { ...algebra, id: '4' })).toMatchObject({ extra: { share: 25_000, plus: 0 } });
  });

  test.each([
    ['2027-01-31', 'Europe/Vienna', false],
    ['2027-02-01', 'Europe/Vienna', true],
    ['2027-02-01', 'Pacific/Kiritimati', true],
    ['2027-01-31', 'Pacific/Honolulu', true],
  ])('holds until %s in %s, that day included: %s', async (until, zone, holds) => {
    const exam = { ...algebra, start: at('2027-02-01T09:00Z') };
    expect((await held([`ada@example.org,5m,,${until}`], exam, 'ada@example.org', zone)) !== undefined).toBe(holds);
  });
});

describe('addresses', () => {
  test('that are one when folded are a conflict, whichever of them the list has', async () => {
    for (const email of ['ada@example.org', 'Ada@example.org', 'ADA@EXAMPLE.ORG']) {
      const sessions = [session('7', 'ada@example.org'), session('8', 'Ada@example.org'), session('9', 'bob@example.org')];
      const judged = judgeExam(await list(`${email},10m`), algebra, sessions, 'UTC');
      expect(judged.map(({ state, session: { id } }) => [id, state])).toEqual([
        ['7', 'conflict'],
        ['8', 'conflict'],
      ]);
    }
  });

  test('that a listing shows twice with one ID are one session', async () => {
    const twice = [session('7', 'ada@example.org'), session('7', 'ada@example.org')];
    expect(judgeExam(await list(quarter), algebra, twice, 'UTC').map(({ state }) => state)).toEqual(['missing']);
  });

  test('mean one session or a conflict, and never another student, however they are written', () => {
    const letter = fc.constantFrom('a', 'A', 'ä', 'a\u0308', 'Ä', 'ß', '+x');
    const address = fc.array(letter, { minLength: 1, maxLength: 2 }).map((letters) => `${letters.join('')}@example.org`);
    fc.assert(
      fc.property(
        fc.array(address, { maxLength: 6 }),
        fc.uniqueArray(address, { minLength: 1, maxLength: 4, selector: addressKey }),
        (shown, wanted) => {
          const students = new Map(
            wanted.map((email) => [
              addressKey(email),
              [
                {
                  email,
                  key: addressKey(email),
                  extra: { share: 25_000, plus: 0 },
                  exams: [],
                  until: undefined,
                  reference: email,
                  place: '',
                },
              ],
            ]),
          );
          const sessions = shown.map((email, index) => session(String(index), email));
          const judged = judgeExam({ name: '', students }, algebra, sessions, 'UTC');
          for (const { session: found, granted, state } of judged) {
            expect(addressKey(found.email)).toBe(addressKey(granted.reference ?? ''));
            const alike = shown.filter((email) => addressKey(email) === addressKey(found.email)).length;
            expect(state).toBe(alike === 1 ? 'missing' : 'conflict');
          }
          const matched = shown.filter((email) => students.has(addressKey(email)));
          expect(judged).toHaveLength(matched.length);
        },
      ),
    );
  });
});

describe('students without a session', () => {
  const nearestOf = async (email: string, addresses: string[]) =>
    unmatchedIn(await list(`${email},10m`), [{ exam: algebra, addresses }], 'UTC').unmatched.map(({ nearest }) => nearest);

  test.each([
    ['a swap', 'aad@example.org', 'ada@example.org'],
    ['a letter too few', 'ad@example.org', 'ada@example.org'],
    ['a letter too many', 'adda@example.org', 'ada@example.org'],
    ['another letter', 'ade@example.org', 'ada@example.org'],
    ['a slip in the domain', 'ada@exmaple.org', 'ada@example.org'],
    ['ß written as ss, in capitals', 'STRASSE@x.org', 'straße@x.org'],
    ['two accents left out', 'rene.helene@example.org', 'rené.hélène@example.org'],
    ['a tag', 'ada+exam@example.org', 'ada@example.org'],
    ['another tag', 'bob+exam@example.org', 'Bob+uni@example.org'],
    ['another domain', 'grace.hopper@students.example.org', 'grace.hopper@example.net'],
  ])('are told the nearest address: %s', async (_, email, nearest) => {
    const addresses = [
      'ada@example.org',
      'Bob+uni@example.org',
      'grace.hopper@example.net',
      'x@example.org',
      'straße@x.org',
      'rené.hélène@example.org',
    ];
    expect(await nearestOf(email, addresses)).toEqual([nearest]);
  });

  test('are told none where none is near', async () => {
    expect(await nearestOf('a@example.org', ['b@example.org', 'ab@example.org'])).toEqual([undefined]);
    expect(await nearestOf('a@exmaple.org', ['a@example.org'])).toEqual(['a@example.org']);
    expect(await nearestOf('zoe@other.example', ['ada@example.org'])).toEqual([undefined]);
  });

  test('are those whose rows are about the selected exams; others are counted', async () => {
    const rows = await list('a@example.org,10m,Chemistry', 'b@example.org,10m');
    const { unmatched, elsewhere } = unmatchedIn(rows, [{ exam: algebra, addresses: [] }], 'UTC');
    expect({ unmatched: unmatched.map(({ row }) => row.email), elsewhere }).toEqual({ unmatched: ['b@example.org'], elsewhere: 1 });
  });

  test('are found among thousands without comparing all with all', async () => {
    const csv = Array.from({ length: 4_000 }, (_, index) => `wrong${index}@example.org,10m\n`);
    const { list: read } = await reading(`email,extra\n${csv.join('')}`, { name: 'list.csv' });
    const addresses = Array.from({ length: 4_000 }, (_, index) => `right${index}@example.org`);
    const { unmatched } = unmatchedIn(read as AccommodationList, [{ exam: algebra, addresses }], 'UTC');
    expect(unmatched).toHaveLength(4_000);
  });
});
