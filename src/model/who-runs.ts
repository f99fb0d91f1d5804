/** Who runs a command, as it is recorded: what the environment says, which nobody has proven. */

/** The system user and the machine, or the CI job. */
export function whoRuns({ env, machine }: { env: Readonly<Record<string, string | undefined>>; machine: string }): string {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run, CI_JOB_URL: job, USER, LOGNAME, USERNAME } = env;
  if (job) return job;
  if (server && repository && run) return `${server}/${repository}/actions/runs/${run}`;
  return `${USER || LOGNAME || USERNAME || 'unknown'}@${machine}`;
}
