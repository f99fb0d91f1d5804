/** The pipelines of docs/ci.md, run as printed, in a fresh checkout, with the files of a release. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { faultPlanOf } from '../../src/sandbox/faults/fault-plan.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { freshHome } from '../commands/embedded.ts';
import { pages, root } from '../docs/pages.ts';
import { type JobEnded, type Place, readWorkflow, runGitlabJob, runWorkflow } from '../support/pipelines.ts';
import { temporaryFolder } from '../support/run.ts';
import { filesOf, pinnedRelease } from './pinned-release.ts';
import { compiledCode } from './program.ts';

const { folder: release, executable, nodePackage, pin } = pinnedRelease();
const page = pages.get('docs/ci.md') ?? '';
const shown = filesOf('docs/ci.md');
const file = (name: string) => shown.get(name) ?? '';

/** A machine with Node, as the images of both systems are. */
const [node] = inject('command')[1] ? inject('command') : [process.execPath];

const rosters = {
  'rosters/6.csv': 'email,name\nada@example.org,Ada Example\ngrace@example.org,Grace Example\n',
  'rosters/7.csv': 'email,name\nada@example.org,Ada Example\n',
};

type Given = { files?: Record<string, string>; options?: string; token?: string };
type Job = 'import' | 'nightly';
type System = {
  /** The file of a release that the page installs there. */
  pinned: string;
  run(job: Job, place: Place): Promise<JobEnded>;
  /** What a person gives who starts an import by hand. */
  inputs(options: string): Record<string, string>;
};

const github = (change: (text: string) => string = (text) => text): Omit<System, 'pinned'> => ({
  run: (job, place) => runWorkflow(change(file(`.github/workflows/${job}.yml`)), place),
  inputs: (options) => ({ options }),
});
const gitlab = (change: (text: string) => string = (text) => text): Omit<System, 'pinned'> => ({
  run: (job, place) => runGitlabJob(change(file('.gitlab-ci.yml')), job, place),
  inputs: (options) => ({ IMPORT_OPTIONS: options }),
});
const npmInstall = /^ +- (npm install .*)\n/m;
const [, installed = ''] = npmInstall.exec(file('.gitlab-ci.yml')) ?? [];
const [, unpacked = ''] = /^```yaml\n((?: +- .*\n){2})```$/m.exec(page) ?? [];

const systems: Record<string, System> = {
  'GitHub Actions': { pinned: executable, ...github() },
  'GitHub Actions with the package': {
    pinned: nodePackage,
    ...github((text) => text.replace(/^( +)tar -xzf .*\n +echo .*$/m, `$1${installed}`)),
  },
  'GitLab CI': { pinned: nodePackage, ...gitlab() },
  'GitLab CI with the executable': { pinned: executable, ...gitlab((text) => text.replace(npmInstall, unpacked)) },
};

/** The service, and what the system keeps from one job to the next. */
async function world(system: System, fault = 'latency=1,delay=0ms,spread=0ms') {
  const faults = faultPlanOf({ faults: [fault] });
  const sandbox = await startSandbox({ folder: join(freshHome(), 'state', 'sandbox'), ...(faults && { faults }) });
  onTestFinished(() => sandbox.close());
  const caches: Place['caches'] = new Map();
  let runs = 0;

  /** A job on a new machine, in a fresh checkout. */
  async function run(job: Job, { files = rosters, options, token = sandbox.token }: Given = {}) {
    const folder = join(temporaryFolder(), 'rosters of a department');
    const config = file('ci/config.json').replace('https://proctor.example.org', `${sandbox.baseUrl}", "timeout": "1s`);
    const checkout = { ...Object.fromEntries(shown), 'ci/config.json': config, 'ci/proctor-cli.sha256': pin(system.pinned), ...files };
    for (const [name, text] of Object.entries(checkout)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const home = temporaryFolder();
    const path = [join(home, 'npm/bin'), dirname(node), process.env.PATH].join(delimiter);
    runs += 1;
    const ended = await system.run(job, {
      folder,
      env: { PATH: path, HOME: home, npm_config_prefix: join(home, 'npm'), ...compiledCode },
      variables: { PROCTOR_RELEASE: pathToFileURL(release).href },
      secrets: { PROCTOR_TOKEN: token },
      caches,
      run: runs,
      ...(options === undefined ? {} : { inputs: system.inputs(options) }),
    });
    expect(ended.log).not.toContain(token);
    return { ...ended, read: (name: string) => readFileSync(join(folder, name), 'utf8') };
  }

  /** How often the exam has a student with that address. */
  async function times(exam: number, email: string): Promise<number> {
    const headers = { authorization: `apiServiceToken ${sandbox.token}` };
    const answer = await fetch(`${sandbox.baseUrl}/exams/${exam}/student_sessions`, { headers });
    return ((await answer.json()) as { email: string }[]).filter((student) => student.email === email).length;
  }

  /** How often the exams have the students of the rosters. */
  const registered = async () => [
    await times(6, 'ada@example.org'),
    await times(6, 'grace@example.org'),
    await times(7, 'ada@example.org'),
  ];
  return { run, registered, caches, requests: () => sandbox.tally().requests };
}

describe.each(Object.entries(systems))('%s', (_name, system) => {
  test('imports each roster into its exam, and again nobody', async () => {
    const { run, registered } = await world(system);
    const first = await run('import');
    expect(first.status, first.log).toBe(0);
    expect(first.artifacts).toEqual(['out/6-rejects.csv', 'out/6.json', 'out/6.xml', 'out/7-rejects.csv', 'out/7.json', 'out/7.xml']);
    expect(await registered()).toEqual([1, 1, 1]);
    const again = await run('import');
    expect(again.status, again.log).toBe(0);
    expect(JSON.parse(again.read('out/6.json'))).toMatchObject({ created: 0, unchanged: 2, verified: true });
    expect(await registered()).toEqual([1, 1, 1]);
  });
});

describe.each(Object.entries(systems).filter(([name]) => !name.includes(' with ')))('%s', (_name, system) => {
  test('registers nobody twice where the state is lost', async () => {
    const { run, registered, caches } = await world(system);
    expect((await run('import')).status).toBe(0);
    caches.clear();
    expect((await run('import')).status).toBe(0);
    expect(await registered()).toEqual([1, 1, 1]);
  });

  test('resumes an import that failed, on another machine, with the options of a person', async () => {
    const { run, registered } = await world(system, 'lost-before=1,on=POST /exams/*/student_sessions,for=1');
    const first = await run('import');
    expect(first.status, first.log).toBe(9);
    expect(first.artifacts).toContain('out/6.json');
    expect(await registered()).toEqual([0, 1, 1]);
    expect((await run('import')).status).toBe(9);
    const resumed = await run('import', { options: '--resend-absent' });
    expect(resumed.status, resumed.log).toBe(0);
    expect(resumed.log).toContain('of the same command is unfinished; it is resumed.');
    expect(await registered()).toEqual([1, 1, 1]);
  });

  test('sends nothing of a roster with an invalid line, imports the others, and uploads why', async () => {
    const { run, registered } = await world(system);
    const files = { ...rosters, 'rosters/6.csv': 'email,name\nada@example.org,Ada Example\ngrace(at)example.org,Grace Example\n' };
    const { status, artifacts, read } = await run('import', { files });
    expect(status).toBe(3);
    expect(artifacts).toContain('out/6-rejects.csv');
    expect(read('out/6-rejects.csv')).toContain('grace(at)example.org,Grace Example,3,bad_address');
    expect(await registered()).toEqual([0, 0, 1]);
  });

  test('tries no other exam with a token that is refused', async () => {
    const { run, registered } = await world(system);
    const { status, log } = await run('import', { token: 'no-such-token' });
    expect(status).toBe(4);
    expect(log.match(/^error: /gm)).toHaveLength(1);
    expect(await registered()).toEqual([0, 0, 0]);
  });

  test('runs no file with another checksum', async () => {
    const { run, requests } = await world(system);
    const { status, log } = await run('import', {
      files: { ...rosters, 'ci/proctor-cli.sha256': `${'0'.repeat(64)}  ${system.pinned}\n` },
    });
    expect(status, log).not.toBe(0);
    expect(log).toContain(`${system.pinned}: FAILED`);
    expect(requests()).toBe(0);
  });

  test('checks the next exams each night, and lists the no-shows of the past ones', async () => {
    const { run } = await world(system);
    const { status, log, artifacts, read } = await run('nightly');
    expect(status, log).toBe(11);
    expect(artifacts).toEqual(['out/attendance.html', 'out/no-shows.csv', 'out/preflight.xml']);
    expect(read('out/preflight.xml')).toMatch(/<testcase name="proctors: pool".*<failure/);
    expect(read('out/no-shows.csv')).toMatch(/^exam,exam_name,id,email,.*\r\n(.*,(registered|mail_sent),.*\r\n)+$/);
  });
});

test('the token is for one step of a workflow', () => {
  for (const name of ['import', 'nightly']) {
    const text = file(`.github/workflows/${name}.yml`);
    expect(text.match(/secrets\./g)).toHaveLength(1);
    const { steps } = Object.values(readWorkflow(text).jobs)[0] ?? { steps: [] };
    expect(steps.filter(({ env }) => 'PROCTOR_TOKEN' in env).map(({ run }) => run)).toEqual([`sh ci/${name}.sh`]);
  }
});

test('what a person gives is no text of a shell that runs it', () => {
  // An expression in a line of the shell would be a program of whoever starts the job.
  for (const name of ['import', 'nightly']) {
    for (const { jobs } of [readWorkflow(file(`.github/workflows/${name}.yml`))])
      for (const { steps } of Object.values(jobs)) for (const { run = '' } of steps) expect(run).not.toContain('${{');
  }
});

test('takes the actions of the workflow of a release, each by the hash of a commit', () => {
  const ours = new Set(readFileSync(join(root, '.github/workflows/release.yml'), 'utf8').match(/actions\/.*$/gm));
  const uses = [...shown.values()].flatMap((text) => text.match(/(?<=uses: ).*$/gm) ?? []);
  expect(uses.length).toBeGreaterThan(5);
  for (const line of uses) {
    expect(line).toMatch(/^actions\/[\w/-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/);
    if (!line.startsWith('actions/cache/')) expect([...ours]).toContain(line);
  }
});
