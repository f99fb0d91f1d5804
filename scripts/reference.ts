/** docs/commands.md: every command with its usage, its options and an example or two, from the pages of the help. */
import type { HelpPage, Term } from '../src/cli/help/help-page.ts';
import { commandPage, globalTerms } from '../src/cli/help/pages.ts';
import type { Noun } from '../src/commands/index.ts';

/** Options that so many commands share are explained once, and named in each. */
const shared = 4;
const examplesAtMost = 2;

export async function commandReference(nouns: readonly Noun[]): Promise<string> {
  const all = await Promise.all(
    nouns.map(async (noun) => ({ noun, pages: (await noun.load()).map((command) => ({ name: command.name, ...commandPage(command) })) })),
  );
  const common = commonOf(all.flatMap(({ pages }) => pages.flatMap(termsOf)));
  const isCommon = ([name, does]: Term) => common.some((term) => term[0] === name && term[1] === does);
  const parts = [
    '# Commands',
    'Generated from the table of commands by `npm run generate`. `--help` says more about each.',
    '## Options of every command',
    list(globalTerms()),
    '## Options of several commands',
    list(common),
    ...all.flatMap(({ noun, pages }) => {
      // A noun that is its own only command needs no section of its own.
      const isCommand = pages.length === 1 && pages[0]?.name === noun.name;
      const head = isCommand ? [] : [`## ${noun.name}`, `${escaped(noun.summary)}.`];
      return [...head, ...pages.flatMap((page) => [`${isCommand ? '##' : '###'} ${page.name}`, ...partsOf(page, isCommon)])];
    }),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** The arguments and options of a page, without those of every command. */
function termsOf({ sections }: HelpPage): Term[] {
  const global = globalTerms().map(([name]) => name);
  return sections.flatMap(({ terms = [] }) => terms).filter(([name]) => !global.includes(name));
}

/** The options that many commands take and that mean one thing. */
function commonOf(terms: readonly Term[]): Term[] {
  const uses = [...Map.groupBy(terms, (term) => term.join(' ')).values()].filter((same) => same.length >= shared);
  const options = uses.flatMap(([term]) => (term?.[0].startsWith('-') ? [term] : []));
  return options.filter(([name]) => options.filter((other) => other[0] === name).length === 1);
}

function partsOf(page: HelpPage, isCommon: (term: Term) => boolean): string[] {
  const terms = termsOf(page);
  const own = terms.filter((term) => !isCommon(term));
  const others = terms.filter(isCommon).map(([name]) => code(name.replace(/^-\w, /, '').replace(/ <.*/, '')));
  const examples = page.sections.flatMap((section) => section.examples ?? []).slice(0, examplesAtMost);
  const lines = [`proctor-cli ${page.usage}`, ...examples.flatMap(({ line, description }) => ['', `# ${description}`, line])];
  return [
    `${escaped(page.summary)}.`,
    ['```sh', ...lines, '```'].join('\n'),
    ...(own.length > 0 ? [list(own)] : []),
    ...(others.length > 0 ? [`${own.length > 0 ? 'Also' : 'Options'}: ${others.join(', ')}`] : []),
  ];
}

function list(terms: readonly Term[]): string {
  return terms.map(([term, does]) => `- ${code(term)}: ${escaped(does)}`).join('\n');
}

function code(text: string): string {
  return `\`${text}\``;
}

/** Text of which none is read as Markdown or HTML. */
function escaped(text: string): string {
  return text.replace(/[\\`*_[\]|<>]/g, (mark) => (mark === '<' ? '&lt;' : mark === '>' ? '&gt;' : `\\${mark}`));
}
