/** Intents about single students: create, add, update, delete, move; by their own commands and by `api`. */
import { ends } from '../story/stage.ts';
import {
  type Draw,
  type Intent,
  keyOf,
  laterBy,
  main,
  onlyFields,
  second as otherExam,
  same,
  sessionsOf,
  takenAway,
  unasked,
  untouched,
} from './intent.ts';

/** Somebody who is in the exam, or is not; the plus and the umlaut are what services like to rewrite. */
export function anAddress({ random, truth }: Draw): string {
  const present = truth.inExam(main).flatMap(({ email }) => (email ? [email] : []));
  if (present.length > 0 && random.chance(0.4)) return random.pick(present);
  return random.pick([`new${random.below(30)}@example.org`, `new${random.below(9)}+tag@example.org`, `new${random.below(9)}@exämple.org`]);
}

export function createStudent(draw: Draw): Intent {
  const { random, truth } = draw;
  const email = anAddress(draw);
  const close = laterBy(truth.exams.get(main)?.end_time ?? ends, 0.5 + random.below(90));
  const flag = random.pick(['', '', '--if-not-exists', '--allow-duplicate']);
  const command = random.pick([
    ['sessions', 'create'],
    ['students', 'add'],
  ]);
  return {
    kind: command.join(' '),
    words: [...command, '--exam', String(main), '--email', email, '--close-time', close, ...(flag === '' ? [] : [flag])],
    addresses: [email],
    ...(flag === '--allow-duplicate' ? { consents: true as const } : {}),
    forbids: createsOnly(email),
    stands: (sight) => sessionsOf(sight, main, email).length > 0,
    unmet(sight) {
      const found = sessionsOf(sight, main, email);
      if (found.length === 0) return takenAway(sight, main, email) ? [] : [`${email} is not in the exam`];
      const ours = found.filter(({ id }) =>
        sight.truth.record.some((one) => one.id === id && !one.before && sight.invocations.has(Number(one.by))),
      );
      return ours.flatMap(({ id, close_time }) =>
        same(close_time, close) || !untouched(sight, 'session', id) ? [] : [`${email} closes at ${close_time}, not at ${close}`],
      );
    },
  };
}

const createsOnly =
  (email: string): Intent['forbids'] =>
  (change, sight) => {
    if (change.kind !== 'session' || change.before || !change.after) return unasked(change);
    return change.after.exam_id === main && keyOf(sight, change.after.email) === keyOf(sight, email) ? undefined : unasked(change);
  };

export function postStudent(draw: Draw): Intent {
  const email = anAddress(draw);
  return {
    kind: 'api POST',
    words: ['api', 'POST', `/exams/${main}/student_sessions`, '-F', `email=${email}`],
    addresses: [email],
    raw: true,
    forbids: createsOnly(email),
    stands: (sight) => sessionsOf(sight, main, email).length > 0,
    unmet: (sight) => (sessionsOf(sight, main, email).length > 0 || takenAway(sight, main, email) ? [] : [`${email} is not in the exam`]),
  };
}

export function renameStudent({ random, truth }: Draw): Intent | undefined {
  const name = `Renamed ${random.below(50)}`;
  const sessions = truth.inExam(main);
  if (sessions.length === 0) return undefined;
  const { id } = random.pick(sessions);
  const raw = random.chance(0.3);
  return {
    kind: raw ? 'api PATCH' : 'sessions update',
    words: raw ? ['api', 'PATCH', `/student_sessions/${id}`, '-F', `name=${name}`] : ['sessions', 'update', String(id), '--name', name],
    ...(raw ? { raw: true as const } : {}),
    forbids(change) {
      if (change.kind !== 'session' || change.id !== id || !change.before || !change.after) return unasked(change);
      return onlyFields(change, ['name']);
    },
    unmet(sight) {
      const isSo = truth.sessions.get(id)?.name === name || !untouched(sight, 'session', id);
      return isSo ? [] : [`name of session ${id} is not ${name}`];
    },
  };
}

export function deleteByApi(draw: Draw): Intent | undefined {
  const sessions = draw.truth.inExam(main);
  const { id } = sessions.length > 0 ? draw.random.pick(sessions) : {};
  return id === undefined
    ? undefined
    : { ...deletionOf(draw, [id]), kind: 'api DELETE', words: ['api', 'DELETE', `/student_sessions/${id}`], raw: true };
}

export function deleteStudents(draw: Draw): Intent | undefined {
  const { random, truth } = draw;
  const ids = random.several(1, 3, () => random.below(99)).flatMap((at) => (truth.inExam(main)[at] ?? truth.inExam(main)[0])?.id ?? []);
  return ids.length === 0 ? undefined : deletionOf(draw, [...new Set(ids)]);
}

const deletionOf = ({ truth }: Draw, ids: readonly number[]): Intent => ({
  kind: 'sessions delete',
  words: ['sessions', 'delete', ...ids.map(String)],
  forbids: (change) =>
    change.kind === 'session' && ids.includes(change.id) && change.before && !change.after ? undefined : unasked(change),
  unmet: (sight) =>
    ids.flatMap((id) => (truth.sessions.has(id) && untouched(sight, 'session', id) ? [`session ${id} was not deleted`] : [])),
});

export function moveStudents({ random, truth }: Draw): Intent | undefined {
  const sessions = truth.inExam(main).filter(({ email }) => email !== null);
  const chosen = structuredClone(sessions.slice(0, 1 + random.below(3)));
  if (chosen.length === 0) return undefined;
  const ids = new Set(chosen.map(({ id }) => id));
  return {
    kind: 'sessions move',
    words: ['sessions', 'move', ...[...ids].map(String), '--exam', String(otherExam)],
    refuses: (said) => said.includes('has finished'),
    forbids(change, sight) {
      const { before, after } = change;
      // Whoever has had one of these sessions: the command names them by their IDs.
      const holders = sight.truth.record.flatMap(({ kind, id, after }) =>
        kind === 'session' && ids.has(id) && after ? [after.email] : [],
      );
      const isChosen = (email: unknown) => holders.some((one) => keyOf(sight, one) === keyOf(sight, email));
      if (change.kind !== 'session') return unasked(change);
      if (after?.exam_id === otherExam && isChosen(after.email)) return undefined;
      if (!before || after || !ids.has(change.id)) return unasked(change);
      const there = sessionsOf(sight, otherExam, String(before.email)).length > 0;
      return there ? undefined : `deleted ${String(before.email)}, who is not in exam ${otherExam}`;
    },
    unmet(sight) {
      return chosen.flatMap(({ id, email }) => {
        if (!untouched(sight, 'session', id)) return [];
        const there = sessionsOf(sight, otherExam, String(email)).length > 0 || takenAway(sight, otherExam, String(email));
        return [
          ...(there ? [] : [`${email} is not in exam ${otherExam}`]),
          // Its ID may be another student's by now.
          ...(truth.sessions.get(id)?.exam_id === main && keyOf(sight, truth.sessions.get(id)?.email) === keyOf(sight, email)
            ? [`session ${id} is still there`]
            : []),
        ];
      });
    },
  };
}
