/** Outcomes of a student. A student who can still start is not a no-show, a student who can still write is not stuck. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { outcomeOf, standingOf } from '../../src/model/outcome.ts';
import { phaseOf, sessionStatuses } from '../../src/model/status.ts';

const exam = { start_time: '2027-02-01T08:00:00Z', end_time: '2027-02-01T10:00:00Z' };
const at = (time: string) => Date.parse(`2027-02-01T${time}Z`);
const became = (status: string, time: string, close_time: string | null = null, of: { end_time?: string | null | undefined } = exam) =>
  outcomeOf({ status, close_time }, of, at(time));

describe('a student', () => {
  test.each([
    ['registered', 'waiting'],
    ['mail_sent', 'waiting'],
    ['check_started', 'checking'],
    ['check_completed', 'checking'],
    ['exam_session_opened', 'checking'],
    ['exam_started', 'writing'],
    ['exam_finished', 'finished'],
    ['mail_send', undefined],
    ['constructor', undefined],
    [null, undefined],
  ])('with the status %s is %s', (status, phase) => {
    expect(phaseOf(status)).toBe(phase);
  });

  test.each([
    ['registered', '09:59:00', 'not_started_yet'],
    ['registered', '10:00:00', 'not_started_yet'],
    ['mail_sent', '10:00:01', 'no_show'],
    ['check_completed', '09:59:00', 'in_progress'],
    ['exam_session_opened', '10:00:01', 'stuck'],
    ['exam_started', '10:00:00', 'in_progress'],
    ['exam_started', '10:00:01', 'stuck'],
    ['exam_finished', '07:00:00', 'finished'],
    ['paused', '12:00:00', 'unknown'],
  ])('who is %s at %s is %s, where the exam ends at ten', (status, time, outcome) => {
    expect(became(status, time)).toBe(outcome);
  });

  test('whose own window is over can no longer start, but may write to the end of the exam', () => {
    const closes = '2027-02-01T08:15:00Z';
    expect(became('mail_sent', '08:16:00', closes)).toBe('no_show');
    expect(became('check_completed', '08:16:00', closes)).toBe('stuck');
    expect(became('exam_started', '08:16:00', closes)).toBe('in_progress');
    expect(became('exam_started', '10:01:00', closes)).toBe('stuck');
  });

  test('whose window was extended beyond the exam has until then', () => {
    const closes = '2027-02-01T11:00:00Z';
    expect(['registered', 'check_started', 'exam_started'].map((status) => became(status, '10:30:00', closes))).toEqual([
      'not_started_yet',
      'in_progress',
      'in_progress',
    ]);
    expect(became('exam_started', '11:00:01', closes)).toBe('stuck');
  });

  test('of an exam without an end is judged by a window alone, and never while writing', () => {
    for (const end_time of [null, undefined, 'soon', '']) {
      expect(became('registered', '23:00:00', null, { end_time })).toBe('not_started_yet');
      expect(became('registered', '23:00:00', '2027-02-01T08:15:00Z', { end_time })).toBe('no_show');
      expect(became('exam_started', '23:00:00', '2027-02-01T08:15:00Z', { end_time })).toBe('in_progress');
    }
  });

  test('is never judged before the time to start and the exam are over', () => {
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
});

test('an exam is ahead, running or over, and open where its end is not known', () => {
  expect(['07:59:59', '08:00:00', '10:00:00', '10:00:01'].map((time) => standingOf(exam, at(time)))).toEqual([
    'ahead',
    'running',
    'running',
    'over',
  ]);
  expect(standingOf({ ...exam, end_time: null }, at('12:00:00'))).toBe('open');
  expect(standingOf({ end_time: exam.end_time }, at('07:00:00'))).toBe('running');
});
