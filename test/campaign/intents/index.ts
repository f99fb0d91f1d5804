/** All kinds of intents, of which a story draws. */
import { changeProctors, cloneExam, createExam, deleteExam, sendMails, updateExam } from './exams.ts';
import { importRoster } from './import.ts';
import type { Draw, Intent } from './intent.ts';
import { applyPeriod } from './period.ts';
import { createStudent, deleteStudents, moveStudents, postStudent, updateStudent } from './students.ts';
import { applyAccommodations, extendStudents, moveExam } from './times.ts';

const kinds: readonly ((draw: Draw) => Intent | undefined)[] = [
  importRoster,
  importRoster,
  importRoster,
  createStudent,
  createStudent,
  postStudent,
  updateStudent,
  deleteStudents,
  moveStudents,
  extendStudents,
  moveExam,
  moveExam,
  applyAccommodations,
  createExam,
  updateExam,
  sendMails,
  cloneExam,
  deleteExam,
  changeProctors,
  applyPeriod,
  applyPeriod,
  applyPeriod,
];

export function drawIntent(draw: Draw): Intent {
  return draw.random.pick(kinds)(draw) ?? createStudent(draw);
}
