/** Extra time: what each student has is judged by the exam alone, set once, kept when it is more, moved with the exam, and taken back exactly. */
import { describe, expect, test } from 'vitest';
import { serviceWithExam } from '../../support/algebra.ts';
import type { World } from '../../support/run.ts';
import type { Service } from '../../support/service.ts';
import { fileWith, listOf } from './lists.ts';

type Fields = Record<string, unknown>;

const day = (clock: string) => `2127-02-01T${clock}Z`;
const algebra = { id: 3, name: 'Linear Algebra', start_time: day('09:00:00'), end_time: day('11:00:00') };
const session = (id: number, email: string, fields: Fields = {}): Fields => ({
  ...{ id, exam_id: 3, email, status: 'registered', open_time: null, close_time: null },
  ...fields,
});
const ada = session(7, 'ada@example.org');
const bob = session(8, 'bob@example.org');
const quarter = 'ada@example.org,25%';
const office = (sessions: readonly Fields[] = [ada, bob], exams: readonly Fields[] = [algebra]) => serviceWithExam({ exams, sessions });

/** Runs `accommodations apply` with a list of these rows. */
async function apply(service: Service, rows: readonly string[], words = '--exam 3 --yes', world: World = {}) {
  const line = `accommodations apply ${fileWith(listOf(...rows))} ${words} --timezone Europe/Vienna -o json`;
  const ended = await service.run(line, world);
  const printed: Fields[] = ended.stdout === '' ? [] : JSON.parse(ended.stdout);
  return { ...ended, rows: printed, said: printed.map(({ email, result }) => `${String(email).split('@')[0]} ${result}`) };
}
const check = (service: Service, rows: readonly string[], words = '--exam 3') => apply(service, rows, `${words} --check`);
const closes = ({ sessions }: Service) => sessions.map(({ close_time }) => close_time);

describe('A student with a quarter more, in an exam from 9 to 11, is', () => {
  test.each([
    ['missing', 11, {}],
    ['less', 11, { close_time: day('11:29:59') }],
    ['ok', 0, { close_time: day('11:30:00') }],
    ['ok', 0, { close_time: '2127-02-01T12:30:00+01:00' }],
    ['more', 0, { close_time: day('11:30:01') }],
    ['finished', 0, { status: 'exam_finished' }],
    ['less', 11, { close_time: day('11:30:00'), open_time: day('09:30:00') }],
    ['conflict', 11, { close_time: day('10:59:00'), open_time: day('09:30:00') }],
    ['ok', 0, { close_time: day('11:30:00'), open_time: day('08:00:00') }],
    ['conflict', 11, { close_time: '2127-01-31T11:00:00Z', open_time: '2127-01-31T09:00:00Z' }],
    ['conflict', 11, { close_time: day('08:59:00') }],
    ['conflict', 11, { close_time: 'tomorrow' }],
    ['conflict', 11, { open_time: 'tomorrow' }],
  ])('%s (%i) with %j', async (result, code, fields) => {
    const service = office([{ ...ada, ...fields }]);
    const ended = await check(service, ['Ada@Example.org,25%,,,DS-1']);
    expect([ended.code, ended.rows[0]]).toMatchObject([code, { exam: 3, session: 7, result, email: 'ada@example.org', reference: 'DS-1' }]);
    expect(ended.rows.length).toBe(1);
    expect(ended.rows[0]?.reason === null).toBe(result !== 'conflict');
    expect(service.writes()).toEqual([]);
  });

  test.each([
    ['does not show its start', { start_time: null }],
    ['ends before it starts', { end_time: day('08:00:00') }],
    ['is so long that a quarter is more than a day', { end_time: '2127-02-08T09:00:00Z' }],
  ])('in conflict where the exam %s', async (_, times) => {
    expect((await check(office([ada], [{ ...algebra, ...times }]), [quarter])).said).toEqual(['ada conflict']);
  });

  test('missing in each session that has the address, in whatever spelling, and nobody else', async () => {
    const twins = [ada, session(8, 'ADA@example.org'), session(9, 'adå@example.org')];
    for (const email of ['ada@example.org', 'Ada@Example.org'])
      expect((await check(office(twins), [`${email},10m`])).said).toEqual(['ada missing', 'ADA missing']);
  });
});

describe('Of the lines of a student', () => {
  const target = async (rows: readonly string[], exam = algebra) =>
    (await check(office([{ ...ada, exam_id: exam.id }], [exam]), rows, `--exam ${exam.id}`)).rows
      .filter(({ result }) => result === 'missing')
      .map(({ to }) => String(to).slice(11, 16));

  test.each(['3', 'linear ALGEBRA', 'Linear*', '*'])('the one that names the exam wins: %s', async (word) => {
    const rows = ['ada@example.org,10%', `ada@example.org,5m,Chemistry; ${word}`];
    expect(await target(rows)).toEqual(['11:05']);
    expect(await target(rows, { ...algebra, id: 4, name: 'Statistics' })).toEqual([word === '*' ? '11:05' : '11:12']);
  });

  test('one that grants nothing takes the student out of an exam', async () => {
    for (const nothing of ['0%', '1×', '0m'])
      expect(await check(office(), [quarter, `ada@example.org,${nothing},Linear*`])).toMatchObject({ code: 0, rows: [] });
  });

  test.each([
    ['name one exam by other words', ['ada@example.org,10%', 'ada@example.org,25%,Linear*', 'ada@example.org,40m,3'], 'line 3 and line 4'],
    ['are for all exams', ['Ada@example.org,25%', 'ada@EXAMPLE.org,10m'], 'line 2 and line 3'],
  ])('two that %s are refused, with their lines', async (_, lines, places) => {
    const service = office();
    const { code, stderr } = await check(service, lines);
    expect([code, stderr]).toEqual([3, expect.stringContaining(`has 2 lines for exam 3: ${places}`)]);
    expect(service.writes()).toEqual([]);
  });

  test.each([
    ['2127-01-31', []],
    ['2127-02-01', ['11:05']],
  ])('one that holds until %s gives %j, by the calendar of the zone', async (until, times) => {
    // In Vienna it is the first of February already.
    expect(await target([`ada@example.org,5m,,${until}`], { ...algebra, start_time: '2127-01-31T23:30:00Z' })).toEqual(times);
  });

  test('a last day needs a zone, and is refused before any request', async () => {
    const service = office();
    const { code, stderr } = await service.run(`accommodations apply ${fileWith(listOf('a@example.org,5m,,2127-02-01'))} --exam 3 --yes`);
    expect([code, stderr, service.requests()]).toEqual([3, expect.stringContaining('--timezone Europe/Vienna'), []]);
  });
});

describe('--check', () => {
  test('names each line that matches nobody with the nearest address, and is content with it', async () => {
    const near: Record<string, string | undefined> = {
      ...{ 'dad@example.org': 'dada@example.org', 'ddaa@example.org': 'dada@example.org', 'dada@exmaple.org': 'dada@example.org' },
      ...{ 'STRASSE@x.org': 'straße@x.org', 'rene.helene@x.org': 'rené.hélène@x.org', 'dada+uni@example.org': 'dada@example.org' },
      ...{ 'grace.hopper@students.x.org': 'grace.hopper@x.org', 'a@x.org': undefined, 'zoe@other.example': undefined },
    };
    const there = ['dada@example.org', 'straße@x.org', 'rené.hélène@x.org', 'grace.hopper@x.org', 'b@x.org'];
    const { code, rows } = await check(
      office(there.map((email, at) => session(at + 1, email))),
      Object.keys(near).map((email) => `${email},10m`),
    );
    expect([code, new Set(rows.map(({ result }) => result))]).toEqual([0, new Set(['unmatched'])]);
    for (const { email, reason } of rows) expect(String(reason).split('nearest is ')[1], String(email)).toBe(near[String(email)]);
  });

  test('reads each exam once, whoever is in it', async () => {
    const service = office([ada, session(8, 'ada@example.org', { exam_id: 4 })], [algebra, { ...algebra, id: 4, name: 'Chemistry' }]);
    // However the lines of a student spell the address: a student of one of the exams is no stranger.
    const { said } = await check(service, ['ADA@example.org,10m,None', 'Ada@example.org,5m,3', 'ada@example.org,5m'], '--exam 3 --exam 4');
    expect(said).toEqual(['ada missing', 'ada missing', 'ADA unmatched']);
    expect(service.requests().filter((line) => line.endsWith('student_sessions'))).toHaveLength(2);
  });

  test('names a word for exams that means none, and no student who is in other exams only', async () => {
    const service = office([{ ...ada, close_time: day('11:10:00') }], [algebra, { ...algebra, id: 4, name: 'Chemistry' }]);
    const { code, rows } = await check(service, ['ada@example.org,10m,Linear*; Linaer*; Chemisty; 987', 'bob@example.org,5m,Chemistry']);
    expect(rows.slice(1).map(({ result, reason }) => `${result}: ${reason}`)).toEqual([
      'unmatched: the service has no exam "Linaer*"',
      'unmatched: the service has no exam "Chemisty"; the nearest is Chemistry',
      'unmatched: the service has no exam "987"',
    ]);
    expect(code).toBe(0);
  });

  test('prints what is set by the line that it names, and needs an exam', async () => {
    const service = office();
    const { code, stderr } = await check(service, [quarter], '--name Linear');
    expect([code, stderr]).toEqual([11, expect.stringMatching(/accommodations apply \S+ --name Linear /)]);
    expect((await check(service, [quarter], '--name Nothing')).code).toBe(6);
    expect((await check(service, [quarter], '')).code).toBe(2);
  });

  test('knows nobody where the list shows no addresses, or masks, and says so; an exam without students has none', async () => {
    const service = office([ada]);
    for (const mask of [{}, { email: null }, { email: 'a***@example.org' }]) {
      service.showing.as = ({ email, ...listed }, { path }) => ({ ...listed, ...(path.startsWith('/exams/3/') ? mask : { email }) });
      expect(await check(service, [quarter])).toMatchObject({ code: 3, stderr: expect.stringContaining('shows no addresses') });
    }
    expect(await check(office([]), [quarter])).toMatchObject({ code: 0, said: ['ada unmatched'] });
    const half = await check(office([ada, session(8, 'b***@example.org')]), [quarter, 'bob@example.org,25%']);
    expect(half).toMatchObject({ code: 11, said: ['ada missing', 'bob unmatched'] });
    expect(half.rows[1]?.reason).toBe('no session in the selected exams shows the address, which 1 session may hide');
  });
});

describe('accommodations apply', () => {
  test.each([
    [11_000, 11, 0, day('11:30:00')],
    // Then the list is not whole.
    [70_000, 3, 3, null],
  ])('knows whom a run from here has added %i ms ago, and whom the list does not show', async (ago, asked, set, closed) => {
    const service = serviceWithExam({ exams: [algebra], showing: { dated: true } });
    await service.run('sessions create --exam 3 --email ada@example.org');
    service.showing.lag = 300_000;
    service.clock.set(new Date(service.clock.now() + ago).toISOString());
    expect((await check(service, [quarter])).code).toBe(asked);
    expect([(await apply(service, [quarter])).code, closes(service)]).toEqual([set, [closed]]);
  });

  test('asks one question with the numbers, sets what is missing or less, and keeps what is more', async () => {
    const others = [session(9, 'cy@example.org', { close_time: day('12:00:00') }), session(10, 'dan@example.org')];
    const service = office([ada, { ...bob, close_time: day('11:05:00') }, ...others]);
    const rows = [quarter, 'bob@example.org,10m,,,DS-2', 'cy@example.org,10m'];
    const { code, questions, rows: set, stderr } = await apply(service, rows, '--exam 3', { tty: true, answers: [true] });
    expect(code, stderr).toBe(0);
    expect(questions).toEqual([
      expect.stringMatching(/^Give 2 students of exam 3 \(Linear Algebra, .+\) the extra time of list\.csv at http/),
    ]);
    expect(set).toMatchObject([
      { exam: 3, session: 7, email: 'ada@example.org', field: 'close_time', from: null, to: day('11:30:00'), result: 'set' },
      { session: 8, from: day('11:05:00'), to: day('11:10:00'), result: 'set' },
    ]);
    expect(stderr).toContain('session 7 ada@example.org: start by (2127-02-01 12:00 +01:00) → 2127-02-01 12:30 +01:00');
    expect(stderr).toContain('1 without it so far, 1 with less so far, 1 with more (kept)');
    expect(closes(service)).toEqual([day('11:30:00'), day('11:10:00'), day('12:00:00'), null]);
    expect(service.writes()).toEqual(['PATCH /student_sessions/7', 'PATCH /student_sessions/8']);
  });

  test('asks about students, not sessions, names all exams, and says how many have begun', async () => {
    const again = session(9, 'ada@example.org', { exam_id: 4, status: 'check_started' });
    const service = office([ada, again], [algebra, { ...algebra, id: 4 }]);
    const { questions } = await apply(service, [quarter], '--exam 3 --exam 4', { tty: true, answers: [false] });
    expect(questions).toEqual([
      expect.stringMatching(
        /^Give 1 student \(2 sessions\) of exams 3, 4 the extra time of list\.csv \(1 of them has begun already\) at http/,
      ),
    ]);
  });

  test.each([
    ['finishes', { status: 'exam_finished' }],
    ['begins later', { open_time: day('09:30:00') }],
    ['gets time from a colleague', { close_time: day('11:20:00') }],
  ])('sends nothing to a student who %s right before the request', async (_, fields) => {
    const service = office();
    // The reading of the plan is too old by then.
    service.next('GET /exams/3/student_sessions', { takes: 2500 });
    service.onArrival = ({ line }) => {
      if (line === 'GET /student_sessions/8') service.change('session', 8, fields);
    };
    expect(await apply(service, [quarter, 'bob@example.org,25%'])).toMatchObject({ code: 9, said: ['ada set', 'bob changed'] });
    expect(service.writes()).toEqual(['PATCH /student_sessions/7']);
  });

  test('sets nothing for a conflict, sets the others, and ends with 9; with nothing left to set, with 11', async () => {
    const service = office([ada, { ...bob, open_time: 'soon' }]);
    const rows = ['ada@example.org,10m', 'bob@example.org,10m', 'cy@example.org,1m'];
    const first = await apply(service, rows);
    expect([first.code, first.said]).toEqual([9, ['ada set']]);
    expect((await apply(service, rows)).code).toBe(11);
    expect((await apply(service, rows, '--exam 3 --dry-run')).code).toBe(11);
    expect(service.writes()).toEqual(['PATCH /student_sessions/7']);
  });
});
