/**
 * Runs a job of a GitHub workflow or of .gitlab-ci.yml as its system would: the same shell, variables and
 * order, caches and artifacts as folders. Anything that it does not know in the YAML is an error.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { temporaryFolder } from './run.ts';

type Environment = Record<string, string>;

/** Where a job runs. */
export type Place = {
  /** The checkout. */
  folder: string;
  /** The machine's own: PATH and HOME. */
  env: Environment;
  /** Those of the repository. */
  variables: Environment;
  secrets: Environment;
  /** Folders by key, the oldest first: the jobs fill it. */
  caches: Map<string, string>;
  /** The number of the run. */
  run: number;
  /** What a person gives who starts it by hand. */
  inputs?: Environment;
};

export type JobEnded = {
  status: number;
  /** All that the job printed. */
  log: string;
  /** Paths of the uploaded files. */
  artifacts: string[];
};

const strings = z.record(z.string(), z.coerce.string());

const step = z.strictObject({
  name: z.string().optional(),
  uses: z.string().optional(),
  with: strings.default({}),
  if: z.literal('always()').optional(),
  env: strings.default({}),
  run: z.string().optional(),
});
const workflow = z.strictObject({
  name: z.string(),
  on: z.strictObject({
    push: z.strictObject({ branches: z.array(z.string()), paths: z.array(z.string()) }).optional(),
    pull_request: z.strictObject({ paths: z.array(z.string()) }).optional(),
    schedule: z.array(z.strictObject({ cron: z.string() })).optional(),
    workflow_dispatch: z
      .strictObject({
        inputs: z.record(z.string(), z.strictObject({ description: z.string(), type: z.literal('choice'), options: z.array(z.string()) })),
      })
      .nullish(),
  }),
  permissions: z.strictObject({ contents: z.enum(['read', 'write']), 'pull-requests': z.literal('write').optional() }),
  concurrency: z.string().optional(),
  jobs: z.record(
    z.string(),
    z.strictObject({
      'runs-on': z.literal('ubuntu-24.04'),
      environment: z.string(),
      'timeout-minutes': z.number(),
      env: strings.default({}),
      steps: z.array(step),
    }),
  ),
});

const script = z.array(z.string());
const gitlabJob = z.strictObject({
  rules: z.array(z.strictObject({ if: z.string(), changes: script.optional() })),
  environment: z.union([z.string(), z.strictObject({ name: z.string(), action: z.literal('access') })]).optional(),
  resource_group: z.string().optional(),
  timeout: z.string(),
  retry: z.strictObject({ max: z.int().max(2), exit_codes: z.array(z.int()) }).optional(),
  cache: z.strictObject({ key: z.string(), paths: script, when: z.literal('always') }).optional(),
  script,
  artifacts: z
    .strictObject({
      when: z.literal('always'),
      paths: script,
      reports: z.strictObject({ junit: z.string() }).optional(),
      expire_in: z.string(),
      access: z.literal('developer'),
    })
    .optional(),
});
const gitlab = z.object({ variables: strings, default: z.strictObject({ image: z.string(), before_script: script }) }).catchall(gitlabJob);

/** Throws for a key that is none of GitHub's, or of those that are run here. */
export const readWorkflow = (text: string) => workflow.parse(parse(text));

export const readGitlab = (text: string) => {
  const { variables, default: defaults, ...jobs } = gitlab.parse(parse(text));
  return { variables, defaults, jobs: z.record(z.string(), gitlabJob).parse(jobs) };
};

/** Runs the only job of a workflow. */
export async function runWorkflow(text: string, place: Place): Promise<JobEnded> {
  const { on, jobs } = readWorkflow(text);
  const [job] = Object.values(jobs);
  if (!job) throw new Error('The workflow has no job.');
  for (const [name, value] of Object.entries(place.inputs ?? {})) {
    if (!on.workflow_dispatch?.inputs[name]?.options.includes(value)) throw new Error(`A person cannot give ${name} = ${value}.`);
  }
  const contexts: Record<string, Environment> = {
    vars: place.variables,
    secrets: place.secrets,
    github: { run_id: String(place.run), run_attempt: '1', token: 'a-token-of-the-job' },
    inputs: { options: '', ...place.inputs },
  };
  const filled = (value: string) =>
    value.replaceAll(/\$\{\{ (\w+)\.(\w+) \}\}/g, (expression, context, name) => {
      const its = contexts[context]?.[name];
      if (its === undefined) throw new Error(`Unknown expression: ${expression}`);
      return its;
    });
  const allFilled = (values: Environment) => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, filled(value)]));
  const machine = temporaryFolder();
  const added = join(machine, 'path');
  writeFileSync(added, '');
  const job_env = {
    ...place.env,
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_PATH: added,
    GITHUB_REF_NAME: '12/merge',
    ...allFilled(job.env),
  };
  const ended: JobEnded = { status: 0, log: '', artifacts: [] };
  for (const { uses, with: given, if: condition, env, run } of job.steps) {
    if (ended.status !== 0 && condition === undefined) continue;
    const inputs = allFilled(given);
    const at = (path = '') => join(place.folder, path);
    if (run !== undefined) {
      const paths = [...readFileSync(added, 'utf8').split('\n').filter(Boolean).reverse(), place.env.PATH];
      const file = join(machine, 'step.sh');
      writeFileSync(file, filled(run));
      const one = await shell(['-e', file], place.folder, { ...job_env, PATH: paths.join(':'), ...allFilled(env) });
      ended.log += one.log;
      ended.status ||= one.status;
    } else if (uses?.startsWith('actions/checkout@')) {
      // The folder is the checkout.
    } else if (uses?.startsWith('actions/cache/restore@')) {
      const [newest] = [...place.caches.keys()]
        .reverse()
        .filter((key) => key === inputs.key || key.startsWith(inputs['restore-keys'] ?? '\n'));
      if (newest !== undefined) cpSync(place.caches.get(newest) ?? '', at(inputs.path), { recursive: true });
    } else if (uses?.startsWith('actions/cache/save@')) {
      keep(place, inputs.key ?? '', inputs.path ?? '');
    } else if (uses?.startsWith('actions/upload-artifact@')) {
      ended.artifacts.push(...uploaded(place.folder, inputs.path ?? ''));
    } else throw new Error(`Unknown action: ${uses}`);
  }
  return ended;
}

/** Runs a job of .gitlab-ci.yml. */
export async function runGitlabJob(text: string, name: string, place: Place): Promise<JobEnded> {
  const { variables, defaults, jobs } = readGitlab(text);
  const job = jobs[name];
  if (!job) throw new Error(`There is no job ${name}.`);
  const [cached = ''] = job.cache?.paths ?? [];
  const kept = job.cache && place.caches.get(job.cache.key);
  if (kept) cpSync(kept, join(place.folder, cached), { recursive: true });
  const lines = ['set -eo pipefail', ...defaults.before_script, ...job.script].join('\n');
  const env = { ...place.env, CI: 'true', GITLAB_CI: 'true', ...variables, ...place.variables, ...place.secrets, ...place.inputs };
  const { status, log } = await shell(['-c', lines], place.folder, env);
  if (job.cache) {
    place.caches.delete(job.cache.key);
    keep(place, job.cache.key, cached);
  }
  const { paths, reports } = job.artifacts ?? { paths: [] };
  const artifacts = paths.flatMap((path) => uploaded(place.folder, path));
  if (reports && artifacts.length > 0 && globSync(reports.junit, { cwd: place.folder }).length === 0)
    throw new Error(`There is no report ${reports.junit}.`);
  return { status, log, artifacts };
}

async function shell(args: readonly string[], cwd: string, env: Environment): Promise<{ status: number; log: string }> {
  const child = spawn('bash', args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
  }
  const [status] = await once(child, 'close');
  return { status: status ?? 128, log };
}

/** A folder that does not exist is a warning of both systems, here and of artifacts. */
function keep(place: Place, key: string, path: string): void {
  if (!existsSync(join(place.folder, path))) return;
  if (place.caches.has(key)) throw new Error(`There is a cache ${key} already, and GitHub keeps that.`);
  const kept = join(temporaryFolder(), 'cache');
  cpSync(join(place.folder, path), kept, { recursive: true });
  place.caches.set(key, kept);
}

function uploaded(folder: string, path: string): string[] {
  return globSync(`${path}/**/*`, { cwd: folder }).sort();
}
