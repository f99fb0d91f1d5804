/** Pages of help as text that fits a screen: description, usage, examples, arguments and options. */
import type { Command } from '../../command.ts';
import type { Noun } from '../../commands/index.ts';
import { globalOptionsOf } from '../parse/globals.ts';
import type { HelpPage, Section, Term } from './help-page.ts';
import { commandPage, nounPage, rootPage } from './pages.ts';

/** The width if there is no terminal, and the least width otherwise. */
const usualWidth = 80;
const widest = 100;

/** The help of the whole program, at a fixed width: `bin` prints it as the build has written it. */
export function rootHelp(nouns: readonly Noun[]): string {
  return pageText(rootPage(nouns));
}

export function nounHelp(noun: Noun, commands: readonly Command[], columns?: number): string {
  return `${pageText(nounPage(noun, commands), columns)}\n${globalOptionNames(fitting(columns))}`;
}

export function commandHelp(command: Command, columns?: number): string {
  return `${pageText(commandPage(command), columns)}\n${globalOptionNames(fitting(columns), command)}`;
}

/** A page for a terminal of so many columns. */
export function pageText({ summary, about = [], usage, sections }: HelpPage, columns?: number): string {
  const width = fitting(columns);
  const head = [
    ...wrapped(summary, width),
    ...about.flatMap((paragraph) => ['', ...wrapped(paragraph, width)]),
    ...(usage === undefined ? [] : ['', `Usage: proctor-cli ${usage}`]),
  ];
  return `${[...head, ...sections.flatMap((section) => ['', ...sectionLines(section, width)])].join('\n')}\n`;
}

function fitting(columns = usualWidth): number {
  return Math.max(40, Math.min(columns, widest));
}

function sectionLines({ title, text = [], terms = [], examples = [] }: Section, width: number): string[] {
  const paragraphs = text.flatMap((paragraph, index) => [...(index === 0 ? [] : ['']), ...indented(paragraph, width)]);
  const shown = examples.flatMap(({ line, description: does }) => [
    `  $ ${line}`,
    ...wrapped(does, width - 6).map((part) => `      ${part}`),
  ]);
  return [title, ...paragraphs, ...termLines(terms, width), ...shown];
}

/** Terms in one column, their descriptions in the other. */
function termLines(terms: readonly Term[], width: number): string[] {
  const column = Math.min(Math.max(...terms.map(([term]) => term.length)), Math.floor(width * 0.36)) + 4;
  return terms.flatMap(([term, does]) => {
    const start = `  ${term}  `.length > column ? [`  ${term}`] : [];
    const lines = wrapped(does, width - column).map((line, index) => {
      const before = index === 0 && start.length === 0 ? `  ${term}` : '';
      return (before.padEnd(column) + line).trimEnd();
    });
    return [...start, ...lines];
  });
}

/** The options of every command that have an effect in this one, by name only; the help of the program says what they do. */
function globalOptionNames(width: number, command?: Command): string {
  // A short form stays beside its long one.
  const names = globalOptionsOf(command).map(({ flags }) => flags.replace(/ <.*$/s, '').replace(', ', '\u00a0'));
  const lines = indented(names.join(' '), width).map((line) => line.replaceAll('\u00a0', ' '));
  return `Options of every command (proctor-cli --help)\n${lines.join('\n')}\n`;
}

function indented(text: string, width: number): string[] {
  return wrapped(text, width - 2).map((line) => `  ${line}`);
}

function wrapped(text: string, limit: number): string[] {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + 1 + word.length > limit) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}
