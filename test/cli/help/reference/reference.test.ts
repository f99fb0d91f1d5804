/** The pages of help as Markdown and as man pages: whole, and every text as it is. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import manifest from '../../../../package.json' with { type: 'json' };
import { type Book, wholeBook } from '../../../../src/cli/help/help-book.ts';
import { manPagesOf } from '../../../../src/cli/help/reference/man.ts';
import { aboutText, markdownOf, topicText } from '../../../../src/cli/help/reference/markdown.ts';
import { topics } from '../../../../src/cli/help/topics/index.ts';
import { flagTerm, offeredFlags } from '../../../../src/cli/parse/flags.ts';
import { nouns } from '../../../../src/commands/index.ts';
import { root } from '../../../docs/pages.ts';
import { allCommands } from '../../all-commands.ts';

const book = await wholeBook();

/** Texts that mean something to troff or to Markdown. */
const nasty = [
  '.so /etc/hostname',
  "'br is no request",
  'a\\fBb \\n(yr and \\\\ stay',
  '--a-flag=~/x^2 `quoted` "twice"',
  '*stars* _lines_ [link](x) <b>tag</b> | pipe',
  '…Ștefan → 名前',
];
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

function installed(program: string): boolean {
  return spawnSync(program, ['-V'], { stdio: 'ignore' }).error === undefined;
}

/** A page as groff sets it, on wide paper unless `columns` are given, and its warnings. */
function typeset(page: string, columns = 400): { text: string; complaints: string } {
  const { stdout, stderr } = spawnSync('groff', ['-man', '-ww', '-T', 'utf8', '-P', '-c', '-r', `LL=${columns}n`], {
    input: page,
    encoding: 'utf8',
  });
  // Bold is a letter struck twice.
  return { text: stdout.split('\b').reduce((before, after) => before.slice(0, -1) + after), complaints: stderr };
}

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

describe('the man pages', () => {
  const pages = manPagesOf(book, '1.2.3');
  const all = Object.entries({ ...pages, ...manPagesOf(nastyBook, '1.2.3') });

  test('are one of the program, one for each noun with its commands, and one for each topic', () => {
    expect(Object.keys(pages).sort()).toEqual(
      ['proctor-cli.1', ...nouns.map(({ name }) => `proctor-cli-${name}.1`), ...topics.map(({ name }) => `proctor-cli-${name}.7`)].sort(),
    );
    // These are the files, and npm installs what package.json lists.
    expect(readdirSync(join(root, 'man')).sort()).toEqual(Object.keys(pages).sort());
    expect(manifest.man).toEqual(
      readdirSync(join(root, 'man'))
        .sort()
        .map((file) => `man/${file}`),
    );
    for (const { name } of allCommands) {
      expect(pages[`proctor-cli-${name.split(' ')[0]}.1`]).toContain(`.SH "${name.replaceAll('-', '\\-')}"\n`);
    }
  });

  test.skipIf(!installed('groff'))('begin with one that leads to all others, in less than 200 lines of a terminal', () => {
    const { text } = typeset(pages['proctor-cli.1'] ?? '', 78);
    expect(text.trimEnd().split('\n').length).toBeLessThan(200);
    for (const { name } of nouns) expect(text).toMatch(new RegExp(`^ +${name} +[A-Z]`, 'm'));
    for (const { name } of topics) expect(text).toContain(`proctor-cli-${name}(7)`);
  });

  test.skipIf(!installed('groff')).each(all)('%s is set without a complaint', (_name, page) => {
    expect(typeset(page).complaints).toBe('');
  });

  test.skipIf(!installed('groff'))('have each text as it is', () => {
    expect(typeset(pages['proctor-cli-sessions.1'] ?? '').text).toContain('proctor-cli sessions list --exam 2 --status exam_started -o id');
    const { text } = typeset(manPagesOf(nastyBook, '1.2.3')['proctor-cli-nasty.7'] ?? '');
    for (const each of nasty) expect(text.split(each).length - 1, each).toBeGreaterThanOrEqual(5);
  });

  test.skipIf(!installed('mandoc')).each(all)('%s is right for mandoc, too', (_name, page) => {
    const { stdout } = spawnSync('mandoc', ['-T', 'lint', '-W', 'error'], { input: page, encoding: 'utf8' });
    expect(stdout).toBe('');
  });
});
