/** The skill for agents: its head, its rules, and each of its lines, run in order by bash with the program as it ships. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { exitStatuses } from '../../src/exit-status.ts';
import { freshHome } from '../commands/embedded.ts';
import { pages } from '../docs/pages.ts';
import { type Ended, internals, shell } from './program.ts';

const text = pages.get('SKILL.md') ?? '';
const lines = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) => block.trimEnd().split('\n'));
const commands = lines.filter((line) => !line.startsWith('export '));

/** What a line is said to end with. */
function statusOf(line: string): number {
  return Number(/# status (\d+)/.exec(line)?.[1] ?? 0);
}

const wordsOf = (line: string) => line.replace(/\s+[>|#].*$/, '');

describe('the skill', () => {
  test('has a head as agents read it, and at most 120 lines', () => {
    const [, head = ''] = /^---\n([\s\S]*?)^---$/m.exec(text) ?? [];
    const { name, description, ...more } = parse(head);
    expect([name, more]).toEqual(['proctor-cli', {}]);
    expect(description.length).toBeGreaterThan(100);
    expect(description.length).toBeLessThanOrEqual(1024);
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(120);
  });

  test('has each exit status', () => {
    const listed = [...text.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(([, statuses = '']) => statuses.split(', ').map(Number));
    expect(listed).toEqual(Object.keys(exitStatuses).map(Number));
  });

  test('shows each line with --yes after its dry run, and no other line that writes', () => {
    const writes = commands.filter((line) => /--yes|exams update/.test(line) && !line.includes('--dry-run') && statusOf(line) === 0);
    expect(writes.length).toBeGreaterThan(4);
    for (const line of writes.filter((each) => !each.includes('sandbox reset'))) {
      const dry = `${wordsOf(line)
        .replace(/ --during-exam "[^"]*"/, '')
        .replace(' --yes', '')
        .replace(/ -o json$/, '')} --dry-run`;
      const before = commands.slice(0, commands.indexOf(line));
      expect(before.map(wordsOf), line).toContainEqual(expect.stringContaining(dry));
    }
  });

  test('names no token, no secret and no way to print one in its lines', () => {
    expect(lines.join('\n')).not.toMatch(/PROCTOR_TOKEN|auth token|auth login|--show-secrets|config\.json/);
  });
});

describe('each line', () => {
  const ended = new Map<string, Ended>();

  beforeAll(async () => {
    const home = freshHome();
    writeFileSync(join(home, 'roster.csv'), 'email,name\nada@example.org,Ada Example\ngrace@example.org,Grace Example\n');
    const exports = lines.filter((line) => line.startsWith('export ')).join('\n');
    const env = { PROCTOR_STATE_DIR: join(home, 'state'), PROCTOR_CONFIG_DIR: join(home, 'config') };
    for (const line of commands) {
      const script = `proctor-cli() { proctor "$@"; }\nset -o pipefail\ncd '${home}'\n${exports}\n${line}`;
      ended.set(line, await shell(script, { home, env }));
    }
  }, 120_000);

  test.each(commands)('%s', (line) => {
    const { code, stdout, stderr } = ended.get(line) as Ended;
    expect(code, stderr).toBe(statusOf(line));
    expect(stderr).not.toMatch(internals);
    if (statusOf(line) !== 0) expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error.exit).toBe(statusOf(line));
    else if (line.includes('-o json') && !line.includes('>')) expect(() => JSON.parse(stdout)).not.toThrow();
  });

  test('does what the page says: a plan of two students, who are then created and verified', () => {
    expect(ended.get(commands.find((line) => line.startsWith('jq -c')) ?? '')?.stdout).toBe('{"create":2}\n');
    const result = JSON.parse(ended.get(commands.find((line) => line.includes('verified')) ?? '')?.stdout ?? '');
    expect(result).toEqual({ created: 2, rejected: 0, unknown: 0, verified: true });
  });
});
