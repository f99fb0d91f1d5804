/** The script and the workflow of docs/ci.md, as printed: the script is run by sh, as a job would, for several jobs of one repository. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { type Fault, withFaults } from '../../src/sandbox/faults.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { between, freshHome } from '../commands/embedded.ts';
import { pages, root } from '../docs/pages.ts';
import { temporaryFolder } from '../support/run.ts';
import { ended, installInto, start } from './program.ts';

const page = pages.get('docs/ci.md') ?? '';
const [, script = ''] = /^```sh ci\/import\.sh\n([\s\S]*?)^```$/m.exec(page) ?? [];
const [, workflow = ''] = /^```yaml \.github\/workflows\/import\.yml\n([\s\S]*?)^```$/m.exec(page) ?? [];

const ada = 'ada@example.org,Ada Example\n';
const rosters = { '6.csv': `email,name\n${ada}grace@example.org,Grace Example\n`, '7.csv': `email,name\n${ada}` };

/** A repository, a machine, and the service. */
async function world(faults: readonly Fault[] = []) {
  const inFront = withFaults({ faults, told() {}, async sleep() {} });
  const sandbox = await startSandbox({ folder: join(freshHome(), 'state', 'sandbox'), inFront });
  onTestFinished(() => sandbox.close());
  const [tools, checkout] = [temporaryFolder(), join(temporaryFolder(), 'rosters of a department')];
  installInto(tools);
  mkdirSync(join(checkout, 'rosters'), { recursive: true });
  const state = join(checkout, '.proctor');

  /** A job that runs the script. */
  async function imports({ files = rosters, options = '', token = sandbox.token } = {}) {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(checkout, 'rosters', name), text);
    const env = {
      ...{ PATH: [tools, process.env.PATH].join(delimiter), CI: 'true', IMPORT_OPTIONS: options },
      ...{ PROCTOR_BASE_URL: sandbox.baseUrl, PROCTOR_TOKEN: token, PROCTOR_STATE_DIR: state },
    };
    const { code, stderr } = await ended(start('sh', ['-c', `cd '${checkout}'\n${script}`], { home: temporaryFolder(), env }));
    expect(stderr).not.toContain(token);
    return { code, stderr, result: (exam: number) => JSON.parse(readFileSync(join(checkout, 'out', `${exam}.json`), 'utf8')) };
  }

  /** How often the exams have the students of the rosters. */
  async function registered(): Promise<number[]> {
    const students = [
      [6, 'ada@example.org'],
      [6, 'grace@example.org'],
      [7, 'ada@example.org'],
    ] as const;
    const times = students.map(async ([exam, email]) => {
      const headers = { authorization: `apiServiceToken ${sandbox.token}` };
      const answer = await fetch(`${sandbox.baseUrl}/exams/${exam}/student_sessions`, { headers });
      return ((await answer.json()) as { email: string }[]).filter((student) => student.email === email).length;
    });
    return Promise.all(times);
  }
  return { imports, registered, loseState: () => rmSync(state, { recursive: true }) };
}

test('imports each roster into its exam, and again nobody, also where the state is lost', async () => {
  const { imports, registered, loseState } = await world();
  const first = await imports();
  expect(first.code, first.stderr).toBe(0);
  expect(await registered()).toEqual([1, 1, 1]);
  const again = await imports();
  expect(again.code, again.stderr).toBe(0);
  expect(again.result(6)).toMatchObject({ counts: { created: 0, unchanged: 2 } });
  loseState();
  expect((await imports()).code).toBe(0);
  expect(await registered()).toEqual([1, 1, 1]);
});

test('the next job does what an import has left, and takes the options of a person', async () => {
  const { imports, registered } = await world([between('lost-before', 1, 1, 'POST')]);
  // It is proven after ten seconds that the student is not there.
  const options = '--timeout 2s --update';
  const first = await imports({ options });
  expect(first.code, first.stderr).toBe(9);
  expect(first.result(6).counts).toMatchObject({ created: 1, absent: 1 });
  expect(await registered()).toEqual([0, 1, 1]);
  const next = await imports({ options });
  expect(next.code, next.stderr).toBe(0);
  expect(next.result(6).counts).toMatchObject({ created: 1, unchanged: 1 });
  expect(await registered()).toEqual([1, 1, 1]);
});

test('sends nothing of a roster with an invalid line, says why in its log, and imports the others', async () => {
  const { imports, registered } = await world();
  const { code, stderr } = await imports({ files: { ...rosters, '6.csv': `email,name\n${ada}grace(at)example.org,Grace Example\n` } });
  expect([code, stderr]).toEqual([3, expect.stringContaining('grace(at)example.org')]);
  expect(await registered()).toEqual([0, 0, 1]);
});

test('tries no other exam with a token that is refused', async () => {
  const { imports, registered } = await world();
  const { code, stderr } = await imports({ token: 'no-such-token' });
  expect([code, stderr.match(/"error"/g)]).toEqual([4, ['"error"']]);
  expect(await registered()).toEqual([0, 0, 0]);
});

test('the workflow installs no file with another checksum', () => {
  const [, install = ''] = /- name: Install\n[\s\S]*? run: \|\n((?: {10}.*\n)+)/.exec(workflow) ?? [];
  const [release, checkout, extracted] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  const name = 'proctor-cli-1.2.3-linux-x64';
  const archive = join(release, `${name}.tar.gz`);
  mkdirSync(join(extracted, name));
  execFileSync('tar', ['-czf', archive, '-C', extracted, name]);
  mkdirSync(join(checkout, 'ci'));
  const sum = (of: Buffer) => `${createHash('sha256').update(of).digest('hex')}  ${name}.tar.gz\n`;
  const paths = join(checkout, 'paths');
  const env = { PATH: process.env.PATH, RELEASE: pathToFileURL(release).href, GITHUB_PATH: paths };
  const runs = (pin: string) => {
    writeFileSync(join(checkout, 'ci', 'proctor-cli.sha256'), pin);
    execFileSync('bash', ['-ec', install], { cwd: checkout, env, stdio: 'pipe' });
  };
  expect(() => runs(sum(Buffer.from('another')))).toThrow(/NOT match/);
  runs(sum(readFileSync(archive)));
  expect(readFileSync(paths, 'utf8')).toBe(`${join(checkout, name)}\n`);
});

test('the workflow gives the token to one step, and what a person gives to no line of a shell', () => {
  expect(workflow.match(/secrets\./g)).toHaveLength(1);
  expect(workflow).toMatch(/PROCTOR_TOKEN: \$\{\{ secrets\.PROCTOR_TOKEN \}\}\n +IMPORT_OPTIONS: .*\n +run: sh ci\/import\.sh\n/);
  // An expression in a line of the shell would be a program of whoever starts the job.
  for (const [, line = ''] of workflow.matchAll(/^ +(?:- )?run: (.*(?:\n {10}.*)*)/gm)) expect(line).not.toContain('${{');
});

test('the workflow names each action by the hash of a commit, as the workflow of a release does', () => {
  const ours = new Set(readFileSync(join(root, '.github/workflows/release.yml'), 'utf8').match(/actions\/.*$/gm));
  const uses = workflow.match(/(?<=uses: ).*$/gm) ?? [];
  expect(uses).toHaveLength(4);
  for (const line of uses) {
    expect(line).toMatch(/^actions\/[\w/-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/);
    if (!line.startsWith('actions/cache/')) expect([...ours]).toContain(line);
  }
});
