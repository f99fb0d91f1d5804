/** A command against a fault server, in process; the waits between tries are written down and not waited for. */
import { expect } from 'vitest';
import { type Run, run, ungatedFolder, type World } from '../support/run.ts';
import { type FaultServer, type Reaction, serverBy } from './server.ts';

export const token = 'fault-token-0123456789';

export type Outcome = Run & { waits: number[] };

export async function attempt(line: string | readonly string[], origin: string, world: World = {}): Promise<Outcome> {
  const waits: number[] = [];
  const argv = typeof line === 'string' ? line.split(' ') : line;
  const env = { PROCTOR_BASE_URL: origin, PROCTOR_TOKEN: token, ...world.env };
  const printed = await run(argv, {
    ...world,
    home: ungatedFolder(world.home),
    env,
    async onSleep(milliseconds) {
      waits.push(milliseconds);
      await world.onSleep?.(milliseconds);
    },
  });
  return { ...printed, waits };
}

/** The same where each request is met so. */
export async function attemptWith(reaction: Reaction, line: string, world: World = {}): Promise<Outcome & { server: FaultServer }> {
  const server = await serverBy(() => reaction);
  return { ...(await attempt(line, server.origin, world)), server };
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
  // Each line is an object; before the failure, they say what was waited for.
  expect(stderr).toMatch(/^(\{[^\n]*\}\n)+$/);
  const lines = stderr
    .trimEnd()
    .split('\n')
    .map((line): { error?: Failure } => JSON.parse(line));
  expect(lines.slice(0, -1).filter((line) => line.error)).toEqual([]);
  const { error } = lines.at(-1) as { error: Failure };
  expect(error.exit).toBe(code);
  return error;
}
