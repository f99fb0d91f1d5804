/** The skill for agents: its head and its rules; its lines are run with those of the other pages. */
import { expect, test } from 'vitest';
import { exitStatuses } from '../../src/cli/help/pages.ts';
import { pages } from './pages.ts';

const text = pages.get('SKILL.md') ?? '';
const lines = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) => block.trimEnd().split('\n'));
const commands = lines.filter((line) => !line.startsWith('export '));

/** The program's own part of a line. */
const ownPart = (line: string) => line.replace(/\s+[>|#].*$/, '');

test('the skill has a head as agents read it, and at most 120 lines', () => {
  const [, head = ''] = /^---\n([\s\S]*?)^---$/m.exec(text) ?? [];
  expect(head).toMatch(/^name: proctor-cli\ndescription: [^:#\n]{100,1024}\n$/);
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(120);
});

test('has each exit status', () => {
  const listed = [...text.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(([, statuses = '']) => statuses.split(', ').map(Number));
  expect(listed).toEqual(Object.keys(exitStatuses).map(Number));
});

test('shows each line with --yes after its dry run, and no other line that writes', () => {
  const writes = commands.filter((line) => /--yes|exams update/.test(line) && !line.includes('--dry-run') && !line.includes('# status'));
  expect(writes.length).toBeGreaterThan(4);
  for (const line of writes.filter((each) => !each.includes('sandbox reset'))) {
    const dry = `${ownPart(line)
      .replace(/ --during-exam "[^"]*"/, '')
      .replace(' --yes', '')
      .replace(/ -o json$/, '')} --dry-run`;
    const before = commands.slice(0, commands.indexOf(line));
    expect(before.map(ownPart), line).toContainEqual(expect.stringContaining(dry));
  }
});

test('names no token, no secret and no way to print one in its lines', () => {
  expect(lines.join('\n')).not.toMatch(/PROCTOR_TOKEN|auth token|auth login|--show-secrets|config\.json/);
});
