/** The pages of help as Markdown: whole, and every text as it is. */
import { describe, expect, test } from 'vitest';
import { type Book, wholeBook } from '../../../../src/cli/help/help-book.ts';
import { aboutText, markdownOf, topicText } from '../../../../src/cli/help/reference/markdown.ts';
import { flagTerm, offeredFlags } from '../../../../src/cli/parse/flags.ts';
import { allCommands } from '../../all-commands.ts';

const book = await wholeBook();

/** Texts that mean something to Markdown. */
const nasty = ['--a-flag=~/x^2 `quoted` "twice"', '*stars* _lines_ [link](x) <b>tag</b> | pipe', '…Ștefan → 名前'];
const nastyBook: Book = {
  root: { subject: '', summary: 'Run it.', usage: '<noun>', sections: [] },
  firstSteps: [],
  nouns: [],
  topics: [
    {
      subject: 'help nasty',
      summary: 'Nasty',
      about: nasty,
      sections: [
        {
          title: 'Nasty',
          text: nasty,
          terms: nasty.map((text) => [text, text]),
          examples: nasty.map((line) => ({ line, description: line })),
        },
      ],
    },
  ],
};

describe('the reference page', () => {
  const text = markdownOf(book);

  test('has every command with its flags, and every topic', () => {
    for (const command of allCommands) {
      expect(text).toMatch(new RegExp(`^##+ ${command.name}$`, 'm'));
      for (const [key, flag] of offeredFlags(command)) expect(text).toContain(`| \`${flagTerm(key, flag).replaceAll('|', '\\|')}\` |`);
      for (const { line } of command.examples) expect(text).toContain(`\n${line}\n`);
    }
    for (const { subject } of book.topics) expect(text).toContain(`\n## ${subject}\n`);
  });

  test('leads with each of its links to a heading', () => {
    const headings = [...text.matchAll(/^##+ (.+)$/gm)].map(([, heading = '']) => heading.toLowerCase().replaceAll(' ', '-'));
    for (const [, anchor = ''] of text.matchAll(/\]\(#([^)]+)\)/g)) expect(headings).toContain(anchor);
    expect(new Set(headings).size).toBe(headings.length);
  });

  test('takes no text for Markdown', () => {
    const nastyText = markdownOf(nastyBook);
    expect(nastyText).toContain('\\*stars\\* \\_lines\\_ \\[link\\](x) &lt;b&gt;tag&lt;/b&gt; \\| pipe');
    const outsideOfCode = nastyText.replaceAll(/```sh[\s\S]*?```|``.*?``|`.*?`/g, '');
    expect(outsideOfCode).not.toMatch(/<b>|(?<!\\)\*stars|(?<!\\)`quoted/);
  });
});

describe('a page of docs', () => {
  const topic = (subject: string) => book.topics.find((page) => page.subject === subject) as Book['topics'][number];

  test('takes a topic out of the reference, which then leads there', () => {
    const text = markdownOf(book, new Map([['help output', 'scripting.md#output']]));
    expect(text).toContain('- [help output](scripting.md#output): ');
    expect(text).not.toContain('## help output');
    expect(text).toContain('## help times');
  });

  test('has all that a topic says, as code where it is typed', () => {
    const text = topicText(topic('help output'));
    for (const { title, terms = [], examples = [] } of topic('help output').sections) {
      if (terms.length > 0) expect(text).toContain(`**${title}**`);
      for (const [term] of terms) expect(text).toContain(`| \`${term}\` |`);
      for (const { line } of examples) expect(text).toContain(`\n${line}\n`);
    }
    expect(text).toContain('`--quiet` silences');
  });

  test('may have a wider table in place of a section, or leave it out', () => {
    const text = topicText(topic('help exit-status'), { Status: '| a wider table |', 'Codes in JSON': '' });
    expect(text).toContain('\n\n| a wider table |\n\n**In a script**');
    expect(text).not.toMatch(/Codes in JSON|\| `0` \|/);
  });

  test('takes the words about a command', () => {
    const find = book.nouns.flatMap(({ commands }) => commands).find(({ subject }) => subject === 'exams clone');
    expect(aboutText(find as NonNullable<typeof find>)).toMatch(
      /^Copies the name, the four restrictions, `save_recording` and .*`--timezone`/,
    );
  });
});
