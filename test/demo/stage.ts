/**
 * Where a demo plays: the real program of this checkout in real processes, in a home of its own. Each command is
 * printed with its real output; a step that is not as it should be ends the demo with status 1.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** `lines`: how many lines of the output are printed. */
export type Expectation = { exit?: number; input?: string; lines?: number };

export type Stage = {
  env: Record<string, string>;
  /** Runs one command line, prints it and its output, and returns its stdout. */
  step(line: string, expectation?: Expectation): string;
};

/** Plays a demo, and sets the exit status of this process. */
export async function play(demo: (stage: Stage) => void | Promise<void>, settings: Record<string, string> = {}): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'proctor-cli-demo-'));
  // `proctor-cli` on the path, as after an installation, is the program of this checkout.
  writeFileSync(join(home, 'proctor-cli'), `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'bin/proctor-cli.js')}' "$@"\n`, {
    mode: 0o755,
  });
  const env = { PATH: `${home}:${process.env.PATH}`, HOME: home, PROCTOR_TIMEZONE: 'Europe/Vienna', ...settings };
  const step: Stage['step'] = (line, { exit = 0, input = '', lines = 14 } = {}) => {
    console.log(`\n$ ${line}`);
    const { status, stdout, stderr } = spawnSync('bash', ['-o', 'pipefail', '-c', line], { env, input, encoding: 'utf8', cwd: root });
    const printed = `${stderr}${stdout}`.trimEnd().split('\n');
    console.log(printed.slice(0, lines).map(clipped).join('\n'));
    if (printed.length > lines) console.log(`… (${printed.length - lines} more lines)`);
    expect(status === exit, `exit status ${status}, not ${exit}`);
    return stdout;
  };
  try {
    await demo({ env, step });
    console.log('\nEvery step was as it should be. Now try it yourself: npx proctor-cli --profile sandbox exams list');
  } catch (error) {
    console.error(`\nThe demo failed: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** A line of JSON may be as long as the list. */
const longest = 400;
const clipped = (line: string) => (line.length > longest ? `${line.slice(0, longest)}…` : line);

export function expect(holds: boolean, otherwise: string) {
  if (!holds) throw new Error(otherwise);
}
