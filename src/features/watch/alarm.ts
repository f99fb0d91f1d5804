/**
 * The alarms for new problems: a bell, a command. The command gets the problems as JSON,
 * one object a line, on stdin only, so that nothing the service says is ever read by a shell.
 */

import type { Host } from '../../host/host.ts';
import { stringifyJson } from '../../model/json.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { problemInWords, type WatchProblem } from './problems.ts';

type Options = { bell: boolean; command: string | undefined; signal: AbortSignal };

/** A problem, and the exam in which it is, as the service shows its ID. */
export type ArisenProblem = WatchProblem & { exam: string | number | bigint };

/** Takes new problems; resolves to a sentence the first time the command fails. */
export type Alarm = (problems: readonly ArisenProblem[], at: number) => Promise<Sentence | undefined>;

const limit = 10_000;

export function alarmOf(host: Host, { bell, command, signal }: Options): Alarm {
  let told = false;
  return async (problems, at) => {
    if (problems.length === 0) return undefined;
    if (bell && host.stderr.isTTY) await host.stderr.write('\u0007');
    if (command === undefined) return undefined;
    const input = problems.map((problem) => `${stringifyJson(eventOf(problem, at))}\n`).join('');
    try {
      await host.shell(command, { input, milliseconds: limit, signal });
    } catch (error) {
      if (host.interrupted.aborted) throw host.interrupted.reason;
      if (told || signal.aborted) return undefined;
      told = true;
      return sentence`The command of --exec failed (${(error as Error).message}); the watch continues, and further failures are not shown.`;
    }
    return undefined;
  };
}

function eventOf(arisen: ArisenProblem, at: number) {
  const { exam, session, email, name, status, problem, since } = arisen;
  return {
    at: new Date(at).toISOString(),
    exam,
    session,
    email,
    name,
    status,
    problem,
    says: problemInWords(arisen),
    since: since === undefined ? null : new Date(since).toISOString(),
  };
}
