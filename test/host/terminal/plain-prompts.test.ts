import { describe, expect, test } from 'vitest';
import type { Choice } from '../../../src/host/host.ts';
import { plainPrompts } from '../../../src/host/terminal/plain-prompts.ts';
import { sentence } from '../../../src/text/sentence.ts';

/** Prompts whose answers are typed beforehand, and everything that was read out. */
function typing(...typed: string[]) {
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
  return { prompts, heard };
}

describe('yes or no', () => {
  test.each([
    ['yes', true],
    ['Y', true],
    ['no', false],
    ['', false],
  ])('%j', async (typed, answer) => {
    const { prompts, heard } = typing(typed);
    expect(await prompts.confirm('Delete exam 1?')).toBe(answer);
    expect(heard).toEqual(['Delete exam 1? Yes or no; press Enter for no:']);
  });

  test('is asked again where it is neither', async () => {
    const { prompts, heard } = typing('maybe', 'yes');
    expect(await prompts.confirm('Delete?', { initial: true })).toBe(true);
    expect(heard).toEqual(['Delete? Yes or no; press Enter for yes:', 'Type yes or no.', 'Delete? Yes or no; press Enter for yes:']);
  });
});

describe('a text', () => {
  test('is asked for until it will do', async () => {
    const { prompts, heard } = typing('x', '42');
    expect(await prompts.text('Number:', { check: (text) => (text === 'x' ? sentence`That is no number.` : undefined) })).toBe('42');
    expect(heard).toEqual(['Number:', 'That is no number.', 'Number:']);
  });

  test('may be taken as it is offered', async () => {
    const { prompts, heard } = typing('');
    expect(await prompts.text('Base URL:', { initial: 'https://a.example' })).toBe('https://a.example');
    expect(heard).toEqual(['Base URL: Press Enter for https://a.example:']);
  });

  test('is hidden where it is a secret', async () => {
    const { prompts, heard } = typing('secret');
    expect(await prompts.password('Token:')).toBe('secret');
    expect(heard).toEqual(['Token: (hidden as you type): (hidden)']);
  });
});

describe('one of many', () => {
  const exams = [
    { value: '2', label: '2  Algebra' },
    { value: '12', label: '12  Chemistry 2' },
  ];
  const find = (term: string): (Choice | string)[] => {
    const named = exams.filter(({ value }) => value === term);
    const others = exams.filter(({ value, label }) => value !== term && label.includes(term));
    return [
      ...named,
      ...others,
      ...(term === '' || named.length > 0 ? [] : [{ value: term, label: `use ${term} unchanged`, unknown: true }]),
    ];
  };

  test('is chosen with Enter alone where that is offered first', async () => {
    const noMore = (term: string) => [...(term === '' ? [{ value: '', label: 'Done: only 2' }] : []), ...find(term)];
    expect(await typing('').prompts.search('Exam:', noMore)).toBe('');
    expect(await typing('', '12').prompts.search('Exam:', find)).toBe('12');
  });

  test('is chosen by its ID, never by its place', async () => {
    const { prompts, heard } = typing('2');
    expect(await prompts.search('Exam?', find)).toBe('2');
    expect(heard).toEqual(['2  Algebra', '12  Chemistry 2', 'Exam? Type one of these, or a part of one to search:']);
  });

  test('is searched for, and then chosen', async () => {
    const { prompts, heard } = typing('Chem', '12');
    expect(await prompts.search('Exam?', find)).toBe('12');
    expect(heard.slice(3)).toEqual([
      '12  Chemistry 2',
      'Type it again to use it unchanged.',
      'Exam? Type one of these, or a part of one to search:',
    ]);
  });

  test('may be what the list lacks, once it is typed again', async () => {
    const { prompts, heard } = typing('Chmistry', '99', '99');
    expect(await prompts.search('Exam?', find)).toBe('99');
    expect(heard.filter((line) => line.startsWith('Nothing'))).toEqual(
      Array(2).fill('Nothing matches. Type it again to use it unchanged.'),
    );
    expect(await typing('Chem', 'Chem').prompts.search('Exam?', find)).toBe('Chem');
  });

  test('is asked for again after an empty line', async () => {
    expect(await typing('', '', '2').prompts.search('Exam?', find)).toBe('2');
  });
});

describe('any of a few', () => {
  const choices = [
    { value: 'a', label: 'headphones' },
    { value: 'b', label: 'paper' },
  ];
  test.each([
    ['', []],
    ['2', ['b']],
    ['1, 2', ['a', 'b']],
  ])('%j', async (typed, answer) => {
    const { prompts, heard } = typing(typed);
    expect(await prompts.tick('Allow?', choices)).toEqual(answer);
    expect(heard.slice(0, 2)).toEqual(['1: headphones', '2: paper']);
  });

  test('is asked for again where a number is none of them', async () => {
    const { prompts, heard } = typing('3', '1');
    expect(await prompts.tick('Allow?', choices)).toEqual(['a']);
    expect(heard).toContain('Type numbers from 1 to 2, separated by spaces or commas.');
  });
});
