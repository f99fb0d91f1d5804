import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { sentencesIn, textsOf } from '../../scripts/sentences.ts';

const root = new URL('../../', import.meta.url);
const golden = readFileSync(new URL('test/golden/sentences.txt', root), 'utf8');

test('test/golden/sentences.txt lists every sentence of the sources; npm run generate writes it', () => {
  expect(sentencesIn(new URL('src/', root))).toBe(golden);
});

/** Words that the glossary in CONTRIBUTING replaces, and turns of phrase that are not English. */
const avoided = [
  /\b(whom|whoever|nobody|somebody|perhaps|nevertheless|anew|mend(s|ed|ing)?|under way|half-way|in doubt|any more)\b/i,
  /\b(go|goes|going|gone) on( with)?\b/i,
  /\b(leave|leaves|left|leaving) (\S+ )*(alone|away)\b/i,
  /\b(a yes|say yes|the same again|see to the|in place of|at the most|taken for|not there|half done)\b/i,
  /(?<!\bthere )\b(is|are|was) no (?!longer\b)/i,
  /(^|[.:;] )(Who|What|Whose|Whatever|Those who) [^?]*$/,
];

describe('plain words', () => {
  test.each(avoided)('no sentence has %s', (pattern) => {
    expect(golden.split('\n').filter((line) => pattern.test(line.trim()))).toEqual([]);
  });

  test.each([
    'This needs a yes, and there is nobody to ask here.',
    'You did not say yes.',
    'what is under way is waited for. The same again stops at once, and can be gone on with.',
    'Of 3 rows nobody knows whether they happened.',
    'perhaps sent and not there',
    'Mend it with: proctor-cli config unset timeout',
    'Leave the path away: https://proctor.example.org',
    'Whom does the column "Role" mean?',
    'Who has finished is left alone.',
    '"x" is no share of the rows.',
    'What was printed is not the whole list; run the command again.',
  ])('would be missed in: %s', (old) => {
    expect(avoided.some((pattern) => pattern.test(old))).toBe(true);
  });
});

test('listed are sentences, literals in words, titles and the text of pages, with {…} for what is put in', () => {
  const source = `
    import { a } from 'a library';
    type Kind = 'of no sentence';
    throw new CliError('usage', sentence\`No \${name}.\`, { hint: \`Give \${a} or \${b}.\` });
    const columns = [{ key: 'open_time', title: 'opens' }, { key: 'exam' }];
    const command = { name: 'exams list', summary: 'List exams', examples: [{ line: 'proctor-cli exams list', does: 'all of them' }] };
    const page = html\`<p class="a b">No students</p><b>\${'so far'}</b>\`;
    database.exec('SELECT name FROM exams');
    const said = ok ? 'the service answers' : 'no';
  `;
  expect(textsOf('example.ts', source)).toEqual([
    'No {…}.',
    'Give {…} or {…}.',
    'opens',
    'List exams',
    'all of them',
    'No students',
    'so far',
    'the service answers',
  ]);
});
