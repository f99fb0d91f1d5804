/** The topics of the help: true, complete, and short enough to be read. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exitStatuses } from '../../src/cli/help/topics/exit-status-topic.ts';
import { topics } from '../../src/cli/help/topics/index.ts';
import { times } from '../../src/cli/help/topics/times-topic.ts';
import { errorTable } from '../../src/errors.ts';
import { fromStart, parseTime } from '../../src/model/time.ts';
import { run } from '../support/run.ts';

async function help(topic: string, world = {}): Promise<string> {
  const { code, stdout, stderr } = await run(['help', topic], world);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

describe.each(topics.map(({ name, summary }) => ({ name, summary })))('help $name', ({ name, summary }) => {
  test('is listed with its summary', async () => {
    expect((await run(['--help'])).stdout).toMatch(new RegExp(`^  ${name} +${summary}$`, 'm'));
  });

  test.each([20, 60, 80, 100, 300])('fits a terminal of %i columns, or the narrowest that it is laid out for', async (columns) => {
    const text = await help(name, { tty: true, columns });
    const limit = Math.max(40, Math.min(columns, 100));
    // A word of its own on a line cannot be shortened; an example is one line, so that it can be copied.
    const long = text.split('\n').filter((line) => line.length > limit && /\S\s+\S/.test(line.trim()) && !line.startsWith('  $ '));
    expect(long).toEqual([]);
    expect(text).not.toMatch(/ $|undefined|\[object/m);
  });
});

test('help environment names every variable that the sources read', async () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const named = files.flatMap((file) => {
    const text = readFileSync(join('src', file), 'utf8');
    const read = text.matchAll(/\benv(?:\.|\[')([A-Za-z_]+)/g);
    const destructured = [...text.matchAll(/\{([^{}]*)\} = (?:\w+\.)*env;/g)].flatMap(
      ([, names = '']) => names.match(/\b[A-Z][A-Z_]+\b/g) ?? [],
    );
    const quoted = text.matchAll(/'((?:PROCTOR|XDG|CI)_[A-Z_]+|(?:LOCAL)?APPDATA)'/g);
    return [...[...read, ...quoted].map(([, name = '']) => name), ...destructured];
  });
  const variables = new Set(named.filter((name) => name !== 'incoming'));
  expect(variables.size).toBeGreaterThan(20);
  const text = await help('environment');
  for (const name of variables) expect(text, name).toMatch(new RegExp(`\\b${name}\\b`));
});

test('help exit-status explains every status and every code', async () => {
  const text = await help('exit-status');
  for (const [code, { exit }] of Object.entries(errorTable)) {
    expect(text).toMatch(new RegExp(`^  ${exit} +\\S`, 'm'));
    expect(text).toMatch(new RegExp(`\\b${code}\\b`));
    expect(Object.keys(exitStatuses)).toContain(String(exit));
  }
  expect(Object.keys(exitStatuses).map(Number)).toEqual(
    [...new Set([0, ...Object.values(errorTable).map(({ exit }) => exit)])].sort((a, b) => a - b),
  );
});

describe('help times tells the truth', () => {
  const terms = (title: string) => (times.sections.find((section) => section.title === title)?.terms ?? []).map(([term]) => term);
  const inVienna = { now: () => Date.parse('2027-01-01T00:00:00Z'), zone: 'Europe/Vienna' };

  test.each(terms('Accepted'))('%s is read', (text) => {
    expect(parseTime(text, inVienna)).toBeTypeOf('number');
  });

  test.each(terms('For an end (--end, --close-time)'))('%s is read with the start', (text) => {
    const start = Date.parse('2027-02-01T08:00:00Z');
    expect(parseTime(fromStart(text, start, 'Europe/Vienna'), inVienna)).toBe(start + 2 * 3_600_000);
  });

  test.each(terms('Refused'))('%s is not', (text) => {
    expect(() => parseTime(text, inVienna)).toThrow();
  });
});
