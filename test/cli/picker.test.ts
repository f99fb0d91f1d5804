/** The choices of a picker: found by any part of the text, safe to show, and never wider than the terminal. */
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { finder } from '../../src/cli/prompt/prompt-questions.ts';

const people = [
  { value: '12', about: 'zoe@example.org, Zoë Brontë, registered' },
  { value: '1', about: 'ada@example.org, Ada Lovelace, exam_started' },
  { value: '3', about: 'noa@example.org, \u202eנועה לוי\u200b, registered' },
  { value: '4', about: 'grace\u200b@example.org, Grace\u0007 Hopper, registered' },
  { value: '5', about: '' },
];

const shown = (term: string, columns = 120, candidates = people) => labels(finder(candidates, () => columns)(term));

const labels = (choices: ReturnType<ReturnType<typeof finder>>) =>
  choices.map((choice) => (typeof choice === 'string' ? choice : choice.label));

test.each([
  ['bronte', '12  zoe@example.org, Zoë Brontë, registered'],
  ['ZOË reg', '12  zoe@example.org, Zoë Brontë, registered'],
  ['lovelace, ada', '1  ada@example.org, Ada Lovelace, exam_started'],
  ['לוי', '3  noa@example.org, �נועה לוי�, registered'],
  ['grace@', '4  grace�@example.org, Grace␇ Hopper, registered'],
])('%s is found', (term, line) => {
  expect(shown(term)).toEqual([line, `use ${term} unchanged`]);
});

test('an ID that is typed in full comes first, and is not offered twice', () => {
  expect(shown('1')).toEqual(['1  ada@example.org, Ada Lovelace, exam_started', '12  zoe@example.org, Zoë Brontë, registered']);
});

test('an empty list says so', () => {
  expect(shown('', 80, [])).toEqual(['No suggestions: type the value']);
});

test('the text inserted by Tab finds the same value', () => {
  const [line = ''] = shown('ada', 24);
  expect(line).toMatch(/…$/);
  expect(shown(line, 24)[0]).toBe(line);
});

test('of 5,000 it shows a page and counts the rest, and finds each one', () => {
  const many = Array.from({ length: 5000 }, (_, index) => ({ value: String(index + 1), about: `student${index + 1}@example.org` }));
  const find = finder(many, () => 80);
  expect(find('')).toHaveLength(21);
  expect(find('').at(-1)).toBe('4980 more: type to narrow the list');
  expect(find('student4321@')[0]).toEqual({ value: '4321', label: '4321  student4321@example.org' });
});

test.each([20, 40, 1, 0, undefined])('no line is wider than a terminal of %s columns', (columns) => {
  const wide = [...people, { value: '6', about: `${'統計学入門'.repeat(20)}@example.org` }, { value: '7'.repeat(200), about: '' }];
  const find = finder(wide, () => columns);
  for (const line of ['', '7', 'q'.repeat(200)].flatMap((term) => labels(find(term)))) {
    expect(stringWidth(line)).toBeLessThanOrEqual(Math.max((columns || 80) - 3, 1));
  }
});
