/** All kinds of intents, of which a story draws. */
import { changeProctors, cloneExam, createExam, deleteExam, sendMails, updateExam } from './exams.ts';
import { importRoster } from './import.ts';
import type { Draw, Intent, Kinds } from './intent.ts';
import { applyPeriod } from './period.ts';
import { createStudent, deleteByApi, deleteStudents, moveStudents, postStudent, renameStudent, setTimes } from './students.ts';
import { applyAccommodations, extendStudents, moveExam } from './times.ts';

type Kind = (draw: Draw) => Intent | undefined;

/** Those of the new engine. */
const moved: readonly Kind[] = [
  ...[createStudent, createStudent, postStudent, renameStudent, renameStudent, deleteStudents, deleteByApi],
  ...[createExam, updateExam, updateExam, sendMails, deleteExam, changeProctors],
];
const before: readonly Kind[] = [
  ...[importRoster, importRoster, importRoster, setTimes, moveStudents, extendStudents, moveExam, moveExam],
  ...[applyAccommodations, cloneExam, applyPeriod, applyPeriod, applyPeriod],
];
const kindsOf: Record<Kinds, readonly Kind[]> = { moved, before, all: [...moved, ...before] };

export function drawIntent(draw: Draw): Intent {
  const kind = draw.random.pick(kindsOf[draw.kinds]);
  const intent = kind(draw);
  return intent ? { ...intent, ...(before.includes(kind) ? { before: true } : {}) } : createStudent(draw);
}

/** The kinds of single writes, as `kind` of an intent names them. */
export const namesOfMoved = [
  ...['sessions create', 'students add', 'sessions update', 'sessions delete', 'api POST', 'api PATCH', 'api DELETE'],
  ...['exams create', 'exams update', 'exams send-emails', 'exams delete', 'proctors add', 'proctors remove'],
] as const;

/** An intent of this kind. */
export function drawKind(name: string, draw: Draw): Intent {
  for (;;) {
    const intent = drawIntent(draw);
    if (intent.kind === name) return intent;
  }
}
