/** The workflow of a release, which runs on GitHub alone: what can be known of it here. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import { root } from '../docs/pages.ts';

type Step = { uses?: string; run?: string; shell?: string; with?: Record<string, unknown> };
type Job = { needs?: string | string[]; permissions?: Record<string, string>; environment?: string; steps: Step[] };
type Workflow = { on: unknown; permissions: Record<string, string>; jobs: Record<string, Job> };

const folder = join(root, '.github/workflows');
const texts = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const);
const release = parse(readFileSync(join(folder, 'release.yml'), 'utf8')) as Workflow;
const steps = Object.values(release.jobs).flatMap((job) => job.steps);
const lines = steps.flatMap(({ run }) => (run ? [run] : []));

describe.each(texts)('%s', (_name, text) => {
  test('takes each action by the hash of a commit, with its version beside it', () => {
    const uses = text.match(/^.*\buses:.*$/gm) ?? [];
    expect(uses.length).toBeGreaterThan(0);
    for (const line of uses) expect(line).toMatch(/^ +- uses: [\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/);
    // One hash for each action: an update changes all places.
    const pins = new Set(uses.map((line) => line.replace(/^.*uses: /, '')));
    expect(new Set([...pins].map((pin) => pin.split('@')[0])).size).toBe(pins.size);
  });

  test('may only read where no job asks for more, and says there what for', () => {
    const workflow = parse(text) as Workflow;
    expect(workflow.permissions).toEqual({ contents: 'read' });
    for (const line of text.match(/^.*: write.*$/gm) ?? []) expect(line).toMatch(/^ {6}[\w-]+: write # \w/);
    expect(text).not.toMatch(/secrets\.|write-all|pull_request_target/);
  });
});

test('each script that it runs exists', () => {
  const named = lines.flatMap((line) => [...line.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name));
  expect(named).not.toEqual([]);
  for (const name of named) expect(Object.keys(manifest.scripts)).toContain(name);
  const files = lines.flatMap((line) => [...line.matchAll(/\bnode (scripts\S+)/g)].map(([, file = '']) => file));
  expect(files).not.toEqual([]);
  for (const file of files) expect(existsSync(join(root, file)), file).toBe(true);
});

test('its lines are ones that bash can read', () => {
  for (const line of [...lines, readFileSync(join(root, '.ci/run'), 'utf8')]) {
    const { status, stderr } = spawnSync('bash', ['-n'], { input: line.replaceAll(/\$\{\{.*?\}\}/g, 'value'), encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  }
});

test('publishes only what was checked, built and tried, in that order', () => {
  expect(Object.entries(release.jobs).map(([name, { needs }]) => [name, needs])).toEqual([
    ['checks', undefined],
    ['package', 'checks'],
    ['executable', 'checks'],
    ['draft', ['package', 'executable']],
    ['npm', 'draft'],
  ]);
  const runOf = (job: string) => release.jobs[job]?.steps.map(({ run = '' }) => run).join('\n') ?? '';
  expect(runOf('checks')).toMatch(/release:ready[\s\S]*\.ci\/run/);
  for (const job of ['checks', 'package', 'executable', 'draft']) expect(runOf(job)).not.toContain('npm publish');
  expect(runOf('npm')).toMatch(/npm publish .*--provenance/);
  expect(runOf('draft')).toMatch(/gh release create .*--draft/);
  // Nothing is made after the checksums, which are attested.
  const order = release.jobs.draft?.steps.flatMap(
    ({ uses = '', run = '' }) => /checksums|manifests|attest|gh release/.exec(uses + run) ?? [],
  );
  expect(order).toEqual(['checksums', 'manifests', 'attest', 'gh release']);
  expect(runOf('draft')).not.toMatch(/\b(tar|zip|cp|mv)\b/);
});

test('only the jobs that publish may write, each what it writes', () => {
  expect(Object.fromEntries(Object.entries(release.jobs).map(([name, { permissions }]) => [name, permissions]))).toEqual({
    checks: undefined,
    package: undefined,
    executable: undefined,
    draft: { contents: 'write', 'id-token': 'write', attestations: 'write' },
    npm: { contents: 'read', 'id-token': 'write' },
  });
});

test('runs no package of npm where it may write or sign', () => {
  const privileged = Object.values(release.jobs).filter(({ permissions }) => permissions !== undefined);
  expect(privileged).toHaveLength(2);
  const theirs = privileged.flatMap((job) => job.steps).flatMap(({ run }) => run ?? []);
  for (const line of theirs) expect(line).not.toMatch(/\bnpm (ci|install|run|exec)\b|\bnpx\b/);
});

test('takes nothing from the event into a line of the shell but what the workflow itself states', () => {
  for (const line of lines) {
    for (const [, expression = ''] of line.matchAll(/\$\{\{ (.*?) \}\}/g)) expect(expression).toMatch(/^matrix\.(parts|platform)$/);
  }
});

test('.ci/run can be run', () => {
  const [mode] = execFileSync('git', ['ls-files', '--stage', '.ci/run'], { cwd: root, encoding: 'utf8' }).split(' ');
  expect(mode).toBe('100755');
});
