/** The pages of help as Markdown: the reference of the commands, and each topic for the page in docs that has a place for it. */
import type { Book } from '../help-book.ts';
import type { HelpPage, Section, Term } from '../help-page.ts';

/**
 * The whole reference. Texts of a page are escaped, so that none of it is read as Markdown. `elsewhere` has the
 * links to the topics that other pages hold, by subject; the reference holds the others.
 */
export function markdownOf({ nouns, topics }: Book, elsewhere: ReadonlyMap<string, string> = new Map()): string {
  const parts = [
    '# Commands',
    `The help of every command, as \`proctor-cli --help\` shows it. Generated from the table of commands by \`npm run generate\`.`,
    [
      ...nouns.map(({ noun: { subject, summary } }) => `- ${link(subject)}: ${prose(summary)}`),
      ...topics.map(({ subject, summary }) => `- ${link(subject, elsewhere.get(subject))}: ${prose(summary)}`),
    ].join('\n'),
    ...nouns.flatMap(({ noun, commands }) => {
      // A noun that is its own only command needs no page of its own.
      const own = commands.length === 1 && commands[0]?.subject === noun.subject;
      const head = own ? [] : [`## ${noun.subject}`, `${prose(noun.summary)}.`];
      return [...head, ...commands.flatMap((page) => pageParts(page, own ? '##' : '###'))];
    }),
    ...topics.filter(({ subject }) => !elsewhere.has(subject)).flatMap((page) => pageParts(page, '##')),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** The introduction of a page, before its usage and sections. */
export function aboutText({ about = [] }: HelpPage): string {
  return about.map(prose).join('\n\n');
}

/**
 * A topic below a heading of another page. `wider` has tables that replace the terms of a section, by its
 * title; an empty one omits the section.
 */
export function topicText({ about = [], sections }: HelpPage, wider: Readonly<Record<string, string>> = {}): string {
  const parts = sections.flatMap((section) => {
    const table = wider[section.title];
    if (table === undefined) return sectionParts(section);
    return table === '' ? [] : [table];
  });
  return [...about.map(prose), ...parts].join('\n\n');
}

function link(subject: string, place = `#${subject.replaceAll(' ', '-')}`): string {
  return `[${subject}](${place})`;
}

function pageParts({ subject, summary, about = [], usage, sections }: HelpPage, heading: string): string[] {
  return [
    `${heading} ${subject}`,
    `${prose(summary)}.`,
    ...about.map(prose),
    ...(usage === undefined ? [] : [block([`proctor-cli ${usage}`])]),
    ...sections.flatMap(sectionParts),
  ];
}

function sectionParts({ title, text = [], terms = [], examples = [] }: Section): string[] {
  return [
    ...(text.length + terms.length > 0 ? [`**${prose(title)}**`] : []),
    ...text.map(prose),
    ...(terms.length > 0 ? [table(terms)] : []),
    ...(examples.length > 0 ? [block(examples.flatMap(({ line, description: does }) => [`# ${does}`, line]))] : []),
  ];
}

function block(lines: readonly string[]): string {
  return ['```sh', ...lines, '```'].join('\n');
}

function table(terms: readonly Term[]): string {
  const rows = terms.map(([term, does]) => `| ${literal(term)} | ${prose(does)} |`);
  return ['| | |', '| --- | --- |', ...rows].join('\n');
}

/** Words as they are typed, in a table. */
function literal(text: string): string {
  const marks = text.includes('`') ? ['`` ', ' ``'] : ['`', '`'];
  return marks.join(text.replaceAll('|', '\\|'));
}

/** Literal text: an option with its value, a field, a status, a variable. */
const typed = /(?<![\w`/-])(--[a-z][a-z-]*(?: (?:[A-Z]{2,}\b|\d+[a-z%]+))?|[a-z]+(?:_[a-z]+)+|[A-Z]+(?:_[A-Z]+)+(?:=\w+)?)(?![\w-])/;

/** Text escaped for Markdown and HTML, with code marked as such. */
function prose(text: string): string {
  return text
    .split(typed)
    .map((part, index) => (index % 2 === 1 ? `\`${part}\`` : unmarked(part)))
    .join('');
}

function unmarked(text: string): string {
  return text.replace(/[\\`*_[\]|<>]/g, (mark) => (mark === '<' ? '&lt;' : mark === '>' ? '&gt;' : `\\${mark}`));
}
