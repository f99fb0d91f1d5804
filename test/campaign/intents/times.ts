/** Intents about times: extend, delay, shift and accommodations. Nobody gets the time twice, and nobody loses any. */

import type { Change } from '../../support/truth.ts';
import { bases, byOthers, type Draw, type Intent, laterBy, main, onlyFields, type Sight, same, unasked, untouched } from './intent.ts';

/** For so long, a read justifies a write. Milliseconds. */
const fresh = 2_500;

/** Why new times are not those of one shift of times that were there; undefined if they are. */
function notMoved(change: Change, sight: Sight, fields: readonly string[], minutes: number): string | undefined {
  const { kind, id, before = {}, after = {} } = change;
  const other = onlyFields(change, fields);
  if (other || (kind !== 'exam' && kind !== 'session')) return other ?? unasked(change);
  const wrong = fields.filter(
    (field) =>
      !same(before[field], after[field]) && !basesOf(sight, kind, id, field).some((base) => same(laterBy(base, minutes), after[field])),
  );
  return wrong.length > 0
    ? `${wrong[0]} of ${kind} ${id} became ${after[wrong[0] ?? '']}, which is no time that was there and ${minutes} minutes`
    : undefined;
}

/** What a time may be counted from: the record's own, and the exam's where it has none. */
function basesOf(sight: Sight, kind: 'exam' | 'session', id: number, field: string): string[] {
  const own = bases(sight, kind, id, field);
  const exam = kind === 'session' && field === 'close_time' ? bases(sight, 'exam', main, 'end_time') : [];
  return [...own, ...exam].filter((time): time is string => typeof time === 'string');
}

const ofMain = ({ kind, id, before, after }: Change) => before && after && (kind === 'exam' ? id === main : before.exam_id === main);

export function extendStudents({ random, truth }: Draw): Intent | undefined {
  const all = random.chance(0.5);
  const ids = (all ? truth.inExam(main) : truth.inExam(main).slice(0, 2)).map(({ id }) => id);
  if (ids.length === 0) return undefined;
  return {
    kind: 'sessions extend',
    words: ['sessions', 'extend', ...(all ? ['--exam', String(main)] : ids.map(String)), '--by', '15m'],
    relative: true,
    listed: true,
    asks: true,
    forbids: (change, sight) =>
      change.kind === 'session' && ofMain(change) && (all || ids.includes(change.id))
        ? notMoved(change, sight, ['close_time'], 15)
        : unasked(change),
    unmet: (sight) =>
      ids.flatMap((id) => {
        if (!untouched(sight, 'session', id) || !untouched(sight, 'exam', main)) return [];
        const first = sight.sessions.get(id)?.close_time ?? sight.exams.get(main)?.end_time;
        return same(truth.sessions.get(id)?.close_time, laterBy(first, 15)) ? [] : [`session ${id} was not extended by 15 minutes`];
      }),
  };
}

export function moveExam({ random, truth }: Draw): Intent {
  const [how, by, minutes, fields] = random.pick<[string, string, number, string[]]>([
    ['delay', '15m', 15, ['end_time', 'close_time']],
    ['shift', '7d', 7 * 1440, ['start_time', 'end_time', 'open_time', 'close_time']],
    ['shift', '90m', 90, ['start_time', 'end_time', 'open_time', 'close_time']],
  ]);
  return {
    kind: `exams ${how}`,
    words: ['exams', how, String(main), '--by', by],
    relative: true,
    listed: true,
    asks: true,
    forbids: (change, sight) => (ofMain(change) ? notMoved(change, sight, fields, minutes) : unasked(change)),
    unmet(sight) {
      if (!untouched(sight, 'exam', main)) return [];
      const moved = (kind: 'exam' | 'session', id: number, now: Record<string, unknown> | undefined) =>
        fields.flatMap((field) => {
          const first = (kind === 'exam' ? sight.exams : sight.sessions).get(id)?.[field];
          return first === null || first === undefined || !now || same(now[field], laterBy(first, minutes))
            ? []
            : [`${field} of ${kind} ${id} was not moved`];
        });
      const students = truth.inExam(main).filter(({ id }) => sight.sessions.has(id) && untouched(sight, 'session', id));
      return [...moved('exam', main, truth.exams.get(main)), ...students.flatMap((one) => moved('session', one.id, one))];
    },
  };
}

export function applyAccommodations({ random, truth, machine, number }: Draw): Intent | undefined {
  const alike = Map.groupBy(truth.inExam(main), ({ email }) => email?.toLowerCase());
  const chosen = structuredClone(
    [...alike.values()]
      .filter((found) => found.length === 1)
      .flat()
      .filter(({ email }) => email && random.chance(0.6)),
  );
  if (chosen.length === 0) return undefined;
  const list = `email,extra\n${chosen.map(({ email }) => `${email},20m\n`).join('')}`;
  const ids = new Set(chosen.map(({ id }) => id));
  const targets = (sight: Sight, field: string) =>
    bases(sight, 'exam', main, field).filter((time): time is string => typeof time === 'string');
  return {
    kind: 'accommodations apply',
    words: ['accommodations', 'apply', machine.file(`list-${number}.csv`, list), '--exam', String(main)],
    listed: true,
    asks: true,
    forbids(change, sight) {
      if (
        change.kind !== 'session' ||
        !ofMain(change) ||
        !(ids.has(change.id) || chosen.some(({ email }) => email === change.before?.email))
      )
        return unasked(change);
      const { before, after } = change;
      // What a colleague sets between the last read and the write, nobody can see.
      const setLately = sight.truth.record.some(
        (one) =>
          one.by === 'colleague' && one.id === change.id && one.kind === 'session' && one.n < change.n && change.at - one.at <= fresh,
      );
      if (!setLately && before?.close_time && Date.parse(String(after?.close_time)) < Date.parse(String(before.close_time)))
        return `took time away from session ${change.id}`;
      return (
        onlyFields(change, ['close_time']) ??
        (targets(sight, 'end_time').some((end) => Date.parse(String(after?.close_time)) >= Date.parse(laterBy(end, 20)) - 60_000)
          ? undefined
          : `session ${change.id} was given ${after?.close_time}, which is no target`)
      );
    },
    unmet(sight) {
      const end = truth.exams.get(main)?.end_time;
      if (!end || byOthers(sight, 'exam', main).length > 0) return [];
      return [...ids].flatMap((id) => {
        const now = truth.sessions.get(id);
        if (!now || !untouched(sight, 'session', id) || now.status === 'exam_finished') return [];
        return Date.parse(String(now.close_time)) >= Date.parse(laterBy(end, 20)) - 60_000
          ? []
          : [`session ${id} has less than its target`];
      });
    },
  };
}
