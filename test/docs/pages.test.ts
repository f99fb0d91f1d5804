/** The docs: short where they promise it, links that lead somewhere, and command lines that can be typed. */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { command as importing } from '../../src/commands/sessions/import.ts';
import { type ProfileSetting, profileSettings, settingKeys } from '../../src/config/profile-settings.ts';
import { errorTable } from '../../src/errors.ts';
import { resultWords } from '../../src/features/students/line-results.ts';
import { flagName } from '../../src/model/shell-quote.ts';
import { formats } from '../../src/output/formats.ts';
import { reasons, states } from '../../src/runs/execution.ts';
import { commandLinesIn, problemOf } from '../cli/command-lines.ts';
import { pages, root } from './pages.ts';

/** The headings of a page, as GitHub links to them. */
function anchors(text: string): string[] {
  const headings = [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm)];
  return headings.map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test('the README has at most 110 lines', () => {
  expect(pages.get('README.md')?.trimEnd().split('\n').length).toBeLessThanOrEqual(110);
});

test('the README leads to every page of docs', () => {
  const linked = new Set([...(pages.get('README.md') ?? '').matchAll(/\]\((docs\/[\w-]+\.md)/g)].map(([, name]) => name));
  const ownPages = [...pages.keys()].filter((name) => /^docs\/[\w-]+\.md$/.test(name));
  expect(ownPages.filter((name) => !linked.has(name))).toEqual([]);
});

describe.each([...pages])('%s', (name, text) => {
  test('has links that lead to a page and a heading', () => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)].map(([, file = '', anchor]) => ({
      file: file === '' ? name : join(dirname(name), file),
      anchor,
    }));
    const leads = ({ file, anchor }: (typeof links)[number]) =>
      existsSync(join(root, file)) && (!anchor || anchors(pages.get(file) ?? '').includes(anchor));
    expect(links.filter((link) => !leads(link))).toEqual([]);
  });

  // Blocks are run; the lines of the reference are those of the help.
  test.skipIf(name === 'docs/commands.md')('has command lines in its sentences that can be typed', async () => {
    const lines = commandLinesIn(text.replaceAll(/^```[\s\S]*?^```$/gm, ''));
    const problems = await Promise.all(lines.map(problemOf));
    expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
  });
});

test('CONTRIBUTING and the decisions name files and functions that exist', () => {
  const text = `${pages.get('CONTRIBUTING.md')}${pages.get('docs/decisions.md')}`;
  const paths = [...text.matchAll(/(?:`| )((?:src|test|scripts|bin|completions)\/[\w./*-]*)/g)].map(([, file = '']) => file);
  const names = [...text.matchAll(/`([\w-]+\.ts)`/g)].map(([, name]) => `src/**/${name}`);
  expect(paths.length + names.length).toBeGreaterThan(70);
  expect([...paths, ...names].filter((file) => globSync(file.replace(/[.]$/, ''), { cwd: root }).length === 0)).toEqual([]);
  const source = globSync('src/**/*.ts', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'));
  const words = [...text.matchAll(/`([a-z]+[A-Z]\w+)(?:\(.*\))?`/g)].map(([, word = '']) => word);
  expect(words.filter((word) => !source.join('').includes(word))).toEqual([]);
});

test('CONTRIBUTING shows every module of the architecture', () => {
  const architecture = /^## Architecture$([\s\S]*?)^## /m.exec(pages.get('CONTRIBUTING.md') ?? '')?.[1] ?? '';
  const modules = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(modules.map(({ name }) => name).filter((name) => !architecture.includes(`\`src/${name}/\``))).toEqual([]);
});

/** The names in the first column of the tables of a page, or of a section of it; the head of a table has no name there. */
function firstColumn(page: string, section = ''): string[] {
  const texts = (pages.get(page) ?? '').split(/^## /m).filter((text) => text.startsWith(section));
  return [...texts.join('').matchAll(/^\| `([^`]+)` \|/gm)].map(([, name = '']) => name);
}

test('the page of the configuration has each setting once, with its default and what overrides it', () => {
  const isDialect = (key: string) => key.startsWith('dialect.');
  expect(firstColumn('docs/configuration.md', 'Settings')).toEqual(settingKeys.filter((key) => !isDialect(key)));
  expect(firstColumn('docs/configuration.md', 'Your service')).toEqual(settingKeys.filter(isDialect));
  const rows = [...pages.values()].flatMap((text) => text.split('\n')).filter((line) => line.startsWith('| `'));
  for (const [key, { default: standard, variable, flag }] of Object.entries<ProfileSetting>(profileSettings)) {
    const row = rows.find((line) => line.startsWith(`| \`${key}\` |`)) ?? '';
    for (const name of [standard, variable, flag].filter(Boolean)) expect(row).toContain(`\`${name}\``);
  }
});

test('the page on scripting has each format, and each code of an error beside its exit status', () => {
  const text = pages.get('docs/scripting.md') ?? '';
  expect(firstColumn('docs/scripting.md', 'Output')).toEqual([...formats]);
  for (const [code, { exit }] of Object.entries(errorTable)) expect(text).toMatch(new RegExp(`^\\| ${exit} \\|.*\`${code}\``, 'm'));
});

test('the page on rosters has each option of an import, and each result of a line', () => {
  const codes = (section: string) => {
    const [, text = ''] =
      new RegExp(`^## ${section}$([\\s\\S]*?)(?=^## |(?![\\s\\S]))`, 'm').exec(pages.get('docs/rosters.md') ?? '') ?? [];
    return [...text.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) => [...cell.matchAll(/`([\w-]+)/g)].map(([, code = '']) => code));
  };
  expect(codes('All options').sort()).toEqual([...Object.keys(importing.flags ?? {}).map(flagName), '-F'].sort());
  expect(codes('Results').sort()).toEqual(resultWords.toSorted());
});

test('the table of states has each state of a step, and each reason', () => {
  expect(firstColumn('docs/runs.md', 'The states of a step')).toEqual([...Object.keys(states), ...Object.keys(reasons)]);
});

/** The prose of a page that was written by hand: no code, no tables. */
function prose(text: string): string {
  return text
    .replaceAll(/^```[\s\S]*?^```$/gm, '')
    .replaceAll(/^\|.*$/gm, '')
    .replaceAll(/`[^`]*`/g, 'X');
}

const avoided = /\b(go(es)? on with|gone on with|under way|nobody|somebody|whoever|mend(s|ed)?|leave away|left alone|leaves alone)\b/i;
const relative = /(?:^|[.:!] +|^- )(?:Who|What|Whoever|Whatever|Whom|Those who) [^?\n]*?[.\n]/m;

// The reference is generated from the help.
test.each([...pages].filter(([name]) => name !== 'docs/commands.md'))('%s has no word to avoid, no clause as subject', (_name, text) => {
  expect(avoided.exec(prose(text))?.[0]).toBe(undefined);
  expect(relative.exec(prose(text).replaceAll(/\n(?!\n|- |#)/g, ' '))?.[0]).toBe(undefined);
});
