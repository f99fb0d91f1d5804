/** The pipelines of docs/period.md, run as printed: the plan as a comment, apply after the merge, the IDs committed. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/index.ts';
import { freshHome } from '../commands/embedded.ts';
import { type JobEnded, type Place, runGitlabJob, runWorkflow } from '../support/pipelines.ts';
import { temporaryFolder } from '../support/run.ts';
import { filesOf, pinnedRelease } from './pinned-release.ts';
import { compiledCode } from './program.ts';

const { folder: release, executable, nodePackage, pin } = pinnedRelease();
const shown = filesOf('docs/period.md');
const file = (name: string) => shown.get(name) ?? '';
const config = filesOf('docs/ci.md').get('ci/config.json') ?? '';
const [node] = inject('command')[1] ? inject('command') : [process.execPath];

const header = 'key,name,date,start,end,roster';
const algebra = '101,Linear Algebra,2027-04-13,09:00,11:00,rosters/algebra.csv';
const analysis = '102,Analysis,2027-04-14,13:00,14:30,';
const table = (...lines: string[]) => `${[header, ...lines].join('\n')}\n`;
const roster = 'email,name\nada@example.org,Ada Example\ngrace@example.org,Grace Example\n';

type System = { pinned: string; run(job: 'plan' | 'apply', place: Place): Promise<JobEnded> };
const systems: Record<string, System> = {
  'GitHub Actions': { pinned: executable, run: (job, place) => runWorkflow(file(`.github/workflows/period-${job}.yml`), place) },
  'GitLab CI': { pinned: nodePackage, run: (job, place) => runGitlabJob(file('period.gitlab-ci.yml'), job, place) },
};

/** `gh` and `curl` of the machine, which post a comment into a file. */
function machine(): { folder: string; comment(): string } {
  const folder = temporaryFolder();
  const posted = join(folder, 'comment.md');
  const command = (name: string, text: string) => {
    writeFileSync(join(folder, name), `#!/bin/bash\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  };
  command('gh', `[ "$1 $2 $3" = 'pr comment 12' ] && [ "$GH_TOKEN" = a-token-of-the-job ] && cp "$5" '${posted}'`);
  const curl = execFileSync('bash', ['-c', 'command -v curl'], { encoding: 'utf8' }).trim();
  command(
    'curl',
    `for word; do case $word in */merge_requests/12/notes) [ "$(cat)" = 'PRIVATE-TOKEN: a-token-for-comments' ] && exec cp out/plan.md '${posted}';; esac; done\nexec ${curl} "$@"`,
  );
  return { folder, comment: () => (existsSync(posted) ? readFileSync(posted, 'utf8') : '') };
}

/** The service, and a repository at a server, from which each job is a fresh clone. */
async function world(system: System) {
  const sandbox = await startSandbox({ folder: join(freshHome(), 'state', 'sandbox') });
  onTestFinished(() => sandbox.close());
  const server = join(temporaryFolder(), 'period.git');
  const git = (folder: string, ...words: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=A', '-c', 'user.email=a@example.org', ...words], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', server]);
  execFileSync('git', ['-C', server, 'config', 'receive.advertisePushOptions', 'true']);
  const clone = (branch: string) => {
    const folder = join(temporaryFolder(), 'checkout');
    execFileSync('git', ['clone', '--quiet', '--branch', branch, server, folder], { stdio: 'pipe' });
    return folder;
  };
  const caches: Place['caches'] = new Map();
  const { folder: tools, comment } = machine();
  let runs = 0;

  /** Commits these files to a branch, from main. */
  function push(branch: string, files: Record<string, string>): void {
    const folder = existsSync(join(server, 'refs/heads/main')) ? clone('main') : join(temporaryFolder(), 'first');
    if (!existsSync(folder)) {
      execFileSync('git', ['init', '--quiet', '--initial-branch=main', folder]);
      git(folder, 'remote', 'add', 'origin', server);
    }
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    git(folder, 'add', '--all');
    git(folder, 'commit', '--quiet', '--message', 'The period');
    git(folder, 'push', '--quiet', 'origin', `HEAD:${branch}`);
  }

  async function run(job: 'plan' | 'apply', branch: string): Promise<JobEnded> {
    const home = temporaryFolder();
    runs += 1;
    const pushed = 'https://oauth2:a-token-to-push@gitlab.example.org/office/period.git';
    const ended = await system.run(job, {
      folder: clone(branch),
      env: {
        PATH: [tools, join(home, 'npm/bin'), dirname(node), process.env.PATH].join(delimiter),
        HOME: home,
        npm_config_prefix: join(home, 'npm'),
        ...{ GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: `url.${server}.insteadOf`, GIT_CONFIG_VALUE_0: pushed },
        ...{ CI_API_V4_URL: 'https://gitlab.example.org/api/v4', CI_PROJECT_ID: '3', CI_MERGE_REQUEST_IID: '12' },
        ...{ CI_SERVER_HOST: 'gitlab.example.org', CI_PROJECT_PATH: 'office/period', CI_COMMIT_BRANCH: 'main' },
        ...compiledCode,
      },
      variables: { PROCTOR_RELEASE: pathToFileURL(release).href },
      secrets: { PROCTOR_TOKEN: sandbox.token, COMMENT_TOKEN: 'a-token-for-comments', PUSH_TOKEN: 'a-token-to-push' },
      caches,
      run: runs,
    });
    expect(ended.log).not.toContain(sandbox.token);
    return ended;
  }

  push('main', {
    ...Object.fromEntries([...shown].filter(([name]) => name.startsWith('ci/'))),
    '.gitignore': 'out\n.proctor\nproctor-cli-*\n',
    'ci/config.json': config.replace('https://proctor.example.org', sandbox.baseUrl),
    'ci/proctor-cli.sha256': pin(system.pinned),
    'rosters/algebra.csv': roster,
    'period.csv': table(algebra),
  });

  /** What the service has. */
  async function shownAt(path: string): Promise<Record<string, unknown>[]> {
    const answer = await fetch(`${sandbox.baseUrl}${path}`, { headers: { authorization: `apiServiceToken ${sandbox.token}` } });
    return (await answer.json()) as Record<string, unknown>[];
  }
  const named = async (name: string) => (await shownAt('/exams')).filter((exam) => exam.name === name);
  const students = async (exam: unknown) => (await shownAt(`/exams/${String(exam)}/student_sessions`)).map(({ email }) => email);
  const onServer = (name: string) => execFileSync('git', ['-C', server, 'show', `main:${name}`], { encoding: 'utf8', stdio: 'pipe' });
  return { push, run, comment, named, students, onServer, caches };
}

describe.each(Object.entries(systems))('%s', (_name, system) => {
  test('shows a merge request its plan, without a student, and writes nothing', async () => {
    const { push, run, comment, named } = await world(system);
    push('change', { 'period.csv': table(algebra, analysis) });
    const { status, log } = await run('plan', 'change');
    expect(status, log).toBe(0);
    expect(comment()).toMatch(/^\*\*period\.csv: 2 to create\.\*\*/);
    expect(comment()).not.toContain('ada');
    expect(await named('Analysis')).toEqual([]);
  });

  test('applies what was merged, and commits which line is which exam, so that a change finds its exam without any state', async () => {
    const { push, run, named, students, onServer, caches } = await world(system);
    const first = await run('apply', 'main');
    expect(first.status, first.log).toBe(0);
    const [created] = await named('Linear Algebra');
    expect(onServer('period.ids.csv')).toContain(`101,Linear Algebra,2027-04-13T07:00:00Z,${String(created?.id)},`);
    expect(await students(created?.id)).toEqual(['ada@example.org', 'grace@example.org']);
    caches.clear();
    push('main', { 'period.csv': table(algebra.replace('11:00', '12:00'), analysis) });
    const second = await run('apply', 'main');
    expect(second.status, second.log).toBe(0);
    expect(await named('Linear Algebra')).toMatchObject([{ id: created?.id, end_time: '2027-04-13T10:00:00Z' }]);
    expect(await named('Analysis')).toHaveLength(1);
    expect(await students(created?.id)).toHaveLength(2);
    const third = await run('apply', 'main');
    expect(third.status, third.log).toBe(0);
    expect(await named('Analysis')).toHaveLength(1);
  });

  test('fails with the status of a timetable that is wrong, and changes nothing', async () => {
    const { push, run, named } = await world(system);
    push('main', { 'period.csv': table(algebra.replace('11:00', '08:00')) });
    const { status, log } = await run('apply', 'main');
    expect(status, log).toBe(3);
    expect(log).toContain('period.csv, line 2');
    expect(await named('Linear Algebra')).toEqual([]);
  });
});

test('each action is one of docs/ci.md, by the same commit', () => {
  const known = new Set([...filesOf('docs/ci.md').values()].flatMap((text) => text.match(/(?<=uses: ).*$/gm) ?? []));
  for (const line of [...shown.values()].flatMap((text) => text.match(/(?<=uses: ).*$/gm) ?? [])) expect([...known]).toContain(line);
});
