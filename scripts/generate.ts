/**
 * Writes what the sources say into the docs: tables and topics of the help into the pages of docs, the
 * reference, and the scripts for the shells. `--check` changes nothing and fails where they differ.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { assumptions, dialectKeys } from '../src/api/dialect.ts';
import { shells } from '../src/cli/complete/shells/index.ts';
import { wholeBook } from '../src/cli/help/help-book.ts';
import { aboutText, markdownOf, topicText } from '../src/cli/help/reference/markdown.ts';
import { codesByStatus } from '../src/cli/help/topics/exit-status-topic.ts';
import { type ProfileSetting, profileSettings } from '../src/config/profile-settings.ts';
import { exitStatuses } from '../src/exit-status.ts';
import { lineStates } from '../src/model/line-states.ts';
import { stepStates } from '../src/runs/step-states.ts';

const row = (...cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
const table = (...lines: string[][]) =>
  lines.flatMap((cells, index) => (index === 0 ? [row(...cells), row(...cells.map(() => '---'))] : [row(...cells)])).join('\n');
const code = (text: string) => (text === '' ? '*(empty)*' : `\`${text}\``);

const settings = Object.entries<ProfileSetting>(profileSettings)
  .filter(([key]) => !key.startsWith('dialect.'))
  .map(([key, { meaning, default: standard, variable, flag }]) => [
    code(key),
    meaning,
    standard === undefined ? '' : code(standard),
    [flag?.name, variable]
      .filter((name) => name !== undefined)
      .map(code)
      .join(', '),
  ]);

const dialect = dialectKeys.map((key) => {
  const { default: standard, meaning, reason } = assumptions[key];
  return [code(`dialect.${key}`), code(standard), meaning, reason];
});

const codes = new Map(codesByStatus());
const statuses = Object.entries(exitStatuses).map(([status, meaning]) => [
  status,
  meaning,
  (codes.get(status)?.split(', ') ?? []).map(code).join(', '),
]);

/** Tables with more columns than a page of help has: by the topic, and the title of the section. */
const wider: Record<string, Record<string, string>> = {
  'help settings': { Settings: table(['setting', 'meaning', 'default', 'overridden by'], ...settings) },
  // The table of settings names them.
  'help environment': { 'Settings that override the profile': '' },
  'help dialect': { Settings: table(['setting', 'default', 'what it decides', 'why this default'], ...dialect) },
  'help exit-status': {
    Status: table(['exit status', 'meaning', '`error.code` in JSON'], ...statuses),
    'Codes in JSON': '',
  },
};

const book = await wholeBook();
const texts: Record<string, string> = {
  'line states': table(
    ['state', 'meaning', 'complete success', 'settled by', 'what happens next'],
    ...Object.entries(lineStates).map(([name, { means, complete, settledBy, next }]) => [
      code(name),
      means,
      complete ? 'yes' : 'no',
      settledBy ?? '',
      next,
    ]),
  ),
  'step states': table(
    ['state', 'meaning', 'open', 'sent again', 'settled by', 'may become'],
    ...Object.entries(stepStates).map(([name, { means, open, sends, settledBy, next }]) => [
      code(name),
      means,
      open ? 'yes' : '',
      sends === 'planned' ? 'yes' : sends === 'consent' ? 'with a consent' : '',
      settledBy ?? '',
      next.filter((other) => other !== name).join(', '),
    ]),
  ),
  'completion lines': ['```sh', ...Object.values(shells).map(({ install }) => install), '```'].join('\n'),
  ...Object.fromEntries(book.nouns.flatMap(({ commands }) => commands).map((page) => [page.subject, aboutText(page)])),
  ...Object.fromEntries(book.topics.map((page) => [page.subject, topicText(page, wider[page.subject])])),
};

const root = new URL('../', import.meta.url);
const reference = 'docs/commands.md';
const pages = ['README.md', ...readdirSync(new URL('docs', root)).map((name) => `docs/${name}`)].filter(
  (name) => name.endsWith('.md') && name !== reference,
);

/** The place of each text, as a link from the reference. */
const places = new Map<string, string>();
const written = pages.map((name) => {
  const page = readFileSync(new URL(name, root), 'utf8');
  const place = /(<!-- ([\w -]+): generated -->\n)[\s\S]*?(<!-- end -->)/g;
  const filled = page.replace(place, (_, begin: string, text: string, end: string, offset: number) => {
    if (!texts[text]) throw new Error(`${name} has a place for "${text}", which is no generated text.`);
    if (places.has(text)) throw new Error(`"${text}" has two places: ${places.get(text)} and ${name}.`);
    const heading =
      page
        .slice(0, offset)
        .match(/^#+ .*$/gm)
        ?.at(-1) ?? '';
    const anchor = heading.startsWith('## ')
      ? `#${heading
          .slice(3)
          .toLowerCase()
          .replaceAll(/[^\w -]/g, '')
          .replaceAll(' ', '-')}`
      : '';
    places.set(text, `${name.replace('docs/', '')}${anchor}`);
    return `${begin}\n${texts[text]}\n\n${end}`;
  });
  return [name, filled] as const;
});
if (!places.has('completion lines')) throw new Error('No page has a place for "completion lines".');

const files: Record<string, string> = {
  ...Object.fromEntries(written),
  [reference]: markdownOf(book, places),
  ...Object.fromEntries(Object.values(shells).map(({ file, script }) => [`completions/${file}`, script])),
};

for (const [name, text] of Object.entries(files)) {
  const file = new URL(name, root);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  if (process.argv.includes('--check')) {
    console.error(`${name} is out of date: run npm run generate.`);
    process.exitCode = 1;
  } else {
    mkdirSync(new URL('.', file), { recursive: true });
    writeFileSync(file, text);
  }
}
