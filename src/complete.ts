/**
 * The program that a shell starts at each Tab. It answers within a second, however slow the service, the
 * network or a disk is: a separate process asks the service, continues in the background if it takes longer,
 * and stores its result for the next Tab.
 */
import { writeSync } from 'node:fs';
import { type Asked, asksService } from './cli/complete/cache.ts';
import type { Candidate } from './cli/complete/candidates.ts';
import { answer } from './cli/complete/completion-answer.ts';

/** Milliseconds, from the start of this process. */
const patience = 900;
/** Milliseconds after which the answer is empty because a disk does not answer. */
const stuck = 5000;
/** The answer that completes nothing. */
const nothing = 'words 0\n';
/** Milliseconds that the process which asks the service has for it; a second later it ends whatever it does. */
const longest = 5000;

/** Prints the answer to a shell's script (completions). */
export async function complete(words: readonly string[]): Promise<void> {
  setTimeout(() => end(nothing), Math.max(0, patience - 1000 * process.uptime()));
  process.on('uncaughtException', () => end(nothing));
  const { env, platform } = process;
  const host = { env, platform, home: env.HOME ?? env.USERPROFILE ?? '', now: Date.now };
  const live = (asked: Asked) => (asksService(asked) ? fromAnotherProcess(asked) : candidates(asked));
  const looking = () => endAfter(stuck, nothing);
  end(await answer(words, host, live, looking).catch(() => nothing));
}

/** Prints what the service has, for the process that has started this one. */
export async function askService([asked = '']: readonly string[]): Promise<void> {
  await endAfter(longest + 1000);
  process.on('uncaughtException', () => end('[]'));
  const found = Promise.resolve(asked).then(JSON.parse).then(candidates);
  end(JSON.stringify(await found.catch(() => [])));
}

async function candidates(asked: Asked): Promise<readonly Candidate[]> {
  const [{ realHost }, { liveCandidates }, { removeLater }] = await Promise.all([
    import('./host/process.ts'),
    import('./cli/complete/live.ts'),
    import('./cli/complete/remove-later.ts'),
  ]);
  return liveCandidates({ ...realHost(), interrupted: AbortSignal.timeout(longest) }, asked, removeLater);
}

async function fromAnotherProcess(asked: Asked): Promise<readonly Candidate[]> {
  const [{ spawn }, { isSea }] = await Promise.all([import('node:child_process'), import('node:sea')]);
  const { execPath, execArgv, argv } = process;
  // The standalone executable gets no script as an argument; it has its own name in that place.
  const program = isSea() ? [] : [...execArgv, ...argv.slice(1, 2)];
  const child = spawn(execPath, [...program, '__candidates', JSON.stringify(asked)], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
    windowsHide: true,
  });
  let text = '';
  child.on('error', () => {});
  for await (const part of child.stdout.setEncoding('utf8')) text += part;
  return text === '' ? [] : JSON.parse(text);
}

/**
 * Ends this process after so many milliseconds, whatever it does then. A timer would wait for a call
 * of the system to come back; a thread of its own does not. `last` is printed before the end. The streams
 * of the thread are not joined to ours, which would have a long answer cut where a pipe is full.
 */
export async function endAfter(milliseconds: number, last = ''): Promise<void> {
  const { Worker } = await import('node:worker_threads');
  const end = `const{last,milliseconds}=require('node:worker_threads').workerData;
setTimeout(()=>{try{require('node:fs').writeSync(1,last)}catch{}process.kill(process.pid,'SIGKILL')},milliseconds)`;
  new Worker(end, { eval: true, execArgv: [], stdout: true, stderr: true, workerData: { last, milliseconds } })
    .on('error', () => {})
    .unref();
}

/** Ends at once: the shell should not wait until the last connection is closed. */
function end(text: string) {
  const bytes = Buffer.from(text);
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(1, bytes, written);
  } catch {
    // The shell has gone.
  }
  process.exit(0);
}
