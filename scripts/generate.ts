/**
 * Brings the tables of the README, the reference and the man page up to date with the sources that
 * say each thing once. `--check` changes nothing and fails where they differ.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { assumptions, dialectKeys } from '../src/api/dialect.ts';
import { wholeBook } from '../src/cli/book.ts';
import { codesByStatus } from '../src/cli/topics/exit-status.ts';
import { type ProfileSetting, profileSettings } from '../src/config/profile-settings.ts';
import { exitStatuses } from '../src/exit-status.ts';
import { manPageOf } from '../src/reference/man.ts';
import { markdownOf } from '../src/reference/markdown.ts';
import { shells } from '../src/shells/index.ts';
import { version } from '../src/version.ts';

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
  const { default: standard, meaning, reason, section } = assumptions[key];
  return [code(`dialect.${key}`), code(standard), meaning, reason, section];
});

const codes = new Map(codesByStatus());
const statuses = Object.entries(exitStatuses).map(([status, meaning]) => [
  status,
  meaning,
  (codes.get(status)?.split(', ') ?? []).map(code).join(', '),
]);

const sections: Record<string, string> = {
  settings: table(['setting', 'meaning', 'default', 'overridden by'], ...settings),
  dialect: table(['setting', 'default', 'what it decides', 'why this default', 'section'], ...dialect),
  codes: table(['exit status', 'meaning', '`error.code` in JSON'], ...statuses),
  completion: ['```sh', ...Object.values(shells).map(({ install }) => install), '```'].join('\n'),
};

const placed = (name: string) => new URL(`../${name}`, import.meta.url);

let readme = readFileSync(placed('README.md'), 'utf8');
for (const [name, text] of Object.entries(sections)) {
  const place = new RegExp(`(<!-- ${name}: generated -->\n)[\\s\\S]*?(<!-- end -->)`);
  if (!place.test(readme)) throw new Error(`README.md has no place for ${name}`);
  readme = readme.replace(place, (_, begin: string, end: string) => `${begin}${text}\n${end}`);
}

const book = await wholeBook();
const files: Record<string, string> = {
  'README.md': readme,
  'docs/commands.md': markdownOf(book),
  'man/proctor-cli.1': manPageOf(book, version),
  ...Object.fromEntries(Object.values(shells).map(({ file, script }) => [`completions/${file}`, script])),
};

for (const [name, text] of Object.entries(files)) {
  if (existsSync(placed(name)) && readFileSync(placed(name), 'utf8') === text) continue;
  if (process.argv.includes('--check')) {
    console.error(`${name} is out of date: run npm run generate.`);
    process.exitCode = 1;
  } else {
    mkdirSync(new URL('.', placed(name)), { recursive: true });
    writeFileSync(placed(name), text);
  }
}
