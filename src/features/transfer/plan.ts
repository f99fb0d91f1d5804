/** The requests that tasks come to as things stand now: for `--dry-run`. */
import type { Client } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import { planned } from '../../api/planned.ts';
import type { RequestStep } from '../../api/request.ts';
import { CliError } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import { readResource } from '../changes/index.ts';
import { widening } from './proof.ts';
import { addressOf, type Students, sessionsWith, studentsOf } from './students.ts';
import { bodyOf, type TransferTask } from './task.ts';

/** `source`: its session as the service shows it; it is read where it is absent. */
type Planned = { task: TransferTask; source?: JsonObject };

/** For each task: a POST unless the target exam has the student, a PATCH for times that a POST cannot set, and the DELETE of the old session. */
export async function requestsOf(client: Client, tasks: readonly Planned[], known = new Map<string, Students>()) {
  const steps: RequestStep[] = [];
  for (const { task, source } of tasks) {
    const { session, to, stays, opens, closes } = task;
    const shown = source ?? (await readResource(client, 'session', session));
    if (shown instanceof CliError) continue;
    const students = known.get(to) ?? (await studentsOf(client, to));
    known.set(to, students);
    const there = task.made ?? sessionsWith(students, addressOf(shown) ?? '')[0];
    if (there === undefined)
      steps.push({ operation: operations.createSession, params: { exam_id: to }, body: bodyOf(shown, task, client) });
    if (opens !== undefined && (there === undefined || (there === task.made && !task.found)))
      steps.push({ operation: operations.patchSession, params: { id: there ?? 'ID' }, body: { open_time: opens } });
    if (there !== undefined && (there !== task.made || task.found) && (opens !== undefined || closes !== undefined)) {
      const body = await widening(client, task, there, {
        ...(opens === undefined ? {} : { opens }),
        ...(closes === undefined ? {} : { closes }),
      });
      if (Object.keys(body).length > 0) steps.push({ operation: operations.patchSession, params: { id: there }, body });
    }
    if (!stays) steps.push({ operation: operations.deleteSession, params: { id: session } });
  }
  return planned(client, steps);
}
