/** An exam and its students for the tests of the report. */

import { type Circumstances, reportOf } from '../../../src/features/exam-report/report-figures.ts';
import type { JsonObject } from '../../../src/model/json.ts';

export const exam: JsonObject = { id: 42, name: 'Algebra', start_time: '2027-02-01T08:00:00Z', end_time: '2027-02-01T10:00:00Z' };
export const afterwards = Date.parse('2027-02-02T08:00:00Z');

const dialect: Circumstances['dialect'] = { examNameKey: 'name', sessionNameKey: 'name' };

let ids = 0;
export const student = (fields: JsonObject): JsonObject => {
  ids += 1;
  return { id: ids, email: `s${ids}@example.org`, name: `Student ${ids}`, status: 'exam_finished', level_of_suspicion: 0, ...fields };
};

export const report = (students: Iterable<JsonObject> | AsyncIterable<JsonObject>, of: JsonObject = exam, now: number = afterwards) =>
  reportOf(of, students, { now, origin: 'https://proctor.example', dialect });
