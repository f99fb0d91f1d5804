/** The choices of a picker: found by any part of the text, and safe to show. */
import { expect, test } from 'vitest';
import { finder } from '../../src/cli/prompt/ask.ts';

const people = [
  { value: '12', about: 'zoe@example.org, Zoë Brontë, registered' },
  { value: '1', about: 'ada@example.org, Ada Lovelace, exam_started' },
  { value: '3', about: 'noa@example.org, \u202eנועה לוי\u200b, registered' },
  { value: '4', about: 'grace\u200b@example.org, Grace\u0007 Hopper, registered' },
  { value: '5', about: '' },
];

const shown = (term: string, { candidates = people, isWhole = false } = {}) =>
  finder(candidates, isWhole)(term).map((choice) => (typeof choice === 'string' ? choice : choice.label));

test.each([
  ['bronte', '12  zoe@example.org, Zoë Brontë, registered'],
  ['ZOË reg', '12  zoe@example.org, Zoë Brontë, registered'],
  ['lovelace, ada', '1  ada@example.org, Ada Lovelace, exam_started'],
  ['לוי', '3  noa@example.org, �נועה לוי�, registered'],
  ['1', '1  ada@example.org, Ada Lovelace, exam_started', '12  zoe@example.org, Zoë Brontë, registered'],
  // What Tab has inserted, cut to the terminal.
  ['1  ada@example.org, Ada L…', '1  ada@example.org, Ada Lovelace, exam_started'],
  ['99', 'use 99, which is not in this list'],
  ['21, 22', 'use 21, 22, which is not in this list'],
  ['ada@example.com', 'use ada@example.com, which is not in this list'],
  ['Analysis', 'use Analysis, which is not in this list'],
])('%s', (term, ...lines) => {
  // Beside what is found, the text itself can be used, as on the command line.
  const itself = people.some(({ value }) => value === term) ? [] : [`use ${term}, which is not in this list`];
  expect(shown(term)).toEqual([...new Set([...lines, ...itself])]);
});

test('what a whole list lacks cannot be chosen, and an empty list says so', () => {
  expect(shown('nobody', { isWhole: true })).toEqual(['Nothing fits: type something else']);
  expect(shown('ada', { isWhole: true })).toHaveLength(1);
  expect(shown('', { candidates: [] })).toEqual(['No suggestions: type the value']);
});

test('of 5,000 it shows a page and counts the rest, and finds each one', () => {
  const candidates = Array.from({ length: 5000 }, (_, index) => ({ value: String(index + 1), about: `student${index + 1}@example.org` }));
  expect(shown('', { candidates })).toHaveLength(21);
  expect(shown('', { candidates }).at(-1)).toBe('4980 more: type to narrow the list');
  expect(shown('student4321@', { candidates })[0]).toBe('4321  student4321@example.org');
});
