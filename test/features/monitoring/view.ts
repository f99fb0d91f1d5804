/** An exam and its students as a list shows them, and the view of them at a moment. */
import type { Client } from '../../../src/api/client.ts';
import { defaultDialect } from '../../../src/api/dialect.ts';
import { selectedExam } from '../../../src/features/exam-selection.ts';
import { type ExamView, viewExam } from '../../../src/features/monitoring/exam-view.ts';
import type { JsonObject } from '../../../src/model/json.ts';

export const minute = 60_000;
export const start = Date.parse('2027-02-01T08:00:00Z');
export const algebra: JsonObject = { id: 42, name: 'Algebra', start_time: '2027-02-01T08:00:00Z', end_time: '2027-02-01T10:00:00Z' };

export const client = (sessions: readonly JsonObject[]) =>
  ({ origin: 'https://proctor.example', dialect: defaultDialect, list: async () => sessions }) as unknown as Client;

type Look = { exam?: JsonObject; minutes?: number; late?: number };

/** `minutes`: after the start; a day later unless it is given. `late`: in minutes. */
export function view(sessions: readonly JsonObject[], { exam = algebra, minutes = 24 * 60, late = 10 }: Look = {}): Promise<ExamView> {
  const asked = client(sessions);
  const clock = { now: () => start + minutes * minute };
  return viewExam(asked, selectedExam(exam, asked), clock, late * minute);
}
