/** Exams one by one: created, their students mailed. */
import { examInWords } from '../../api/in-words.ts';
import { operations } from '../../api/operations.ts';
import type { Column, Context, Result } from '../../command.ts';
import { count, students } from '../../model/count.ts';
import { type JsonObject, stringifyJson } from '../../model/json.ts';
import { statusOf } from '../../model/status.ts';
import { type Consents, carryOut, openStudents, type Plan, type Reading, readRecord, readStudents } from '../../runs/index.ts';
import { runOrigin } from '../../state/run-origin.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { oneResult } from './outcome-rows.ts';

/** `typedTimes`: `now+7h` is another time when the command is run again, and means the same exam. */
type Creating = { body: JsonObject; typedTimes: Readonly<Record<string, string>>; columns: readonly Column[]; consents: Consents };

export function createExam(context: Context, { body, typedTimes, columns, consents }: Creating): Promise<Result> {
  return carryOut(context, {
    kind: 'exams create',
    identity: [stringifyJson({ ...body, ...typedTimes })],
    again: 'resume',
    consents,
    plan: async () => ({ steps: [{ operation: operations.createExam, params: {}, body }] }),
    result: (ended) => oneResult(context, ended, 'created', columns),
  });
}

export function mailStudents(context: Context, id: string, consents: Consents, columns: readonly Column[]): Promise<Result> {
  const { sendEmailsBody } = context.settings().dialect;
  let unfinished: Awaited<ReturnType<typeof openStudents>> = [];
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
      const exam = await readRecord(context, 'exam', id);
      const reading = await readStudents(context, id);
      const about = mailsInWords(examInWords(id, exam, client, context.zone()), reading);
      const body = sendEmailsBody === 'empty-object' ? { body: {} } : {};
      return {
        steps: [{ operation: operations.sendEmails, params: { id }, exam: id, about, ...body }],
        readings: new Map([[id, reading]]),
      };
    },
    async tell() {
      unfinished = await openStudents(context, id);
      for (const { run, open } of unfinished)
        context.warn(
          sentence`warning: Run ${run.id} (${run.command}) is unfinished, with ${count(open, run.kind === 'sessions import' ? 'line' : 'step')} open: students that it adds later are not mailed. To finish it first, run that command again.`,
        );
    },
    question: ({ steps }) => {
      const about = steps.at(0)?.about ?? `Send the exam mails of exam ${id}`;
      return unfinished.length === 0 ? sentence`${about}` : sentence`${about}, before run ${unfinished[0]?.run.id ?? ''} is finished,`;
    },
    async result(ended) {
      if (ended.there?.is === 'mailed') {
        context.say(sentence`Nothing was sent: ${ended.there.why}.`);
        return { kind: 'nothing' };
      }
      const result = await oneResult(context, ended, 'sent', columns);
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
