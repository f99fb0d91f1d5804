/**
 * The pages of help as a man page, in the macros of man(7). Every text is escaped: nothing in it is a
 * request to troff, and a command line copied from the page has its own hyphens and quotes.
 */
import type { Book } from '../help-book.ts';
import type { HelpPage, Section, Term } from '../help-page.ts';

export function manPageOf({ root, firstSteps, nouns, topics }: Book, version: string): string {
  const lines = [
    `.\\" Made from the table of commands by: npm run generate`,
    `.TH PROCTOR\\-CLI 1 "" "proctor\\-cli ${escaped(version)}" "User Commands"`,
    // Names are neither stretched nor hyphenated.
    '.ad l',
    '.nh',
    '.SH NAME',
    `proctor\\-cli \\- ${escaped(root.summary.charAt(0).toLowerCase() + root.summary.slice(1, -1))}`,
    '.SH SYNOPSIS',
    '.B proctor\\-cli',
    escaped(root.usage ?? ''),
    '.SH DESCRIPTION',
    ...nouns.flatMap(({ noun }) => termLines([noun.subject, noun.summary])),
    '.SH EXAMPLES',
    ...firstSteps.flatMap(exampleLines),
    ...topics.flatMap((page) => [
      `.SH ${quoted(page.subject.replace('help ', '').replaceAll('-', ' ').toUpperCase())}`,
      ...pageLines(page),
    ]),
    '.SH COMMANDS',
    ...nouns.flatMap(({ commands }) => commands).flatMap((page) => [`.SS ${quoted(page.subject)}`, ...pageLines(page)]),
  ];
  // A heading begins a paragraph by itself.
  return `${lines.filter((line, index) => line !== '.PP' || !/^\.S[HS] /.test(lines[index - 1] ?? '')).join('\n')}\n`;
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
