/** The script and the jobs of docs/ci.md, as printed: their shell is run as a job would, for several jobs of one repository. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { embedded } from '../commands/embedded.ts';
import { pages, root } from '../docs/pages.ts';
import { temporaryFolder } from '../support/run.ts';
import { ended, installInto, start } from './program.ts';

const page = pages.get('docs/ci.md') ?? '';
const [, script = ''] = /^```sh ci\/import\.sh\n([\s\S]*?)^```$/m.exec(page) ?? [];
const [, workflow = ''] = /^```yaml \.github\/workflows\/import\.yml\n([\s\S]*?)^```$/m.exec(page) ?? [];
const [, pipeline = ''] = /^```yaml \.gitlab-ci\.yml\n([\s\S]*?)^```$/m.exec(page) ?? [];

const header = 'E-Mail;Nachname;Vorname;Anmeldestatus;Semester\n';
const ada = 'ada@example.org;Example;Ada;angemeldet;3\n';
const rosters = {
  '6.csv': `${header}${ada}grace@example.org;Example;Grace;angemeldet;5\neve@example.org;Example;Eve;abgemeldet;5\n`,
  '7.csv': `${header}${ada}`,
};

/** A repository, a machine, and the service. */
async function world() {
  const service = embedded();
  const { env: way } = await service.under([]);
  const [tools, checkout] = [temporaryFolder(), join(temporaryFolder(), 'rosters of a department')];
  installInto(tools);
  mkdirSync(join(checkout, 'rosters'), { recursive: true });
  const state = join(checkout, '.proctor');

  /** A job that runs the script. */
  async function imports({ files = rosters, mode = '--yes', token = way.PROCTOR_TOKEN } = {}) {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(checkout, 'rosters', name), text);
    const env = {
      ...{ PATH: [tools, process.env.PATH].join(delimiter), CI: 'true' },
      ...{ ...way, PROCTOR_TOKEN: token, PROCTOR_STATE_DIR: state },
    };
    const { code, stderr } = await ended(
      start('sh', ['-c', `cd '${checkout}'\n${script}`, 'ci/import.sh', ...mode.split(' ')], { home: temporaryFolder(), env }),
    );
    expect(stderr).not.toContain(token);
    return { code, stderr, out: (name: string) => readFileSync(join(checkout, 'out', name), 'utf8') };
  }

  /** How often the exams have the students of the rosters. */
  function registered(): number[] {
    const times = (exam: number, name: string) =>
      service.store((kept) => kept.list('student_sessions', exam).filter(({ data }) => data.email === `${name}@example.org`).length);
    return [times(6, 'ada'), times(6, 'grace'), times(7, 'ada')];
  }
  return { imports, registered, loseState: () => rmSync(state, { recursive: true }) };
}

/** The numbers of an import. */
const counts = (text: string) => JSON.parse(text).counts;

test('imports each roster into its exam, and again nobody, also where the state is lost; the night compares', async () => {
  const { imports, registered, loseState } = await world();
  expect((await imports({ mode: '--check' })).code).toBe(11);
  expect(registered()).toEqual([0, 0, 0]);
  const first = await imports();
  expect(first.code, first.stderr).toBe(0);
  expect(registered()).toEqual([1, 1, 1]);
  const again = await imports();
  expect(again.code, again.stderr).toBe(0);
  expect(counts(again.out('6.json'))).toMatchObject({ created: 0, unchanged: 2, left_out: 1 });
  loseState();
  expect((await imports()).code).toBe(0);
  expect((await imports({ mode: '--check --accept extra' })).code).toBe(0);
  expect(registered()).toEqual([1, 1, 1]);
});

test('imports the valid lines, and keeps the others with the reason; a column that nobody declared stops its roster only', async () => {
  const { imports, registered } = await world();
  const files = { '6.csv': `${header}${ada}grace@example;Example;Grace;angemeldet;5\n`, '7.csv': `Gruppe;${header}A;${ada}` };
  const { code, stderr, out } = await imports({ files });
  expect([code, stderr]).toEqual([3, expect.stringContaining('Gruppe')]);
  expect(out('6.rejects.csv')).toMatch(/grace@example;.*the domain contains no dot/);
  expect(registered()).toEqual([1, 0, 0]);
});

test('tries no other exam with a token that is refused', async () => {
  const { imports, registered } = await world();
  const { code, stderr } = await imports({ token: 'no-such-token' });
  expect([code, stderr.match(/"error"/g)]).toEqual([4, ['"error"']]);
  expect(registered()).toEqual([0, 0, 0]);
});

/** The lines of the shell that install the program, and the file in which a job finds the folders of its PATH. */
const installs = {
  GitHub: /- name: Install\n[\s\S]*? run: \|\n((?: {10}.*\n)+)/.exec(workflow)?.[1] ?? '',
  GitLab: [...(/before_script:\n((?: {4}- .*\n)+)/.exec(pipeline)?.[1] ?? '').matchAll(/^ {4}- (?!apt-get)(.*)$/gm)]
    .map(([, line]) => line)
    .join('\n'),
};

test.each(Object.entries(installs))('the job of %s installs no file with another checksum', (_name, install) => {
  const [release, checkout, extracted] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  const name = 'proctor-cli-1.2.3-linux-x64';
  const archive = join(release, `${name}.tar.gz`);
  mkdirSync(join(extracted, name));
  execFileSync('tar', ['-czf', archive, '-C', extracted, name]);
  mkdirSync(join(checkout, 'ci'));
  const sum = (of: Buffer) => `${createHash('sha256').update(of).digest('hex')}  ${name}.tar.gz\n`;
  const paths = join(checkout, 'paths');
  const url = pathToFileURL(release).href;
  const env = { PATH: process.env.PATH, RELEASE: url, PROCTOR_RELEASE: url, GITHUB_PATH: paths };
  const runs = (pin: string) => {
    writeFileSync(join(checkout, 'ci', 'proctor-cli.sha256'), pin);
    execFileSync('bash', ['-ec', `${install}\necho "$PATH" >> "$GITHUB_PATH"`], { cwd: checkout, env, stdio: 'pipe' });
  };
  expect(() => runs(sum(Buffer.from('another')))).toThrow(/NOT match/);
  runs(sum(readFileSync(archive)));
  expect(readFileSync(paths, 'utf8')).toContain(join(checkout, name));
});

test('the workflow gives the token to one step, and no expression to a line of a shell', () => {
  expect(workflow.match(/secrets\./g)).toHaveLength(1);
  expect(workflow).toMatch(/PROCTOR_TOKEN: \$\{\{ secrets\.PROCTOR_TOKEN \}\}\n +MODE: .*\n +run: sh ci\/import\.sh "\$MODE"\n/);
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
