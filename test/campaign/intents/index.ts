/** All kinds of intents, of which a story draws. */
import { changeProctors, cloneExam, createExam, deleteExam, sendMails, updateExam } from './exams.ts';
import { importRoster } from './import.ts';
import type { Draw, Intent, Kinds } from './intent.ts';
import { applyPeriod } from './period.ts';
import { createStudent, deleteByApi, deleteStudents, moveStudents, postStudent, renameStudent } from './students.ts';
import { applyExtraTime, extendStudents, moveExams, updateSessions, updateTimes } from './times.ts';

type Kind = (draw: Draw) => Intent | undefined;

const timed: readonly Kind[] = [moveExams, moveExams, updateTimes, updateTimes, extendStudents, updateSessions, applyExtraTime];
/** Those of the new engine. */
const moved: readonly Kind[] = [
  ...[createStudent, createStudent, postStudent, renameStudent, renameStudent, deleteStudents, deleteByApi],
  ...[createExam, updateExam, updateExam, sendMails, deleteExam, changeProctors],
  ...timed,
];
const before: readonly Kind[] = [
  ...[importRoster, importRoster, importRoster, moveStudents, cloneExam, applyPeriod, applyPeriod, applyPeriod],
];
const kindsOf: Record<Kinds, readonly Kind[]> = { moved, times: timed, before, all: [...moved, ...before] };

export function drawIntent(draw: Draw): Intent {
  const kind = draw.random.pick(kindsOf[draw.kinds]);
  const intent = kind(draw);
  return intent ? { ...intent, ...(before.includes(kind) ? { before: true } : {}) } : createStudent(draw);
}

/** The kinds of the new engine, as `kind` of an intent names them. */
export const namesOfMoved = [
  ...['sessions create', 'students add', 'sessions update', 'sessions delete', 'api POST', 'api PATCH', 'api DELETE'],
  ...['exams create', 'exams update', 'exams send-emails', 'exams delete', 'proctors add', 'proctors remove'],
  ...['exams times', 'exams shift', 'exams delay', 'sessions extend', 'sessions times', 'accommodations apply'],
] as const;

/** An intent of this kind. */
export function drawKind(name: string, draw: Draw): Intent {
  for (;;) {
    const intent = drawIntent(draw);
    if (intent.kind === name) return intent;
  }
}
