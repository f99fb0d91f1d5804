/** Times and lengths as timetables have them. */
import { describe, expect, test } from 'vitest';
import { parseClock, parseLength } from '../../src/features/period/entry-cells.ts';
import { InvalidValue } from '../../src/model/invalid-value.ts';

const minutes = (text: string) => parseLength(text) / 60_000;
const refusal = (act: () => unknown) => {
  try {
    return act();
  } catch (error) {
    if (error instanceof InvalidValue) return error.message;
    throw error;
  }
};
const clock = (text: string) => parseClock(text, { ofWorkbook: false });

describe('A time of day', () => {
  test.each([
    ['09:00', '09:00'],
    ['9:00', '09:00'],
    ['9.00 Uhr', '09:00'],
    ['9 Uhr', '09:00'],
    ['9:30 Uhr', '09:30'],
    ['9h30', '09:30'],
    ['9 h', '09:00'],
    ['2:30 PM', '14:30'],
    ['12:05 a.m.', '00:05'],
    ['09:00:15', '09:00:15'],
  ])('%s is read', (text, is) => {
    expect(clock(text)).toBe(is);
  });

  test('of a workbook is read as its cells are', () => {
    expect(['9h30m', '13h', '30m', '0m'].map((text) => parseClock(text, { ofWorkbook: true }))).toEqual([
      '09:30',
      '13:00',
      '00:30',
      '00:00',
    ]);
  });

  test.each(['9.30', '9,30', '9'])('%s may be a number and is refused', (text) => {
    expect(refusal(() => clock(text))).toBe(`"${text}" may be a time of day or a number.`);
  });

  test.each(['24:00', '9:60', '13:00 pm', '99 Uhr'])('%s does not exist', (text) => {
    expect(refusal(() => clock(text))).toBe(`"${text}" is not a time of day.`);
  });

  test.each(['', '30m', '2027-04-13T09:00', 'morning', '9-11'])('"%s" is none', (text) => {
    expect(clock(text)).toBeUndefined();
  });
});

describe('The length of an exam', () => {
  test.each([
    ['2h', 120],
    ['120', 120],
    ['2:00', 120],
    ['02:00:00', 120],
    ['1h30', 90],
    ['1h30m', 90],
    ['90 min', 90],
    ['90 Minuten', 90],
    ['2 Std. 30 Min.', 150],
    ['1 heure 15 minutes', 75],
    ['15', 15],
  ])('%s is read', (text, is) => {
    expect(minutes(text)).toBe(is);
  });

  test('of a small number without a unit is refused: it may be hours', () => {
    expect(refusal(() => parseLength('2'))).toBe('"2" may be hours or minutes.');
  });

  test.each([
    ['', 'is not a length of time.'],
    ['1.5', 'is not a length of time.'],
    ['two hours', 'is not a length of time.'],
    ['2:75', 'is not the length of an exam.'],
    ['0:00', 'is not the length of an exam.'],
    ['1500', 'is longer than a day.'],
  ])('"%s" %s', (text, why) => {
    expect(refusal(() => parseLength(text))).toBe(`"${text}" ${why}`);
  });
});
