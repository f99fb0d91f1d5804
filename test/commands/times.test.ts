/** Times as they are typed and what becomes of them; the clock stands still. */
import { describe, expect, test } from 'vitest';
import { type Data, embedded, requestsIn } from './embedded.ts';

const now = '2026-11-21T09:00:00Z';

describe('an end is typed as at the question: by its start', () => {
  test.each([
    ['exams create --start 2027-02-01T09:00+01:00 --end 2h', '2027-02-01T10:00:00Z'],
    ['exams create --start 2027-02-01T09:00+01:00 --end 11:00 --timezone Europe/Vienna', '2027-02-01T10:00:00Z'],
    ['exams create -F start_time=2027-02-01T09:00:00+01:00 --end 1h30m', '2027-02-01T09:30:00Z'],
    ['exams create --start +1h --end 15m', '2026-11-21T10:15:00Z'],
    ['exams clone 1 --start 2027-02-01T09:00+01:00 --end 3h', '2027-02-01T11:00:00Z'],
    ['exams update 5 --start 2027-02-01T09:00+01:00 --end 2h --yes', '2027-02-01T10:00:00Z'],
  ])('%s', async (line, end) => {
    expect(await embedded().json(`${line}`, { now })).toMatchObject({ end_time: end });
  });

  test('of an update that keeps the start: the start that the service has', async () => {
    const service = embedded();
    const { start_time: start } = await service.json<Data>('exams get 5');
    const sent = await service.json<Data>('exams update 5 --end 90m --yes', { now });
    expect(Date.parse(String(sent.end_time)) - Date.parse(String(start))).toBe(90 * 60_000);
    await service.json('sessions update 5 --open-time 2027-02-01T09:00Z', { now });
    await service.json('sessions update 5 --close-time 11:00 --timezone UTC', { now });
    expect(await service.json('sessions get 5')).toMatchObject({ close_time: '2027-02-01T11:00:00Z' });
  });

  test.each([
    ['sessions update 5 --close-time 30m', '"30m" is not a time.', '+2h30m'],
    ['sessions update 5 6 --close-time 11:00', '"11:00" has no date.', 'today 11:00'],
    ['exams create --start +1h --end 30', '"30" is not a time.', 'an end from its start: 2h30m'],
    ['exams create --start +2h --end +1h', 'is not after start_time', '+2h counts from now, 2h from the start'],
    ['exams create --start 03/04/2026 --end 2h', 'is ambiguous', 'YYYY-MM-DDTHH:MM with its offset'],
  ])('%s: refused, with the way to write it', async (line, problem, hint) => {
    const { code, stderr } = await embedded().run(`${line} --debug`, { now });
    expect([code, stderr]).toEqual([3, expect.stringContaining(problem)]);
    expect(stderr).toContain(hint);
    for (const request of requestsIn(stderr)) expect(request).toMatch(/^GET /);
  });

  test('and is refused beside the same field, as any other', async () => {
    const { code, stderr } = await embedded().run('exams create --start +1h --end 2h -F end_time=2027-02-01T09:00Z', { now });
    expect([code, stderr]).toEqual([2, expect.stringContaining('The field end_time is given twice: by -F and by --end.')]);
  });
});

test.each([
  ['exams create --start 2027-01-01T10:00Z --end 2027-01-01T10:00Z'],
  ['exams create -F start_time=2027-01-01T10:00:00+01:00 -F end_time=2027-01-01T09:00:00+01:00'],
  ['exams create --start 2027-01-01T10:00+01:00 --body -', '{"end_time":"2027-01-01T08:30:00Z"}'],
  ['exams update 1 --put -f start_time=2027-01-01T10:00Z -f end_time=2027-01-01T09:00Z'],
  ['exams update 1 --body -', '{"start_time":"2027-01-01T10:00:00Z","end_time":"2027-01-01T09:00:00Z"}'],
  ['sessions update 5 --open-time 2027-01-01T10:00Z --close-time 2027-01-01T09:00Z'],
])('an end that is not after its start is refused before any request: %s', async (line, stdin = '') => {
  const { code, stderr } = await embedded().run(`${line} --debug`, { now, stdin });
  expect([code, stderr]).toEqual([3, expect.stringMatching(/(end|close)[-_]?(time)? .* is not after (--)?(start|open)/)]);
  expect(requestsIn(stderr)).toEqual([]);
});

test('a local time in a body is read in the zone, like a flag', async () => {
  const exam = await embedded().json('exams create --timezone Europe/Vienna --start 2027-02-01T09:00 -F end_time=2027-02-01T10:00', {
    now,
  });
  expect(exam).toMatchObject({ start_time: '2027-02-01T08:00:00Z', end_time: '2027-02-01T09:00:00Z' });
});

test('the embedded service is read and shown by the clocks of this machine', async () => {
  const world = { now, zone: 'Europe/Vienna' };
  const { code, stdout } = await embedded().run(['exams', 'create', '--start', 'tomorrow 09:00', '--end', '2h'], world);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^Start +2026-11-22 09:00 \+01:00$/m)]);
});

test('tables show local time with its offset, JSON what the service sent', async () => {
  const service = embedded();
  await service.run('sessions update 5 --close-time 2027-02-01T11:00:00Z', { now });
  expect((await service.run('sessions get 5 --timezone Europe/Vienna')).stdout).toContain('2027-02-01 12:00 +01:00');
  expect((await service.run('sessions get 5', { zone: 'Asia/Tokyo' })).stdout).toContain('2027-02-01 20:00 +09:00');
  expect(await service.json('sessions get 5 --timezone Europe/Vienna')).toHaveProperty('close_time', '2027-02-01T11:00:00Z');
});
