/** The students of exams are mailed: one request for each exam, sent once and never repeated. */
import { examInWords } from '../../api/in-words.ts';
import { operations } from '../../api/operations.ts';
import type { Context, Result } from '../../command.ts';
import { count, students } from '../../model/count.ts';
import { firstInLine } from '../../model/first-of.ts';
import { statusOf } from '../../model/status.ts';
import { type Consents, carryOut, openStudents, type Plan, type Reading, readStudents } from '../../runs-before/index.ts';
import { runOrigin } from '../../state/run-origin.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import type { ExamSelection } from '../exam-selection.ts';
import { settledSelection } from '../settled-selection.ts';
import { severalResult } from './outcome-rows.ts';

/** `mailed`: how many of its students have been mailed before. */
type MailedExam = { named: Sentence; all: number; mailed: number };

export async function mailStudents(context: Context, selection: ExamSelection, consents: Consents): Promise<Result> {
  const chosen = await settledSelection(context, selection);
  const exams = new Map<string, MailedExam>();
  let unfinished: string | undefined;
  return carryOut(context, {
    kind: 'exams send-emails',
    // Looking and sending are one: between them, another process would mail the same students.
    locks: chosen.ids.map((id) => `mails ${runOrigin(context.settings())} ${id}`),
    identity: chosen.ids.toSorted(),
    again: 'resume',
    consents,
    needsYes: true,
    async plan(): Promise<Plan> {
      const client = await context.client();
      const readings = new Map<string, Reading>();
      const selected = await chosen.read();
      await client.pacer.map(selected, async ({ id, shown }) => {
        const reading = await readStudents(context, id);
        const named = examInWords(id, shown, client, context.zone());
        readings.set(id, reading);
        exams.set(id, { named, all: reading.sessions.length, mailed: mailedIn(reading) });
      });
      const steps = selected.map(({ id }) => {
        const about = mailsInWords([exams.get(id)].flatMap((exam) => exam ?? []));
        return { operation: operations.sendEmails, params: { id }, exam: id, about };
      });
      return { steps, readings };
    },
    async tell({ steps, leftOut = [] }) {
      for (const said of leftOut) context.say(sentence`Not mailed: ${said}`);
      unfinished = undefined;
      for (let index = 0; index < steps.length; index += 1)
        for (const { run, open } of await openStudents(context, steps.at(index)?.exam ?? '')) {
          unfinished ??= run.id;
          context.warn(
            sentence`warning: Run ${run.id} (${run.command}) is unfinished, with ${count(open, run.kind === 'sessions import' ? 'line' : 'step')} open: students that it adds later are not mailed. To finish it first, run that command again.`,
          );
        }
    },
    question: ({ steps }) => {
      const mailed = Array.from({ length: steps.length }, (_, index) => exams.get(steps.at(index)?.exam ?? '') ?? []).flat();
      const about = mailsInWords(mailed);
      return unfinished === undefined ? about : sentence`${about}, before run ${unfinished} is finished,`;
    },
    async result(ended) {
      if (ended.there?.is === 'mailed') for (const why of ended.there.why) context.say(sentence`Nothing was sent: ${why}`);
      return severalResult(context, ended, 'sent');
    },
  });
}

function mailedIn({ sessions }: Reading): number {
  return sessions.filter(({ data }) => (statusOf(data.status) ?? 'registered') !== 'registered').length;
}

/** The question about the mails of exams. */
function mailsInWords(exams: readonly MailedExam[]): Sentence {
  const sum = (of: 'all' | 'mailed') => exams.reduce((total, exam) => total + exam[of], 0);
  const mailed = sum('mailed');
  const again = mailed === 0 ? '' : ` (${mailed} of them ${mailed === 1 ? 'was' : 'were'} mailed before and will be mailed again)`;
  const to = `${exams.length === 1 ? 'its' : 'their'} ${students(sum('all'))}${again}`;
  if (exams.length === 1) return sentence`Send the exam mails of ${exams[0]?.named ?? ''} to ${to}`;
  return sentence`Send the exam mails of ${exams.length} exams (${firstInLine(exams, ({ named }) => named, 3)}) to ${to}`;
}

/** The question about the mails of one exam, which a request of `api` sends. */
export function examMailsInWords(named: Sentence, reading: Reading): Sentence {
  return mailsInWords([{ named, all: reading.sessions.length, mailed: mailedIn(reading) }]);
}
