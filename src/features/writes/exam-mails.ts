/** The students of exams are mailed: one request for each exam, sent once and never repeated. The engine looks who was mailed before. */
import { operations } from '../../api/operations.ts';
import type { Context, Result } from '../../command.ts';
import { students } from '../../model/count.ts';
import { examInWords } from '../../model/describe.ts';
import type { JsonObject } from '../../model/json.ts';
import { type Consents, carryOut, mailedOf, type Plan, type Reading, readExam, type Step } from '../../runs/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { chosenExams, type ExamSelection, typedSelection } from '../exam-selection.ts';
import { named } from './deletions.ts';
import { severalResult } from './results.ts';

export function mailStudents(context: Context, selection: ExamSelection, consents: Consents): Promise<Result> {
  const exams = chosenExams(context, selection);
  return carryOut(context, {
    kind: 'exams send-emails',
    identity: typedSelection(selection),
    consents,
    needsYes: true,
    places: async () => (await exams.ids()).map((id) => `students ${id}` as const),
    async plan(): Promise<Plan> {
      const { pacer } = await context.client();
      const mails = await pacer.map(await exams.read(), ({ id, shown }) => mailsOf(context, id, shown));
      const readings = new Map(mails.map(({ reading }) => [reading.exam, reading]));
      return { steps: mails.map(({ step }) => step), readings };
    },
    tell({ leftOut = [] }) {
      for (const said of leftOut) context.say(sentence`Not mailed: ${said}`);
    },
    question: mailsInWords,
    async result(ended) {
      if (ended.there?.is === 'mailed') for (const why of ended.there.why) context.say(sentence`Nothing was sent: ${why}`);
      return severalResult(context, ended, { did: 'sent', resource: 'exam' });
    },
  });
}

/** The mails of an exam, with the number of its students: where it differs, the plan has changed. */
export async function mailsOf(context: Context, id: string, shown: JsonObject): Promise<{ step: Step; reading: Reading }> {
  const client = await context.client();
  const reading = await readExam(client, id);
  const mailed = mailedOf(reading.sessions);
  const again = mailed === 0 ? '' : ` (${mailed} of them ${mailed === 1 ? 'was' : 'were'} mailed before and will be mailed again)`;
  const about = sentence`${examInWords(id, shown, client, context.zone())} to its ${students(reading.sessions.length)}${again}`;
  return { step: { operation: operations.sendEmails, params: { id }, exam: id, about }, reading };
}

export function mailsInWords({ steps, readings }: Plan): Sentence {
  const which = named(steps, 3);
  if (steps.length === 1) return sentence`Send the exam mails of ${which}`;
  const all = steps.reduce((sum, { exam = '' }) => sum + (readings?.get(exam)?.sessions.length ?? 0), 0);
  return sentence`Send the exam mails of ${steps.length} exams to ${students(all)}: ${which},`;
}
