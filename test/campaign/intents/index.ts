/** All kinds of intents, of which a story draws. */
import { changeProctors, cloneExam, createExam, deleteExam, sendMails, updateExam } from './exams.ts';
import { importRoster } from './import.ts';
import type { Draw, Intent, Kinds } from './intent.ts';
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
