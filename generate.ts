/**
 * Brings the tables of the README up to date with the sources that say each thing once.
 * `--check` changes nothing and fails where they differ.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { assumptions, dialectKeys } from './src/api/dialect.ts';
import { type ProfileSetting, profileSettings } from './src/config/profile-settings.ts';
import { CliError, errorTable } from './src/errors.ts';

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

const exits = new Map<number, string[]>();
for (const name of Object.keys(errorTable) as (keyof typeof errorTable)[]) {
  const { exit } = new CliError(name, '');
  exits.set(exit, [...(exits.get(exit) ?? []), code(name)]);
}

const sections: Record<string, string> = {
  settings: table(['setting', 'meaning', 'default', 'overridden by'], ...settings),
  dialect: table(['setting', 'default', 'what it decides', 'why this default', 'section'], ...dialect),
  codes: table(['exit status', '`error.code` in JSON'], ...[...exits].map(([exit, names]) => [String(exit), names.join(', ')])),
};

const path = new URL('./README.md', import.meta.url);
const before = readFileSync(path, 'utf8');
let after = before;
for (const [name, text] of Object.entries(sections)) {
  const place = new RegExp(`(<!-- ${name}: generated -->\n)[\\s\\S]*?(<!-- end -->)`);
  if (!place.test(after)) throw new Error(`README.md has no place for ${name}`);
  after = after.replace(place, (_, begin: string, end: string) => `${begin}${text}\n${end}`);
}
if (after !== before && process.argv.includes('--check')) {
  console.error('README.md is out of date: run npm run generate.');
  process.exitCode = 1;
} else if (after !== before) {
  writeFileSync(path, after);
}
