/** An office whose student has a window, and its runs, each a minute after the one before. */
import { ada, algebra, serviceWithExam } from '../support/algebra.ts';
import type { Service, ServiceOptions } from '../support/service.ts';
import { done as doneAtOnce, latest, minuteLater } from '../support/story.ts';

export const three = [algebra, ...[2, 3].map((id) => ({ ...algebra, id, name: `Exam ${id}` }))];
export const window = { open_time: '2127-02-01T08:15:00Z', close_time: '2127-02-01T10:30:00Z' };
export const move = 'sessions move 7 --exam 2 --yes';

/** Ada is in exam 1, with a window of her own. */
export const office = (options: ServiceOptions = {}) =>
  serviceWithExam({ exams: three, sessions: [{ ...ada, ...window, skip_requirements: true }], showing: { dated: true }, ...options });

/** Each line a minute after the one before. */
export async function done(...given: Parameters<typeof doneAtOnce>) {
  const run = await doneAtOnce(...given);
  minuteLater(given[0]);
  return run;
}
/** Of the last run. */
export const undo = async (service: Service, code = 0, ...says: (string | RegExp)[]) =>
  done(service, `runs undo ${await latest(service)} --yes`, code, ...says);
