/** The docs: short where they promise it, links that lead somewhere, and command lines that can be typed. */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { topics } from '../../src/cli/help/topics/index.ts';
import { lineStates } from '../../src/model/line-states.ts';
import { stepStateNames } from '../../src/runs/step-states.ts';
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

test('the README has at most 120 lines', () => {
  expect(pages.get('README.md')?.trimEnd().split('\n').length).toBeLessThanOrEqual(120);
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

  // The lines of the reference are those of the help.
  test.skipIf(name === 'docs/commands.md')('has command lines that can be typed', async () => {
    const lines = commandLinesIn(
      text
        .replaceAll('\\\n', ' ')
        .replaceAll(/ +# .*$/gm, '')
        // Options that a person may give, or none.
        .replaceAll(/ \$[A-Z_]+(?= )/g, ''),
    );
    const problems = await Promise.all(lines.map(problemOf));
    expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
  });
});

test('CONTRIBUTING and the decisions name files that exist', () => {
  const named = [...pages]
    .filter(([name]) => name === 'CONTRIBUTING.md' || name.startsWith('docs/decisions/'))
    .flatMap(([, text]) =>
      [...text.matchAll(/(?:`| )((?:src|test|scripts|bin|man|completions)\/[\w./*-]*)/g)].map(([, file = '']) => file),
    );
  expect(named.length).toBeGreaterThan(60);
  expect(named.filter((file) => globSync(file.replace(/[.]$/, ''), { cwd: root }).length === 0)).toEqual([]);
});

test('CONTRIBUTING shows every module of the architecture', () => {
  const architecture = /^## Architecture$([\s\S]*?)^## /m.exec(pages.get('CONTRIBUTING.md') ?? '')?.[1] ?? '';
  const modules = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(modules.map(({ name }) => name).filter((name) => !architecture.includes(`\`src/${name}/\``))).toEqual([]);
});

test('CONTRIBUTING shows each state of a step', () => {
  const [, life = ''] = /^### The life of a step$([\s\S]*?)^## /m.exec(pages.get('CONTRIBUTING.md') ?? '') ?? [];
  const [, diagram = ''] = /^```text$([\s\S]*?)^```$/m.exec(life) ?? [];
  expect(stepStateNames.filter((name) => !new RegExp(`\\b${name}\\b`).test(diagram))).toEqual([]);
});

test('each decision says context, decision and consequence', () => {
  const decisions = [...pages].filter(([name]) => name.startsWith('docs/decisions/'));
  expect(decisions.length).toBeGreaterThan(10);
  for (const [name, text] of decisions) {
    const [, ...sections] = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
    expect(sections, name).toEqual(['Context', 'Decision', 'Consequence']);
  }
});

test('the way of a line leads to each state that a line can end in, and to no other', () => {
  const [, diagram = ''] = /^```text\n([\s\S]*?)^```$/m.exec(pages.get('docs/import.md') ?? '') ?? [];
  const ends = [...diagram.matchAll(/► (\w+(?:, \w+)*)/g)].flatMap(([, names = '']) => names.split(', '));
  expect(ends.sort()).toEqual(Object.keys(lineStates).sort());
});

test('each topic of the help has one place in the pages', () => {
  const all = [...pages.values()].join('\n');
  for (const { name } of topics) {
    const places = [...all.matchAll(new RegExp(`^(<!-- help ${name}: generated -->|## help ${name})$`, 'gm'))];
    expect(places.length, name).toBe(1);
  }
});

/** The prose of a page that was written by hand: no code, no tables, nothing generated. */
function prose(text: string): string {
  return text
    .replaceAll(/^```[\s\S]*?^```$/gm, '')
    .replaceAll(/<!-- [\w -]+: generated -->[\s\S]*?<!-- end -->/g, '')
    .replaceAll(/^\|.*$/gm, '')
    .replaceAll(/`[^`]*`/g, 'X');
}

describe('plain words', () => {
  const avoided = /\b(go(es)? on with|gone on with|under way|nobody|somebody|whoever|mend(s|ed)?|leave away|left alone|leaves alone)\b/i;
  const relative = /(?:^|[.:!] +|^- )(?:Who|What|Whoever|Whatever|Whom|Those who) [^?\n]*?[.\n]/m;

  // The reference is generated from the help.
  test.each([...pages].filter(([name]) => name !== 'docs/commands.md'))(
    '%s has none of the words to avoid, and no clause as a subject',
    (_name, text) => {
      expect(avoided.exec(prose(text))?.[0]).toBe(undefined);
      expect(relative.exec(prose(text).replaceAll(/\n(?!\n|- |#)/g, ' '))?.[0]).toBe(undefined);
    },
  );

  test('would be missed', () => {
    expect(prose('Who has finished is left alone.')).toMatch(relative);
    expect(prose('A.\n```\nnobody\n```\nB nobody.')).toMatch(avoided);
  });
});

test('CI runs the suite once, by the command of the README', () => {
  const [, command = ''] = /^(npm .*\S) +# the tests$/m.exec(pages.get('README.md') ?? '') ?? [];
  const script = readFileSync(join(root, '.ci/run'), 'utf8');
  expect(command).toBe('npm ci && npm test');
  expect(script).toContain(`\n(${command})`);
  expect(script.match(/npm test|npx vitest run$/gm)).toEqual(['npm test']);
});
