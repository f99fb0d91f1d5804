/**
 * The pages of help as man pages, in the macros of man(7): one of the program, one for each noun, one for each topic.
 * Every text is escaped: nothing in it is a request to troff, and a command line copied from a page has its own hyphens and quotes.
 */
import type { Book } from '../help-book.ts';
import type { HelpPage, Section, Term } from '../help-page.ts';

/** By their files: `proctor-cli.1`, `proctor-cli-exams.1`, `proctor-cli-times.7` … */
export function manPagesOf(book: Book, version: string): Record<string, string> {
  const pages = [
    { name: 'proctor-cli', section: 1, summary: book.root.summary, lines: overview(book) },
    ...book.nouns.map(({ noun: { subject, summary }, commands }) => ({
      name: `proctor-cli-${subject}`,
      section: 1,
      summary,
      lines: [
        '.SH COMMANDS',
        ...commands.flatMap((page) => compact([page.subject, page.summary], 24)),
        ...commands.flatMap((page) => [`.SH ${quoted(page.subject)}`, ...pageLines(page)]),
      ],
    })),
    ...book.topics.map((page) => ({
      name: nameOf(page),
      section: 7,
      summary: page.summary,
      lines: ['.SH DESCRIPTION', ...pageLines(page)],
    })),
  ];
  const files = pages.map(({ name, section, summary, lines }) => {
    const all = [
      `.\\" Made from the table of commands by: npm run generate`,
      `.TH ${escaped(name.toUpperCase())} ${section} "" "proctor\\-cli ${escaped(version)}" "proctor\\-cli"`,
      // Names are neither stretched nor hyphenated.
      '.ad l',
      '.nh',
      '.SH NAME',
      `${escaped(name)} \\- ${escaped(summary.charAt(0).toLowerCase() + summary.slice(1).replace(/[.]$/, ''))}`,
      ...lines,
      ...(name === 'proctor-cli' ? [] : ['.SH SEE ALSO', `.BR proctor\\-cli (1)`]),
    ];
    // A heading begins a paragraph by itself.
    const text = all.filter((line, index) => line !== '.PP' || !/^\.S[HS] /.test(all[index - 1] ?? '')).join('\n');
    return [`${name}.${section}`, `${text}\n`] as const;
  });
  return Object.fromEntries(files);
}

/** What the program is, where its other pages are, and what holds for every command. */
function overview({ root, firstSteps, nouns, topics }: Book): string[] {
  const termsOf = (topic: string) => topics.find(({ subject }) => subject === `help ${topic}`)?.sections[0]?.terms ?? [];
  const [options, statuses] = [termsOf('options'), termsOf('exit-status')];
  return [
    '.SH SYNOPSIS',
    '.B proctor\\-cli',
    escaped(root.usage ?? ''),
    '.SH DESCRIPTION',
    'Each noun has a page of its own with its commands, such as',
    '.BR proctor\\-cli\\-exams (1).',
    '.PP',
    ...nouns.flatMap(({ noun }) => compact([noun.subject, noun.summary], 16)),
    '.SH EXAMPLES',
    ...firstSteps.flatMap(exampleLines),
    ...(options.length > 0 ? ['.SH OPTIONS', 'Every command takes them, before or after the verb.', ...options.flatMap(termLines)] : []),
    ...(statuses.length > 0 ? ['.SH "EXIT STATUS"', ...statuses.flatMap((term) => compact(term, 6))] : []),
    '.SH SEE ALSO',
    ...topics.map((page, index) => `.BR \\%${escaped(nameOf(page))} (7)${index < topics.length - 1 ? ',' : ''}`),
  ];
}

function nameOf({ subject }: HelpPage): string {
  return subject.replace('help ', 'proctor-cli-');
}

function pageLines({ summary, about = [], usage, sections }: HelpPage): string[] {
  return [
    `${escaped(summary)}.`,
    ...about.flatMap((paragraph) => ['.PP', escaped(paragraph)]),
    ...(usage === undefined ? [] : ['.PP', `.B proctor\\-cli`, escaped(usage)]),
    ...sections.flatMap(sectionLines),
  ];
}

function sectionLines({ title, text = [], terms = [], examples = [] }: Section): string[] {
  return [
    '.PP',
    `.B ${quoted(title)}`,
    ...text.flatMap((paragraph) => ['.PP', escaped(paragraph)]),
    ...terms.flatMap(termLines),
    ...examples.flatMap(exampleLines),
  ];
}

function termLines([term, does]: Term): string[] {
  // A list of values without spaces may be longer than a line.
  return ['.TP', `.B ${quoted(term)}`, escaped(does).replaceAll(/,(?=[^ ])/g, ',\\:')];
}

/** In a list without blank lines between its items. */
function compact(term: Term, indent: number): string[] {
  const [, ...rest] = termLines(term);
  return ['.PD 0', `.TP ${indent}`, ...rest, '.PD'];
}

function exampleLines({ line, description }: { line: string; description: string }): string[] {
  return [
    '.PP',
    `${escaped(description.charAt(0).toUpperCase() + description.slice(1))}:`,
    '.PP',
    '.RS 4',
    '.EX',
    escaped(line),
    '.EE',
    '.RE',
  ];
}

/** An argument of a macro. */
function quoted(text: string): string {
  return `"${escaped(text)}"`;
}

const characters: Record<string, string> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
  '"': '\\(dq',
};

/** One line of text, escaped. */
function escaped(text: string): string {
  return text
    .replaceAll(/[\\\-'`^~"]/g, (character) => characters[character] ?? character)
    .replaceAll(/[^\0-\x7f]/gu, (character) => `\\[u${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`)
    .replace(/^\./, '\\&.');
}
