/** Outcomes of a student. A student who can still start is not a no-show, a student who can still write is not stuck. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { outcomeOf, standingOf } from '../../src/model/outcome.ts';
import { sessionStatuses } from '../../src/model/status.ts';

const exam = { start_time: '2027-02-01T08:00:00Z', end_time: '2027-02-01T10:00:00Z' };
const on = (time: string) => `2027-02-01T${time}Z`;
const at = (time: string) => Date.parse(on(time));

test.each([
  ['registered', '10:00:00', 'not_started_yet'],
  ['mail_sent', '10:00:01', 'no_show'],
  ['check_completed', '09:59:00', 'in_progress'],
  ['exam_session_opened', '10:00:01', 'stuck'],
  ['exam_started', '10:00:00', 'in_progress'],
  ['exam_started', '10:00:01', 'stuck'],
  ['exam_finished', '07:00:00', 'finished'],
  ['paused', '12:00:00', 'unknown'],
  // Whose own window is over can no longer start, but may write to the end of the exam.
  ['mail_sent', '08:16:00', 'no_show', '08:15:00'],
  ['check_completed', '08:16:00', 'stuck', '08:15:00'],
  ['exam_started', '08:16:00', 'in_progress', '08:15:00'],
  ['exam_started', '10:01:00', 'stuck', '08:15:00'],
  // Whose window was extended beyond the exam has until then.
  ['registered', '10:30:00', 'not_started_yet', '11:00:00'],
  ['check_started', '10:30:00', 'in_progress', '11:00:00'],
  ['exam_started', '10:30:00', 'in_progress', '11:00:00'],
  ['exam_started', '11:00:01', 'stuck', '11:00:00'],
])('a student who is %s at %s is %s, where the exam ends at ten, and the own window at %s', (status, time, outcome, closes = '') => {
  const close_time = closes === '' ? null : on(closes);
  expect(outcomeOf({ status, close_time }, exam, at(time))).toBe(outcome);
});

test.each([null, undefined, 'soon', ''])(
  'of an exam whose end is %j, a student is judged by the own window alone, and never while writing',
  (end_time) => {
    const late = (status: string, close_time: string | null) => outcomeOf({ status, close_time }, { end_time }, at('23:00:00'));
    const own = on('08:15:00');
    expect([late('registered', null), late('registered', own), late('exam_started', own)]).toEqual([
      'not_started_yet',
      'no_show',
      'in_progress',
    ]);
  },
);

test('a student is never judged before the time to start and the exam are over', () => {
  const minutes = fc.integer({ min: -600, max: 600 });
  fc.assert(
    fc.property(fc.constantFrom(...sessionStatuses), minutes, fc.option(minutes), minutes, (status, end, close, now) => {
      const time = (minute: number) => new Date(minute * 60_000 + at('09:00:00')).toISOString();
      const session = { status, close_time: close === null ? null : time(close) };
      const outcome = outcomeOf(session, { end_time: time(end) }, Date.parse(time(now)));
      const startsUntil = close ?? end;
      if (now <= startsUntil && (status !== 'exam_started' || now <= end)) expect(['no_show', 'stuck']).not.toContain(outcome);
      if (now > Math.max(startsUntil, end)) expect(['not_started_yet', 'in_progress']).not.toContain(outcome);
    }),
  );
});

test('an exam is ahead, running or over, and open where its end is not known', () => {
  const standings = ['07:59:59', '08:00:00', '10:00:00', '10:00:01'].map((time) => standingOf(exam, at(time)));
  expect(standings).toEqual(['ahead', 'running', 'running', 'over']);
  expect(standingOf({ ...exam, end_time: null }, at('12:00:00'))).toBe('open');
  expect(standingOf({ end_time: exam.end_time }, at('07:00:00'))).toBe('running');
});
