/** Intents about exams: create, update, delete, clone, mails and proctors. */
import { after, begins } from '../../support/stage.ts';
import type { Session } from '../../support/truth.ts';
import { type Draw, type Intent, isOne, main, onlyFields, same, second, unasked } from './intent.ts';

export function createExam({ random, truth }: Draw): Intent {
  const name = `Exam ${random.below(3)}`;
  const start = after(begins, 1440 * (1 + random.below(3)));
  const alike = () => [...truth.exams.values()].filter((one) => one.name === name && same(one.start_time, start));
  return {
    kind: 'exams create',
    words: ['exams', 'create', '--name', name, '--start', start, '--end', after(start, 120), '--allow-headphones'],
    stands: () => alike().length > 0,
    allows: ({ kind, before, after }) =>
      kind === 'exam' && !before && after?.name === name && (alike().length < 2 || `created a second exam ${name} at ${start}`),
    unmet: (sight) =>
      alike().length > 0 || sight.truth.record.slice(sight.from).some(({ kind, by }) => kind === 'exam' && by === 'colleague')
        ? []
        : [`exam ${name} is not there`],
  };
}

export function updateExam({ random, truth }: Draw): Intent {
  const [fields, flags] = random.pick<[Record<string, unknown>, string[]]>([
    [{ allow_headphones: true }, ['--allow-headphones']],
    [{ allow_whiteboard: true, name: 'Renamed' }, ['--allow-whiteboard', '--name', 'Renamed']],
    [{ save_recording: false }, ['--no-save-recording']],
  ]);
  return {
    kind: 'exams update',
    words: ['exams', 'update', String(main), ...flags],
    asks: true,
    // What a service resets that is not given, and does not show, a person has to say.
    refuses: (said) => said.includes('Give all four'),
    allows: (change) => change.kind === 'exam' && change.id === main && onlyFields(change, Object.keys(fields)),
    unmet(sight) {
      if (!sight.untouched('exam', main)) return [];
      const exam = truth.exams.get(main);
      return Object.entries(fields).flatMap(([name, value]) => (exam?.[name] === value ? [] : [`${name} of exam ${main} is not ${value}`]));
    },
  };
}

export function deleteExam({ truth }: Draw): Intent | undefined {
  if (!truth.exams.has(second)) return undefined;
  return {
    kind: 'exams delete',
    words: ['exams', 'delete', String(second)],
    allows: ({ kind, id, before, after }) => !after && (kind === 'exam' ? id === second : kind === 'session' && before?.exam_id === second),
    unmet: () => (truth.exams.has(second) ? [`exam ${second} was not deleted`] : []),
  };
}

export function sendMails({ random, truth }: Draw): Intent {
  const flag = random.pick(['', '', '--unless-mailed', '--resend']);
  return {
    kind: 'exams send-emails',
    listed: true,
    words: ['exams', 'send-emails', String(main), ...(flag === '' ? [] : [flag])],
    // Mailed once from here, an exam is not mailed again without a consent, whoever is in it by now.
    stands: () =>
      truth.inExam(main).some(({ status }) => status !== 'registered') ||
      truth.record.some(({ kind, id }) => kind === 'mails' && id === main),
    allows: (change) =>
      change.kind === 'mails'
        ? change.id === main
        : change.kind === 'session' && change.before?.exam_id === main && onlyFields(change, ['status']),
    unmet(sight) {
      const left = truth.inExam(main).filter(({ id, status }) => status === 'registered' && sight.untouched('session', id));
      return left.map(({ email }) => `${email} was not mailed`);
    },
  };
}

export function cloneExam({ random, truth }: Draw): Intent {
  const start = after(begins, 1440 * (7 + random.below(3)));
  const copies = () => [...truth.exams.values()].filter(({ id, start_time }) => id !== main && id !== second && same(start_time, start));
  // An exam is another one by its name, or by its start.
  const alike = (name: unknown) => copies().filter((one) => one.name === name);
  const isCopy = (id: unknown) => copies().some((one) => one.id === id);
  return {
    kind: 'exams clone',
    words: ['exams', 'clone', String(main), '--start', start, '--with-students'],
    listed: true,
    allows(change) {
      const { kind, before, after, id } = change;
      if (kind === 'exam') return !before && isCopy(id) && (alike(after?.name).length < 2 || `cloned exam ${main} twice to ${start}`);
      if (kind === 'pool') return isCopy(id);
      if (kind !== 'session' || !after || !isCopy(after.exam_id)) return false;
      const students = truth.record.filter((one) => one.kind === 'session' && one.after?.exam_id === main);
      return students.some((one) => isOne(truth, one.after?.email, after.email)) || `${unasked(change)} in exam ${main}`;
    },
    unmet(sight) {
      const copy = alike(truth.exams.get(main)?.name)[0] ?? copies()[0];
      if (!copy) return [`there is no clone at ${start}`];
      if (sight.byOthers('exam', copy.id).length > 0) return [];
      const there = new Map(truth.inExam(copy.id).map((one) => [one.email, one]));
      const by = (Date.parse(start) - Date.parse(String(truth.exams.get(main)?.start_time))) / 60_000;
      const isAlong = (time: unknown, of: unknown) => same(time, of === null ? null : after(of, by));
      const isOther = ({ email }: Session) => {
        const one = there.get(email);
        const isIts = one && sight.untouched('session', one.id) && sight.untouched('exam', main);
        // Of a student who is there twice, one session is copied.
        const isOf = (of: Session) =>
          of.email === email && isAlong(one?.open_time, of.open_time) && isAlong(one?.close_time, of.close_time);
        return isIts && !students.some(isOf);
      };
      const isStudent = ({ exam_id, id, email }: Session) => exam_id === main && email && sight.untouched('session', id);
      const students = [...sight.sessions.values()].filter(isStudent);
      const isLeft =
        [...(truth.pools.get(main) ?? [])].some((user) => !truth.pools.get(copy.id)?.has(user)) && sight.untouched('pool', main);
      return [
        ...students.filter(({ email }) => !there.has(email)).map(({ email }) => `${email} is not in the clone`),
        ...students.filter(isOther).map(({ email }) => `the window of ${email} has not moved along into the clone`),
        ...(isLeft ? ['its proctors are not those of the clone'] : []),
      ];
    },
  };
}

export function changeProctors({ random, truth }: Draw): Intent {
  const how = random.pick(['add', 'remove'] as const);
  const user = 1 + random.below(3);
  return {
    kind: `proctors ${how}`,
    words: ['proctors', how, `proctor${user}@example.org`, '--exam', String(main)],
    allows: ({ kind, id }) => kind === 'pool' && id === main,
    unmet: (sight) => {
      if (!sight.untouched('pool', main) || (truth.pools.get(main)?.has(user) ?? false) === (how === 'add')) return [];
      return [`proctor ${user} is ${how === 'add' ? 'not' : 'still'} in the pool`];
    },
  };
}
