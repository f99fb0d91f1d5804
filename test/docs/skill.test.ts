/** The skill for agents: its head, its rules, and each of its lines, run in order on one embedded service. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { exitStatuses } from '../../src/cli/help/pages.ts';
import { freshHome, wordsOf } from '../commands/embedded.ts';
import { run } from '../support/run.ts';
import { pages } from './pages.ts';

const text = pages.get('SKILL.md') ?? '';
const lines = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) => block.trimEnd().split('\n'));
const commands = lines.filter((line) => !line.startsWith('export '));
const exported = lines.flatMap((line) => [...line.matchAll(/^export (\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]));

/** What a line is said to end with. */
function statusOf(line: string): number {
  return Number(/# status (\d+)/.exec(line)?.[1] ?? 0);
}

/** The program's own part of a line. */
const ownPart = (line: string) => line.replace(/\s+[>|#].*$/, '');

type Ended = { code: number; stdout: string; stderr: string };

/** A line of the program, in process, or of jq; what it prints goes where the line has it go. */
async function typed(line: string, home: string): Promise<Ended> {
  const plain = line.replace(/\s+#.*$/, '');
  const byShell = (script: string, input = '') => execFileSync('bash', ['-c', script], { cwd: home, input, encoding: 'utf8' });
  if (!plain.startsWith('proctor-cli ')) return { code: 0, stdout: byShell(plain), stderr: '' };
  const [, before = '', rest = ''] = /^(.*?)((?: [>|] .*)?)$/.exec(plain) ?? [];
  const words = wordsOf(before).slice(1);
  const argv = words.map((word) => (word === 'roster.csv' ? join(home, word) : word));
  const ended = await run(argv, { home, env: Object.fromEntries(exported) });
  return rest === '' ? ended : { ...ended, stdout: byShell(`cat ${rest}`, ended.stdout) };
}

describe('the skill', () => {
  test('has a head as agents read it, and at most 120 lines', () => {
    const [, head = ''] = /^---\n([\s\S]*?)^---$/m.exec(text) ?? [];
    expect(head).toMatch(/^name: proctor-cli\ndescription: [^:#\n]{100,1024}\n$/);
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
});

describe('each line', () => {
  const ended = new Map<string, Ended>();

  beforeAll(async () => {
    const home = freshHome();
    writeFileSync(join(home, 'roster.csv'), 'email,name\nada@example.org,Ada Example\ngrace@example.org,Grace Example\n');
    for (const line of commands) ended.set(line, await typed(line, home));
  });

  test.each(commands)('%s', (line) => {
    const { code, stdout, stderr } = ended.get(line) as Ended;
    expect(code, stderr).toBe(statusOf(line));
    if (statusOf(line) !== 0) expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error.exit).toBe(statusOf(line));
    else if (line.includes('-o json') && !line.includes('>')) expect(() => JSON.parse(stdout)).not.toThrow();
  });

  test('does what the page says: a plan of two students, who are then created', () => {
    expect(ended.get(commands.find((line) => line.startsWith('jq -c')) ?? '')?.stdout).toBe('{"create":2}\n');
    const result = JSON.parse(
      ended.get(commands.find((line) => line.includes('result.json') && line.startsWith('jq')) ?? '')?.stdout ?? '',
    );
    expect(result).toEqual({ created: 2, rejected: 0, unknown: 0 });
  });
});
