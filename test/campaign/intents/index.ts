/** All kinds of intents, of which a story draws, and the one to undo the latest run: what the runs of this machine did is taken back, no more. */
import type { Change, Fields } from '../../support/truth.ts';
import { notSetBack, torn } from '../oracle/times.ts';
import { changeProctors, cloneExam, createExam, deleteExam, sendMails, updateExam } from './exams.ts';
import { importRoster } from './import.ts';
import { type Draw, fieldsOf, fresh, type Intent, isOne, type Kinds, same } from './intent.ts';
import { createStudent, deleteStudents, moveStudents, renameStudent } from './students.ts';
import { applyExtraTime, extendStudents, moveExams, updateSessions, updateTimes } from './times.ts';
import { applyTimetable } from './timetable.ts';

type Kind = (draw: Draw) => Intent | undefined;

const moved: readonly Kind[] = [
  ...[createStudent, createStudent, createStudent, renameStudent, renameStudent, deleteStudents, deleteStudents],
  ...[createExam, updateExam, updateExam, sendMails, deleteExam, changeProctors],
  ...[moveExams, moveExams, updateTimes, updateTimes, extendStudents, updateSessions, applyExtraTime],
];
const many: readonly Kind[] = [importRoster, importRoster, importRoster, moveStudents, cloneExam, applyTimetable, applyTimetable];
const kindsOf: Record<Kinds, readonly Kind[]> = { moved, students: many, all: [...moved, ...many] };

export const drawIntent = (draw: Draw): Intent => draw.random.pick(kindsOf[draw.kinds])(draw) ?? createStudent(draw);

const ofMoved = [
  ...['sessions create', 'students add', 'sessions update', 'sessions delete', 'api POST', 'api PATCH', 'api DELETE'],
  ...['exams create', 'exams update', 'exams send-emails', 'exams delete', 'proctors add', 'proctors remove'],
  ...['exams times', 'exams shift', 'exams delay', 'sessions extend', 'sessions times', 'accommodations apply'],
];
const ofMany = [
  ...['sessions import', 'sessions import --update', 'sessions import --remove-missing', 'sessions move', 'exams clone'],
  ...['exams apply', 'exams apply --remove-missing'],
];
/** The kinds, as `kind` of an intent names them. */
export const namesOf: Record<Kinds, readonly string[]> = { moved: ofMoved, students: ofMany, all: [...ofMoved, ...ofMany] };

/** An intent of this kind. */
export function drawKind(name: string, draw: Draw): Intent {
  for (;;) {
    const intent = drawIntent(draw);
    if (intent.kind === name) return intent;
  }
}

/** Whether nobody has joined or left but who did so before by these changes. */
function isPoolBack(change: Change, earlier: readonly Change[]): boolean {
  const usersOf = (fields: Fields = {}) => (fields.users ?? []) as number[];
  const isMoved = ({ before, after }: Change, user: number) => usersOf(before).includes(user) !== usersOf(after).includes(user);
  const users = [...usersOf(change.before), ...usersOf(change.after)];
  return users.every((user) => !isMoved(change, user) || earlier.some((one) => isMoved(one, user)));
}

/** `run`: its ID, as `runs list` printed it. `past`: the invocations of this machine so far; `undoes`: those of the run, which moved students or not. */
export function undoRun({ truth }: Draw, run: string, past: ReadonlySet<number>, undoes: ReadonlySet<number>, isMove: boolean): Intent {
  const began = Date.parse(run.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d).*/, '$1-$2-$3T$4:$5:$6Z'));
  return {
    kind: 'runs undo',
    words: ['runs', 'undo', run],
    undoes,
    allows(change, sight) {
      const { n, kind, id, before, after } = change;
      const were = truth.record.filter((one) => one.n < n && one.kind === kind && one.id === id);
      const earlier = were.filter(({ by }) => past.has(Number(by)));
      /** Of the student in a session, those that these invocations have deleted. */
      const deletedBy = (invocations: ReadonlySet<number>, { email }: Fields) =>
        truth.record.filter(
          (one) =>
            one.n < n && one.kind === 'session' && !one.after && invocations.has(Number(one.by)) && isOne(truth, one.before?.email, email),
        );
      if (kind === 'session' && after) {
        // A student who was moved is put back, or registered again as a message says.
        const all = new Set([...past, ...sight.invocations]);
        const isBack = !before && deletedBy(all, after).some((one) => one.before?.exam_id === after.exam_id);
        if (isBack || sight.isMade(id)) return true;
      }
      // A run of which nothing can be taken back yet stays open, and is resumed as the message says.
      const isCreated = truth.record.some((one) => one.kind === 'exam' && one.id === id && !one.before && past.has(Number(one.by)));
      // What another machine may have created, the undo names with the command that deletes it, for whoever knows better.
      const isMeant = kind === 'session' && !after && ['delete', String(id)].every((word) => sight.said.has(word));
      if (isMeant && were.some((one) => !one.before && typeof one.by === 'number')) return true;
      if (earlier.length === 0) return kind === 'pool' && sight.said.has('resume') && isCreated;
      if (!after) {
        const [from] = deletedBy(undoes, before ?? {}).filter((one) => one.before?.exam_id !== before?.exam_id);
        const isBack = from && sight.sessionsOf(from.before?.exam_id, from.before?.email).length > 0;
        if (isMove && kind === 'session' && from && !isBack)
          return `deleted ${String(before?.email)}, who is not back in exam ${String(from.before?.exam_id)}`;
        return earlier.some((one) => !one.before);
      }
      if (kind === 'pool') return isPoolBack(change, earlier) || `the pool of exam ${id} became ${String(after.users)}`;
      if (!before) return true;
      const strange = fieldsOf(change).filter((field) => !were.some((one) => same(one.after?.[field], after[field])));
      if (strange.length > 0) return `set ${strange.join(', ')} of ${kind} ${id} to what it never was`;
      const { n: since = 0, at = 0 } = earlier[0] ?? {};
      // What a colleague has set right before the write, nobody can set back.
      const isUnseen = were.some((one) => one.by === 'colleague' && one.n < since && one.at >= at - fresh);
      return isUnseen || (torn(change, sight, since) ?? true);
    },
    unmet: (sight) => notSetBack(sight, undoes, began),
  };
}
