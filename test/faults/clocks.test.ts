/** A service whose clock is minutes off is named once, and this machine's clock is the one that counts. */
import { describe, expect, test } from 'vitest';
import { serviceWithExam } from '../support/algebra.ts';
import { told } from '../support/run.ts';
import { refused, reply } from '../support/service.ts';

const now = '2027-02-01T09:00:00Z';
const exam = { id: 1, name: 'Algebra', start_time: '2027-02-01T08:00:00Z', end_time: '2027-02-01T10:00:00Z' };

/** The messages of a command whose requests are all answered with this Date. */
async function messages(line: string, headers: Record<string, string>): Promise<string> {
  const service = serviceWithExam({ exams: [exam], showing: { dated: false, headers } });
  const { code, stderr } = await service.run(line, { now });
  expect([code, service.requests().length > 1]).toEqual([0, true]);
  return stderr;
}

describe('a difference of the clocks', () => {
  test.each<[what: string, headers: Record<string, string>, named?: string]>([
    ['of twenty minutes', { date: 'Mon, 01 Feb 2027 09:20:00 GMT' }, '20 min ahead of'],
    ['of three minutes', { date: 'Mon, 01 Feb 2027 08:57:00 GMT' }, '2 min 59 s behind'],
    ['of 25 minutes, measured a second short', { date: 'Mon, 01 Feb 2027 08:35:00 GMT' }, '25 min behind'],
    ['of two minutes', { date: 'Mon, 01 Feb 2027 09:02:00 GMT' }],
    ['of two minutes the other way', { date: 'Mon, 01 Feb 2027 08:58:00 GMT' }],
    ['that a copy in a cache shows', { date: 'Mon, 01 Feb 2027 08:00:00 GMT', age: '3600' }],
    ['that nobody can read', { date: 'the day before yesterday' }],
    ['that is no date, though it has a year', { date: 'see 2099' }],
  ])('%s is named once in a command, or not: %j %s', async (_what, headers, named) => {
    const warning = `warning: The service's clock is ${named} this machine's. Commands judge times by this machine's clock. How to set it: proctor-cli doctor\n`;
    const lines = ['exams report 1 -o json', ...(named === undefined ? [] : ['exams update 1 -F room=12 --quiet'])];
    for (const line of lines)
      expect(told(await messages(line, headers)).match(/^.*clock.*\n/gm) ?? []).toEqual(named === undefined ? [] : [warning]);
  });

  test('is measured by the request that was answered, not by the wait before it', async () => {
    const late = { date: new Date(Date.parse(now) + 200_000).toUTCString() };
    const service = serviceWithExam({ exams: [exam] });
    service.next('GET', refused(503, {}, { 'retry-after': '200' }), { answer: reply(200, exam, late) });
    const { code, stderr } = await service.run('exams get 1', { now });
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('clock')]);
  });

  test("leaves what is over to this machine's clock", async () => {
    const date = 'Mon, 01 Feb 2027 11:00:00 GMT';
    expect(await messages('exams report 1', { date })).toMatch(/^Preliminary: exam 1.* is not over/m);
  });
});
