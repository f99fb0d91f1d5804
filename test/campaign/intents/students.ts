/** Intents about single students: create, add, update, delete, move; by their own commands and by `api`. */
import { after, ends } from '../../support/stage.ts';
import { type Draw, type Intent, isOne, main, onlyFields, same, second } from './intent.ts';

/** Somebody who is in the exam, or is not; the plus and the umlaut are what services like to rewrite. */
export function anAddress({ random, truth }: Draw): string {
  const present = truth.inExam(main).flatMap(({ email }) => (email ? [email] : []));
  if (present.length > 0 && random.chance(0.4)) return random.pick(present);
  return random.pick([`new${random.below(30)}@example.org`, `new${random.below(9)}+tag@example.org`, `new${random.below(9)}@exämple.org`]);
}

export function createStudent(draw: Draw): Intent {
  const { random, truth } = draw;
  const email = anAddress(draw);
  const close = after(truth.exams.get(main)?.end_time ?? ends, 0.5 + random.below(90));
  const flag = random.pick(['', '', '--if-not-exists', '--allow-duplicate']);
  const command = random.pick(['sessions create', 'students add', 'api POST']);
  const raw = command === 'api POST';
  const given = ['--exam', String(main), '--email', email, '--close-time', close, ...(flag === '' ? [] : [flag])];
  return {
    kind: command,
    words: [...command.split(' '), ...(raw ? [`/exams/${main}/student_sessions`, '-F', `email=${email}`] : given)],
    addresses: [email],
    allows: ({ kind, before, after }) => kind === 'session' && !before && after?.exam_id === main && isOne(truth, after.email, email),
    stands: (sight) => sight.sessionsOf(main, email).length > 0,
    unmet(sight) {
      const found = sight.sessionsOf(main, email);
      if (found.length === 0) return sight.takenAway(main, email) ? [] : [`${email} is not in the exam`];
      // Who was there beside whom another one was created stays as they were.
      const isBeside = flag === '--allow-duplicate' || sight.said.has('--allow-duplicate');
      const meant = found.filter(({ id }) => sight.isMade(id) || !isBeside);
      return meant.flatMap(({ id, close_time }) =>
        raw || same(close_time, close) || !sight.untouched('session', id) ? [] : [`${email} closes at ${close_time}, not at ${close}`],
      );
    },
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
    allows: (change) => change.kind === 'session' && change.id === id && onlyFields(change, ['name']),
    unmet: (sight) =>
      truth.sessions.get(id)?.name === name || !sight.untouched('session', id) ? [] : [`name of session ${id} is not ${name}`],
  };
}

export function deleteStudents({ random, truth }: Draw): Intent | undefined {
  const raw = random.chance(0.3);
  const there = truth.inExam(main);
  const drawn = random.several(1, raw ? 1 : 3, () => random.below(99)).flatMap((at) => (there[at] ?? there[0])?.id ?? []);
  const ids = [...new Set(drawn)];
  if (ids.length === 0) return undefined;
  return {
    kind: raw ? 'api DELETE' : 'sessions delete',
    words: raw ? ['api', 'DELETE', `/student_sessions/${ids[0]}`] : ['sessions', 'delete', ...ids.map(String)],
    allows: ({ kind, id, before, after }) => kind === 'session' && ids.includes(id) && before !== undefined && !after,
    unmet: (sight) =>
      ids.flatMap((id) => (truth.sessions.has(id) && sight.untouched('session', id) ? [`session ${id} was not deleted`] : [])),
  };
}

export function moveStudents({ random, truth }: Draw, to = second): Intent | undefined {
  const sessions = truth.inExam(main).filter(({ email }) => email !== null);
  const chosen = structuredClone(sessions.slice(0, 1 + random.below(3)));
  if (chosen.length === 0) return undefined;
  const ids = new Set(chosen.map(({ id }) => id));
  const startOf = (id: number) => Date.parse(String(truth.exams.get(id)?.start_time));
  /** Own windows move along with the starts of the exams. */
  const along = (time: unknown) => (time === null ? null : after(time, (startOf(to) - startOf(main)) / 60_000));
  return {
    kind: 'sessions move',
    words: ['sessions', 'move', ...[...ids].map(String), '--exam', String(to)],
    refuses: (said) => /finished|started/.test(said),
    allows(change, sight) {
      const { kind, id, before, after, cause } = change;
      // Whoever has had one of these sessions: the command names them by their IDs.
      const holders = truth.record.filter((one) => one.kind === 'session' && ids.has(one.id) && one.after);
      const isChosen = holders.some((one) => isOne(truth, one.after?.email, after?.email));
      if (kind === 'session' && after?.exam_id === to && isChosen && (!before || sight.isMade(id))) return true;
      if (kind !== 'session' || !before || after || !ids.has(id)) return false;
      // Given away in the last moment, the read before the deletion still showed the student who was moved.
      const email = sight.unseenBy(change)[0]?.before?.email ?? before.email;
      const there = sight.sessionsOf(to, email);
      if (there.length === 0) return `deleted ${String(email)}, who is not in exam ${to}`;
      const sent = sight.arrived.find(({ index: n }) => n === cause)?.index ?? 0;
      const isSeen = sight.seen.some(({ id, index: n, isRead }) => isRead && n < sent && there.some((one) => one.id === id));
      return isSeen || `deleted ${String(before.email)}, whose new session no read had shown`;
    },
    unmet: (sight) =>
      chosen.flatMap(({ id, email, name, open_time, close_time }) => {
        // Who was there before is left out.
        const wasThere = [...sight.sessions.values()].some((one) => one.exam_id === to && isOne(truth, one.email, email));
        if (wasThere || !sight.untouched('session', id)) return [];
        const [there] = sight.sessionsOf(to, email);
        const isWhole = there?.name === name && same(there?.open_time, along(open_time)) && same(there?.close_time, along(close_time));
        const isTouched = !there || [main, to].some((exam) => !sight.untouched('exam', exam)) || !sight.untouched('session', there.id);
        // Its ID may be another student's by now.
        const isLeft = truth.sessions.get(id)?.exam_id === main && isOne(truth, truth.sessions.get(id)?.email, email);
        return [
          ...(there || sight.takenAway(to, String(email)) ? [] : [`${email} is not in exam ${to}`]),
          ...(isWhole || isTouched ? [] : [`${email} has another name or window in exam ${to}`]),
          ...(isLeft ? [`session ${id} is still there`] : []),
        ];
      }),
  };
}
