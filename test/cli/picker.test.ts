/** The choices of a picker: found by any part of the text, safe to show, and never wider than the terminal. */
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { finder } from '../../src/cli/prompt/picker.ts';

const people = [
  { value: '12', about: 'zoe@example.org, Zoë Brontë, registered' },
  { value: '1', about: 'ada@example.org, Ada Lovelace, exam_started' },
  { value: '3', about: 'noa@example.org, \u202eנועה לוי\u200b, registered' },
  { value: '4', about: 'grace\u200b@example.org, Grace\u0007 Hopper, registered' },
  { value: '5', about: '' },
];

const shown = (term: string, { columns = 120, candidates = people, isWhole = false } = {}) =>
  finder(candidates, () => columns, { isWhole })(term).map((choice) => (typeof choice === 'string' ? choice : choice.label));

test.each([
  ['bronte', '12  zoe@example.org, Zoë Brontë, registered', 'use bronte unchanged'],
  ['ZOË reg', '12  zoe@example.org, Zoë Brontë, registered', 'use ZOË reg unchanged'],
  ['lovelace, ada', '1  ada@example.org, Ada Lovelace, exam_started', 'use lovelace, ada unchanged'],
  ['לוי', '3  noa@example.org, �נועה לוי�, registered', 'use לוי unchanged'],
  ['1', '1  ada@example.org, Ada Lovelace, exam_started', '12  zoe@example.org, Zoë Brontë, registered'],
  ['nobody', 'use nobody unchanged'],
  ['a/b', 'Nothing fits: type something else'],
])('%s', (term, ...lines) => {
  expect(shown(term)).toEqual(lines);
});

test('what a whole list lacks cannot be chosen, and an empty list says so', () => {
  expect(shown('nobody', { isWhole: true })).toEqual(['Nothing fits: type something else']);
  expect(shown('ada', { isWhole: true })).toHaveLength(1);
  expect(shown('', { candidates: [] })).toEqual(['No suggestions: type the value']);
});

test('the text inserted by Tab finds the same value', () => {
  const [line = ''] = shown('ada', { columns: 24 });
  expect(line).toMatch(/…$/);
  expect(shown(line, { columns: 24 })[0]).toBe(line);
});

test('of 5,000 it shows a page and counts the rest, and finds each one', () => {
  const candidates = Array.from({ length: 5000 }, (_, index) => ({ value: String(index + 1), about: `student${index + 1}@example.org` }));
  expect(shown('', { candidates })).toHaveLength(21);
  expect(shown('', { candidates }).at(-1)).toBe('4980 more: type to narrow the list');
  expect(shown('student4321@', { candidates })[0]).toBe('4321  student4321@example.org');
});

test.each([20, 40, 1, 0])('no line is wider than a terminal of %s columns', (columns) => {
  const wide = [...people, { value: '6', about: `${'統計学入門'.repeat(20)}@example.org` }, { value: '7'.repeat(200), about: '' }];
  for (const line of ['', '7', 'q'.repeat(200)].flatMap((term) => shown(term, { columns, candidates: wide })))
    expect(stringWidth(line)).toBeLessThanOrEqual(Math.max((columns || 80) - 3, 1));
});
