/**
 * The look before mails, by the states of the students and by recorded runs. Who would be mailed twice
 * is asked about on a terminal, and an error in a script, unless a flag has said it.
 */
import type { Client } from '../api/client.ts';
import { operations, studentCreates } from '../api/operations.ts';
import { readExam } from '../api/reading.ts';
import { CliError } from '../errors.ts';
import { firstInLine, students } from '../model/count.ts';
import { idAs } from '../model/id.ts';
import { addressless, mailsOf } from '../model/mail-counts.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import type { Execution } from './execution.ts';
import type { Observation } from './judge.ts';
import { blockedBy, ConfirmationRequired, type Consented, mayAsk } from './request.ts';
import type { World } from './running.ts';
import { mailAgain, type Plan, type Step } from './step.ts';

/** `free`: nobody was mailed; `some`, `all`: were; `nobody`: there is no student. */
type Mails = { step: Step; exam: string; is: 'free' | 'nobody' | 'all' | 'some'; said: Sentence; all: number };

/** Throws `unfinished` where a run is yet to create students, `already_mailed`, or asks. */
export async function lookForMails(world: World, plan: Plan, { consents, agreed }: Consented): Promise<Plan> {
  const exams = plan.steps.flatMap(({ exam }) => exam ?? []);
  const [open] = await world.record.find(world.origin, { exams, ops: studentCreates, states: ['planned', 'sending', 'unknown'] });
  if (open) {
    const what = sentence`Run ${open.run} is unfinished, and may add students to exam ${open.exam ?? ''}: they would not be mailed.`;
    throw blockedBy(open.run, 'unfinished', what);
  }
  const all = await world.client.pacer.map(plan.steps, (step) => mailsIn(world, plan, step));
  const { resend, unlessMailed } = consents;
  const isMeant = ({ exam }: Mails) => resend || agreed.has(`mails ${exam}`);
  const isMailed = ({ is }: Mails) => is === 'some' || (is === 'all' && !unlessMailed);
  const problems = all.filter((mails) => isMailed(mails) && !isMeant(mails));
  const [first] = problems;
  if (first) {
    const asks = all.length === 1 && !unlessMailed && mayAsk(world.context);
    if (!asks) throw mailedAlready(world, first, problems, all.length);
    const whom = first.all === 1 ? 'the student' : `all ${students(first.all)}`;
    throw new ConfirmationRequired({ key: `mails ${first.exam}`, words: sentence`${first.said} Mail ${whom} again?` });
  }
  const sent = all.filter((mails) => mails.is === 'free' || (isMeant(mails) && mails.is !== 'nobody'));
  const left = all.filter((mails) => !sent.includes(mails)).map(({ said }) => said);
  if (sent.length === 0) return { steps: [], there: { is: 'mailed', why: left } };
  // Nobody is left who could be seen to be mailed: the states cannot settle a lost answer.
  const steps = sent.map(({ step, is }) => (is === 'all' ? { ...step, always: true as const } : step));
  return { ...plan, steps, leftOut: left };
}

async function mailsIn({ client, record, origin }: World, plan: Plan, step: Step): Promise<Mails> {
  const exam = step.exam ?? '';
  const { sessions } = plan.readings?.get(exam) ?? (await readExam(client, exam));
  const { all, mailed, without } = mailsOf(sessions);
  const mails = (is: Mails['is'], said: Sentence): Mails => ({ step, exam, is, said, all });
  const rest = addressless(without);
  if (all === 0) return mails('nobody', sentence`Exam ${exam} has no students.`);
  const shown = sentence`Exam ${exam} shows ${mailed} of ${students(all)} as mailed${rest}.`;
  if (mailed === all) return mails('all', shown);
  const rows = await record.find(origin, { exams: [exam], ops: [operations.sendEmails.id], states: ['done', 'unknown'] });
  const open = rows.find(({ state }) => state === 'unknown');
  if (open) return mails('some', sentence`Run ${open.run} has sent the mails of exam ${exam}, and its outcome is unknown. ${shown}`);
  const [before] = rows;
  if (before) return mails('some', sentence`Run ${before.run} has mailed the students. ${shown}`);
  return mails(mailed > 0 ? 'some' : 'free', shown);
}

function mailedAlready({ client }: World, first: Mails, problems: readonly Mails[], exams: number): CliError {
  if (exams === 1) {
    const hint = sentence`Nothing was sent. ${mailAgain(first.exam)}`;
    return new CliError('already_mailed', first.said, first.step.raw || first.is === 'some' ? { hint } : {});
  }
  const which = firstInLine(problems, ({ exam }) => exam, 10);
  const what = sentence`Students of ${problems.length} of the ${exams} exams have been mailed already: ${which}. ${first.said}`;
  const idType = client.idType('exam');
  const items = problems.map(({ exam, said }) => ({ id: idAs(exam, idType), code: 'already_mailed' as const, message: said }));
  return new CliError('already_mailed', what, { items });
}

export async function seeMails(client: Client, { step }: Execution): Promise<Observation> {
  const { sessions } = await readExam(client, step.exam ?? '');
  const { all, mailed } = mailsOf(sessions);
  return { is: 'mails', waiting: all - mailed, all };
}
