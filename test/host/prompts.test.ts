/** Questions for a screen reader: what is read out, what may be typed, and what is asked again. */
import { expect, test } from 'vitest';
import type { Choice, Prompts } from '../../src/host/host.ts';
import { plainPrompts } from '../../src/host/terminal/prompts.ts';
import { sentence } from '../../src/text/sentence.ts';

/** The answer to a question whose lines are typed beforehand, and everything that was read out. */
async function answered<T>(ask: (prompts: Prompts) => Promise<T>, ...typed: string[]) {
  const heard: string[] = [];
  const prompts = plainPrompts({
    async ask(question, { hidden } = { hidden: false }) {
      heard.push(hidden ? `${question} (hidden)` : question);
      const line = typed.shift();
      if (line === undefined) throw new Error(`A question too many: ${question}`);
      return line;
    },
    tell: async (line) => void heard.push(line),
  });
  return { answer: await ask(prompts), heard };
}

test.each([
  ['yes', true],
  ['Y', true],
  ['no', false],
  ['', false],
])('%j is yes or no', async (typed, answer) => {
  const heard = ['Delete exam 1? Yes or no; press Enter for no:'];
  expect(await answered((prompts) => prompts.confirm('Delete exam 1?'), typed)).toEqual({ answer, heard });
});

test('what is neither yes nor no is asked again', async () => {
  const question = 'Delete? Yes or no; press Enter for no:';
  expect(await answered((prompts) => prompts.confirm('Delete?'), 'maybe', '')).toEqual({
    answer: false,
    heard: [question, 'Type yes or no.', question],
  });
});

test('a text is asked for until it will do, may be taken as it is offered, and is hidden where it is a secret', async () => {
  const check = (text: string) => (text === 'x' ? sentence`That is no number.` : undefined);
  expect(await answered((prompts) => prompts.text('Number:', { check, initial: '42' }), 'x', '')).toEqual({
    answer: '42',
    heard: ['Number: Press Enter for 42:', 'That is no number.', 'Number: Press Enter for 42:'],
  });
  expect(await answered((prompts) => prompts.password('Token:'), 'secret')).toEqual({
    answer: 'secret',
    heard: ['Token: (hidden as you type): (hidden)'],
  });
});

const exams = [
  { value: '2', label: '2  Algebra' },
  { value: '12', label: '12  Chemistry 2' },
];
function find(term: string): (Choice | string)[] {
  const named = exams.filter(({ value }) => value === term);
  const others = exams.filter(({ value, label }) => value !== term && label.includes(term));
  const unknown = { value: term, label: `use ${term}, which is not in this list`, unknown: true };
  return [...named, ...others, ...(term === '' || named.length > 0 ? [] : [unknown])];
}
const pick = (prompts: Prompts) => prompts.search('Exam?', find);
const question = 'Exam? Type one of these, or a part of one to search:';

test.each([
  ['by its ID, never by its place', ['2'], '2', ['2  Algebra', '12  Chemistry 2', question]],
  [
    'after a search',
    ['Chem', '12'],
    '12',
    ['2  Algebra', '12  Chemistry 2', question, '12  Chemistry 2', 'Type it again to use it, although it is not in the list.', question],
  ],
  [
    'though the list lacks it, once it is typed again',
    ['99', '99'],
    '99',
    ['2  Algebra', '12  Chemistry 2', question, 'Nothing matches. Type it again to use it, although it is not in the list.', question],
  ],
  ['though it matches a choice, once it is typed again', ['Chem', 'Chem'], 'Chem', undefined],
  ['after an empty line', ['', '2'], '2', undefined],
])('one of many is chosen %s', async (_how, typed, answer, read) => {
  const { answer: is, heard } = await answered(pick, ...typed);
  expect([is, read && heard]).toEqual([answer, read]);
});

test('Enter alone takes what is offered for it', async () => {
  const noMore = (term: string) => [...(term === '' ? [{ value: '', label: 'Done: only 2' }] : []), ...find(term)];
  expect((await answered((prompts) => prompts.search('Exam:', noMore), '')).answer).toBe('');
});

test.each([
  [['', '2'], ['b']],
  [['1, 2'], ['a', 'b']],
  [['3', '2'], ['b']],
])('any of a few: %j', async (typed, answer) => {
  const choices = [
    { value: 'a', label: 'headphones' },
    { value: 'b', label: 'paper' },
  ];
  const { answer: is, heard } = await answered((prompts) => prompts.tick('Allow?', choices), ...typed);
  expect([is, heard.slice(0, 2)]).toEqual([answer, ['1: headphones', '2: paper']]);
  expect(heard.includes('Type numbers from 1 to 2, separated by spaces or commas.')).toBe(typed.length > 1);
});
