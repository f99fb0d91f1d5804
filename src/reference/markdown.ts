/** The pages of help as one Markdown file: the reference of the commands. */
import type { Book } from '../cli/book.ts';
import type { Page, Section, Term } from '../cli/page.ts';

/** The whole file. Whatever stands in a page shows as it is: none of it is taken for Markdown. */
export function markdownOf({ nouns, topics }: Book): string {
  const parts = [
    '# Commands',
    `What \`proctor-cli --help\` and \`proctor-cli help TOPIC\` say, in one place. Made from the table of commands by \`npm run generate\`.`,
    [
      ...nouns.map(({ noun: { subject, summary } }) => `- ${link(subject)}: ${prose(summary)}`),
      ...topics.map(({ subject, summary }) => `- ${link(subject)}: ${prose(summary)}`),
    ].join('\n'),
    ...nouns.flatMap(({ noun, commands }) => {
      // A noun that is its own only command needs no page of its own.
      const own = commands.length === 1 && commands[0]?.subject === noun.subject;
      const head = own ? [] : [`## ${noun.subject}`, `${prose(noun.summary)}.`];
      return [...head, ...commands.flatMap((page) => pageParts(page, own ? '##' : '###'))];
    }),
    ...topics.flatMap((page) => pageParts(page, '##')),
  ];
  return `${parts.join('\n\n')}\n`;
}

function link(subject: string): string {
  return `[${subject}](#${subject.replaceAll(' ', '-')})`;
}

function pageParts({ subject, summary, about = [], usage, sections }: Page, heading: string): string[] {
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
    ...(examples.length > 0 ? [block(examples.flatMap(({ line, does }) => [`# ${does}`, line]))] : []),
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

/** Text in which no character is a mark of Markdown or HTML. */
function prose(text: string): string {
  return text.replace(/[\\`*_[\]|<>]/g, (mark) => (mark === '<' ? '&lt;' : mark === '>' ? '&gt;' : `\\${mark}`));
}
