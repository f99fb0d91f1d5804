/** Times of day and lengths as timetables have them: what could mean two things is refused. */
import { expect, test } from 'vitest';
import { parseClock, parseLength } from '../../../src/features/timetable/exam-cells.ts';

const of = (text: string, parse: (text: string) => unknown) => {
  try {
    return parse(text);
  } catch (error) {
    return (error as Error).message;
  }
};

const clocks = [
  ...Object.entries({ '09:00': '09:00', '9:00': '9:00', '9.00 Uhr': '9:00', '9 Uhr': '9:00', '9:30 Uhr': '9:30', '9h30': '9:30' }),
  ...Object.entries({ '9 h': '9:00', '2:30 PM': '2:30PM', '12:05 a.m.': '12:05a.m.', '09:00:15': '09:00:15', '30m': undefined }),
  ...['9.30', '9,30', '9'].map((text) => [text, `"${text}" may be a time of day or a number.`] as const),
  ...['', '2027-04-13T09:00', 'morning', '9-11'].map((text) => [text, undefined] as const),
];

test.each(clocks)('The time of day "%s" is read as %s', (text, is) => {
  expect(of(text, (each) => parseClock(each, false))).toBe(is);
});

test('A time of day of a workbook is read as its cells are', () => {
  expect(['9h30m', '13h', '30m', '0m'].map((text) => parseClock(text, true))).toEqual(['09:30:00', '13:00:00', '00:30:00', '00:00:00']);
});

const lengths = [
  ...Object.entries({ '2h': 120, '120': 120, '2:00': 120, '02:00:00': 120, '1h30': 90, '1h30m': 90, '90 min': 90, '90 Minuten': 90 }),
  ...Object.entries({ '2 Std. 30 Min.': 150, '1 heure 15 minutes': 75, '15': 15, '2 hours': 120 }),
  ...Object.entries({ '2': '"2" may be hours or minutes.', '0:00': '"0:00" is not the length of an exam.' }),
  ...Object.entries({ '1500': '"1500" is longer than a day.', '': '"" is not a duration.' }),
  ...['1.5', 'two hours', '2:75'].map((text) => [text, `"${text}" is not a duration.`] as const),
];

test.each(lengths)('The length "%s" is read as %s', (text, is) => {
  expect(of(text, (each) => (parseLength(each) as number) / 60_000)).toBe(is);
});
