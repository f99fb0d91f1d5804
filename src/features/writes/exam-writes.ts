/** Exams one by one: created, deleted, their students mailed. What a question names is read for it, and read again after the yes. */
import type { Client } from '../../api/client.ts';
import { examInWords } from '../../api/in-words.ts';
import { operations } from '../../api/operations.ts';
import { atOnce } from '../../api/pace-calculator.ts';
import type { Column, Context, Result } from '../../command.ts';
import { orGone } from '../../errors.ts';
import { students } from '../../model/count.ts';
import { firstInLine } from '../../model/first-of.ts';
import { type JsonObject, stringifyJson } from '../../model/json.ts';
import { phaseOf, statusOf } from '../../model/status.ts';
import { type Consents, carryOut, type Plan, type Reading, readStudents, type Step } from '../../runs/index.ts';
import { runOrigin } from '../../state/run-origin.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { oneResult, severalResult } from './outcome-rows.ts';

/** `typedTimes`: `now+7h` is another time when the command is run again, and means the same exam. */
type Creating = { body: JsonObject; typedTimes: Readonly<Record<string, string>>; columns: readonly Column[]; consents: Consents };

export function createExam(context: Context, { body, typedTimes, columns, consents }: Creating): Promise<Result> {
  return carryOut(context, {
    kind: 'exams create',
    identity: [stringifyJson({ ...body, ...typedTimes })],
    again: 'resume',
    consents,
    plan: async () => ({ steps: [{ operation: operations.createExam, params: {}, body }] }),
    result: async (ended) => oneResult(context, ended, 'created', columns, (await context.client()).idType('exam')),
  });
}

/** Each exam as it is, with the number of its students: both are in the question, and the plan has changed where they differ. */
export function deleteExams(context: Context, given: readonly string[]): Promise<Result> {
  const ids = [...new Set(given)];
  let named: readonly Sentence[] = [];
  return carryOut(context, {
    kind: 'exams delete',
    identity: ids,
    again: 'resume',
    async plan() {
      const client = await context.client();
      for (const id of ids) client.plan(operations.deleteExam, { params: { id } });
      const known =
        ids.length === 1
          ? [await examToDelete(context, client, ids[0] ?? '')]
          : await client.pacer.map(ids, (id) => examOrGone(context, client, id), atOnce(ids.length));
      named = known.map((each) => each.named);
      return {
        steps: known.map(({ step }) => step),
        readings: new Map(known.flatMap(({ reading }) => (reading ? [[reading.exam, reading] as const] : []))),
      };
    },
    needsYes: true,
    question: () =>
      named.length === 1
        ? sentence`Delete ${named.join('')}`
        : sentence`Delete ${named.length} exams: ${firstInLine(named, (each) => each, 10)},`,
    typed: () => (ids.length === 1 ? ids[0] : `delete ${ids.length} exams`),
    result: async (ended) => severalResult(context, await context.client(), ended, 'deleted'),
  });
}

type ToDelete = { step: Step; named: Sentence; reading?: Reading };

/** Of several, one that is not there keeps its row. */
async function examOrGone(context: Context, client: Client, id: string): Promise<ToDelete> {
  const known = await orGone(examToDelete(context, client, id));
  return known ?? { step: { operation: operations.deleteExam, params: { id }, exam: id }, named: sentence`exam ${id} (missing)` };
}

/** Throws `not_found` where it is not there: nothing is asked about it. */
export async function examToDelete(context: Context, client: Client, id: string): Promise<Required<ToDelete>> {
  const exam = await client.get(operations.getExam, { params: { id } });
  const reading = await readStudents(context, id);
  const all = reading.sessions.length;
  const started = reading.sessions.filter(({ data }) => !['waiting', undefined].includes(phaseOf(data.status))).length;
  const about = `with ${students(all)}${started === 0 ? '' : ` (${started} of them ${started === 1 ? 'has' : 'have'} started)`}`;
  const { [client.dialect.examNameKey]: name = null, start_time = null, end_time = null } = exam;
  const expects = { [client.dialect.examNameKey]: name, start_time, end_time };
  return {
    step: { operation: operations.deleteExam, params: { id }, exam: id, expects, about },
    named: sentence`${examInWords(id, exam, client, context.zone())} ${about}`,
    reading,
  };
}

export function mailStudents(context: Context, id: string, consents: Consents, columns: readonly Column[]): Promise<Result> {
  const { sendEmailsBody } = context.settings().dialect;
  return carryOut(context, {
    kind: 'exams send-emails',
    // Looking and sending are one: between them, another process would mail the same students.
    lock: `mails ${runOrigin(context.settings())} ${id}`,
    identity: [id],
    again: 'resume',
    consents,
    needsYes: true,
    async plan(): Promise<Plan> {
      const client = await context.client();
      const exam = await client.get(operations.getExam, { params: { id } });
      const reading = await readStudents(context, id);
      const about = mailsInWords(examInWords(id, exam, client, context.zone()), reading);
      const body = sendEmailsBody === 'empty-object' ? { body: {} } : {};
      return {
        steps: [{ operation: operations.sendEmails, params: { id }, exam: id, about, ...body }],
        readings: new Map([[id, reading]]),
      };
    },
    question: ({ steps }) => sentence`${steps.at(0)?.about ?? `Send the exam mails of exam ${id}`}`,
    async result(ended) {
      if (ended.there?.is === 'mailed') {
        context.say(sentence`Nothing was sent: ${ended.there.why}.`);
        return { kind: 'nothing' };
      }
      const result = oneResult(context, ended, 'sent', columns, (await context.client()).idType('exam'));
      return result.kind === 'one' ? { ...result, id: null } : result;
    },
  });
}

/** The question about the mails of an exam. */
export function mailsInWords(exam: Sentence, { sessions: all }: Reading): Sentence {
  const mailed = all.filter(({ data }) => (statusOf(data.status) ?? 'registered') !== 'registered').length;
  const again = mailed === 0 ? '' : ` (${mailed} of them ${mailed === 1 ? 'was' : 'were'} mailed before and will be mailed again)`;
  return sentence`Send the exam mails of ${exam} to its ${students(all.length)}${again}`;
}
