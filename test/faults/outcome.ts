/**
 * A command against a fault server: in process, with the waits between tries written down and not waited
 * for; in the projects that have the program as it ships, in a process of its own.
 */
import { join } from 'node:path';
import { expect, inject } from 'vitest';
import { type Run, run, temporaryFolder, type World } from '../support/run.ts';

export const token = 'fault-token-0123456789';

export type Outcome = Run & { waits: number[] };

export async function attempt(line: string | readonly string[], origin: string, world: World = {}): Promise<Outcome> {
  const waits: number[] = [];
  const argv = typeof line === 'string' ? line.split(' ') : line;
  const env = { PROCTOR_BASE_URL: origin, PROCTOR_TOKEN: token, ...world.env };
  if (inject('command') !== undefined) return { ...(await shipped(argv, env, world)), waits };
  const printed = await run(argv, {
    ...world,
    env,
    async onSleep(milliseconds) {
      waits.push(milliseconds);
      await world.onSleep?.(milliseconds);
    },
  });
  return { ...printed, waits };
}

/** The output of a process; its waits and questions are invisible. */
async function shipped(argv: readonly string[], env: Record<string, string>, { home = temporaryFolder() }: World): Promise<Run> {
  const { program } = await import('../e2e/program.ts');
  const folders = { PROCTOR_CONFIG_DIR: join(home, 'config'), PROCTOR_STATE_DIR: join(home, 'state') };
  const { code, ...printed } = await program(argv, { home, env: { ...folders, ...env } });
  return { ...printed, code: code ?? -1, questions: [], refusals: [], offered: [] };
}

export type Failure = {
  code: string;
  message: string;
  hint: string;
  status?: number;
  exit: number;
  items?: { id: string; code: string; message: string }[];
};

/** The failure of a command with `-o json`: one line on stderr, and nothing else there. */
export function failureOf({ code, stderr }: Run): Failure {
  expect(stderr).toMatch(/^\{[^\n]*\}\n$/);
  const { error } = JSON.parse(stderr) as { error: Failure };
  expect(error.exit).toBe(code);
  return error;
}
