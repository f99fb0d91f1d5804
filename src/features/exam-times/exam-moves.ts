/**
 * The moves of one exam and of the sessions that have times of their own. Each time of the exam that gives more goes first, then each
 * session gets its new window, and what takes away goes last: so at each moment, and wherever a run is stopped, every student has at
 * least the whole old window or the whole new one. An exam without such sessions gets its times in one request.
 */
import type { JsonObject } from '../../model/json.ts';
import { instantOf } from '../../model/time.ts';
import type { TimeMove, TimeValue } from '../moved-times/index.ts';
import type { OpenSession, ShownTime } from './own-windows.ts';

/** Times that are replaced, as the service shows and takes them. */
export type Replaced = { readonly [field: string]: { old: TimeValue; new: TimeValue } };

/** The new value of a time of a session's own; `what`: its name, for messages. */
export type MovedWindow = (field: 'open_time' | 'close_time', time: ShownTime, what: string) => Promise<{ old: TimeValue; new: TimeValue }>;

type Moving = {
  times: Replaced;
  open: readonly OpenSession[];
  moved: MovedWindow;
  /** Times of the exam that stay, and are relied on. */
  kept?: JsonObject;
};

export async function examMoves(id: string, { times, open, moved, kept = {} }: Moving): Promise<TimeMove[]> {
  const own = open.filter(hasWindow);
  const of = { kind: 'exam', id, exam: id, email: undefined } as const;
  if (own.length === 0) return [{ ...of, fields: times, expects: kept }];
  const wider = Object.fromEntries(Object.entries(times).filter(([field, time]) => gives(field, time)));
  const narrower = Object.fromEntries(Object.entries(times).filter(([field]) => !Object.hasOwn(wider, field)));
  const [before, widened] = [valuesOf(times, 'old'), valuesOf(wider, 'new')];
  // A student who is taking the exam keeps the start, and gets a new end like all others.
  const unless: TimeMove['unless'] = Object.hasOwn(times, 'start_time') ? ['writing', 'finished'] : ['finished'];
  const expectsExam = { ...kept, ...before, ...widened };
  const windows = await Promise.all(own.map((session) => sessionMove(session, id, { expectsExam, unless, moved })));
  return [
    ...(Object.keys(wider).length > 0 ? [{ ...of, fields: wider, expects: { ...kept, ...valuesOf(narrower, 'old') }, phase: 1 }] : []),
    ...windows,
    ...(Object.keys(narrower).length > 0 ? [{ ...of, fields: narrower, expects: { ...kept, ...widened }, phase: 3 }] : []),
  ];
}

export function hasWindow({ opens, closes }: OpenSession): boolean {
  return opens !== undefined || closes !== undefined;
}

/** Whether a time leaves students with more: a start that is earlier, an end that is later. */
function gives(field: string, { old, new: next }: Replaced[string]): boolean {
  const [from = 0, to = 0] = [instantOf(old), instantOf(next)];
  return field === 'start_time' ? to < from : to > from;
}

function valuesOf(times: Replaced, which: 'old' | 'new'): { [field: string]: TimeValue } {
  return Object.fromEntries(Object.entries(times).map(([field, values]) => [field, values[which]]));
}

type MovingSession = Required<Pick<TimeMove, 'expectsExam' | 'unless'>> & { moved: MovedWindow };

/** `expectsExam`: the times of the exam once it is widened. */
async function sessionMove(
  { id, email, opens, closes }: OpenSession,
  exam: string,
  { expectsExam, unless, moved }: MovingSession,
): Promise<TimeMove> {
  return {
    ...{ kind: 'session', id, exam, email, phase: 2, unless, expectsExam },
    fields: {
      ...(opens ? { open_time: await moved('open_time', opens, `The open_time of session ${id}`) } : {}),
      ...(closes ? { close_time: await moved('close_time', closes, `The close_time of session ${id}`) } : {}),
    },
  };
}
