/**
 * Mails: one POST per consent, whatever the answer. This file is the guarantee: what is asked before, that no refusal
 * is answered by another request (`refusalIsFinal`), and that no other way sends them again (`resend`).
 */

import { type Moment, momentOf } from '../../api/known.ts';
import { operations } from '../../api/operations.ts';
import { readExam } from '../../api/reading.ts';
import { CliError } from '../../errors.ts';
import { idAs, textIn } from '../../model/json.ts';
import { addressless, type Listed, mailsOf } from '../../model/listing.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { phaseOf, statusOf } from '../../model/status.ts';
import { capitalised, firstInLine, quote, type Sentence, sentence, students } from '../../text/sentence.ts';
import type { ActiveRun } from '../active-run.ts';
import { type Engine, maxReadAgeMs } from '../engine.ts';
import { type Change, type Execution, isUnknown } from '../execution.ts';
import { existingIn, refuseUnfinishedCreates } from '../existing-records.ts';
import { ConfirmationRequired, type Consented, mayAsk } from '../request.ts';
import { stays } from '../undoing.ts';
import { acknowledged, notApplied, type Observation, type StepRules, shownDone, staysUnknown, type VerdictOptions } from './rules.ts';
import type { Plan, SendMails } from './step.ts';
import { changed } from './target.ts';

export const sendMails: StepRules<SendMails> = {
  locks: ({ exam }) => [`students ${exam}`],
  mayTake: () => true,
  losses: async (_engine, { step: { exam } }) => [{ exam, why: 'mail its students', whyOf: disturbance, hint: mailDuringExam }],
  checkPlan,
  precheck,
  refusalIsFinal: true,
  onSuccess: acknowledged,
  // If only a part of the mails was denied, the others may have been sent.
  onDenial: (error) => ({
    is: 'unknown',
    error,
    facts: { code: error.code === 'not_applied' ? 'denied' : 'denied in part' },
  }),
  isIdempotent: false,
  isVerifiable: true,
  list: () => null,
  async observe({ run }, { step }) {
    const { all: sessions } = await readExam(run.engine.client, step.exam);
    const { all, mailed } = mailsOf(sessions);
    return { is: 'mails', waiting: all - mailed, all };
  },
  verdict,
  resend: 'never',
  isReversible: false,
  inverse: () => stays`mails cannot be taken back`,
};

const mailDuringExam = sentence`To mail them all the same: --during-exam "REASON", then type the ID of the exam; in a script, add --yes.`;

/** What mails take from students: nothing before anybody is in the check, when students need them. */
function disturbance(sessions: readonly Listed[]): string | undefined {
  if (sessions.every(({ data }) => phaseOf(data.status) === 'waiting')) return undefined;
  const { all, mailed } = mailsOf(sessions);
  return `mail its ${students(all)}, ${mailed} of them again`;
}

/** Students whom somebody else has mailed since are not mailed again: nobody has consented to that. */
async function precheck({ engine }: ActiveRun, { step: { exam, again } }: Execution<SendMails>): Promise<Moment | Change> {
  const began = momentOf(engine.host);
  if (again) return began;
  const { all, mailed } = mailsOf((await engine.reads.students(exam, maxReadAgeMs(engine))).all);
  if (mailed === 0) return began;
  const what = sentence`Exam ${exam} shows ${mailed} of ${students(all)} as mailed by now.`;
  return changed(new CliError('already_mailed', what, { hint: sentence`Nothing was sent for it. ${mailAgain(exam)}` }));
}

/** The states of the students decide: it is done once all are shown as mailed. */
function verdict(execution: Execution<SendMails>, observation: Observation, { isLast }: VerdictOptions): Change | undefined {
  if (observation.is !== 'mails') return undefined;
  const { waiting, all } = observation;
  const { step, code } = execution;
  const isNone = waiting === all && all > 0;
  if (code === 'denied' && isNone) return notApplied(execution, sentence`no student is shown as mailed.`);
  const shows = sentence`exam ${step.exam} shows ${all - waiting} of ${students(all)} as mailed`;
  if (waiting === 0 && step.again !== 'all') return shownDone(execution, { owned: true }, shows);
  return isLast ? staysUnknown(execution, sentence`${capitalised(shows)}`, mailAgain(step.exam)) : undefined;
}

/** The command that mails the exams that were not; undefined where there are none. */
export function mailingCommand(executions: readonly Execution[]): string | undefined {
  const isLeft = (each: Execution) => each.step.kind === 'send mails' && each.state !== 'done' && !isUnknown(each);
  const left = executions.filter(isLeft);
  const exams = left.flatMap(({ exam }) => exam ?? []);
  const isAgain = left.some(({ step }) => step.kind === 'send mails' && step.again);
  return exams.length === 0 ? undefined : typedCommand('exams send-emails', exams, isAgain ? '--resend' : '');
}

const wholeExams = sentence`The service mails all students of an exam, never single ones.`;

function mailAgain(...exams: readonly string[]): Sentence {
  return sentence`${wholeExams} To mail all of them again: proctor-cli ${typedCommand('exams send-emails', exams, '--resend')}`;
}

/** `free`: nobody was mailed; `some`, `all`: so many were; `nobody`: the exam has no student. */
type Mails = { step: SendMails; exam: string; is: 'free' | 'nobody' | 'all' | 'some'; said: Sentence; all: number };

/**
 * By the states of the students and by recorded runs: who would be mailed twice is asked about on a terminal, and an error
 * in a script, unless a flag has said it. Throws `unfinished` where a run is yet to create students, `already_mailed`, or asks.
 */
async function checkPlan(engine: Engine, plan: Plan, { consents, agreed }: Consented): Promise<Plan> {
  const steps = plan.steps.flatMap((step) => (step.kind === 'send mails' ? step : []));
  const exams = steps.map(({ exam }) => exam);
  await refuseUnfinishedCreates(engine, exams, 'would not be mailed');
  const { resend, unlessMailed } = consents;
  const all = await engine.client.pacer.map(steps, (step) => mailsIn(engine, plan, step, resend));
  const isMeant = ({ exam }: Mails) => resend || agreed.has(`mails ${exam}`);
  const sent = all.filter((mails) => mails.is === 'free' || (isMeant(mails) && mails.is !== 'nobody'));
  const left = all.filter((mails) => !sent.includes(mails));
  const isProblem = ({ is }: Mails) => (unlessMailed ? is === 'some' && sent.length === 0 : is !== 'nobody');
  const problems = left.filter(isProblem);
  const [first] = problems;
  if (first) {
    const asks = all.length === 1 && !unlessMailed && mayAsk(engine.context);
    if (!asks) throw mailedAlready(engine, problems, all.length, unlessMailed);
    const whom = first.all === 1 ? 'the student' : `all ${students(first.all)}`;
    const steps = [asMeant(first)];
    throw new ConfirmationRequired({
      key: `mails ${first.exam}`,
      words: sentence`${first.said} Mail ${whom} again ${engine.context.place()}?`,
      steps,
    });
  }
  const some = left.filter(({ is }) => is === 'some');
  const whole = typedCommand(
    'exams send-emails',
    some.map(({ exam }) => exam),
    '--resend',
  );
  const hint = sentence`${wholeExams} To mail all students of what was left out: proctor-cli ${whole}`;
  const idType = engine.client.idType('exam');
  const partly = some.map(({ exam, said }) => ({ id: idAs(exam, idType), error: new CliError('already_mailed', said, { hint }) }));
  const there = { is: 'mailed', why: left.map(({ said }) => said), partly } as const;
  return { ...plan, steps: sent.map((mails) => (isMeant(mails) ? asMeant(mails) : mails.step)), there };
}

function asMeant({ step, is }: Mails): SendMails {
  return { ...step, again: is === 'all' ? 'all' : 'some' };
}

/** Throws `list_in_doubt` for a list that hides whether somebody was mailed. */
async function mailsIn(engine: Engine, plan: Plan, step: SendMails, resend = false): Promise<Mails> {
  const { record, origin } = engine;
  const { exam } = step;
  const existing = await existingIn(engine, exam, plan.readings?.get(exam));
  const { all: sessions } = resend ? existing.reading : await existing.whole();
  const { all, mailed, without } = mailsOf(sessions);
  const mails = (is: Mails['is'], said: Sentence): Mails => ({ step, exam, is, said, all });
  const rest = addressless(without);
  if (all === 0) return mails('nobody', sentence`Exam ${exam} has no students.`);
  const odd = sessions.map(({ data }) => textIn(data.status)).find((status) => status !== undefined && !statusOf(status));
  const so = odd === undefined ? '' : sentence`, if the status ${quote(odd)} says so`;
  const shown = sentence`Exam ${exam} shows ${mailed} of ${students(all)} as mailed${so}${rest}.`;
  if (mailed === all) return mails('all', shown);
  const rows = await record.find(origin, { exams: [exam], ops: [operations.sendEmails.id] });
  const wereSent = rows.filter(({ state, reason }) => ['done', 'unknown'].includes(state) || reason === 'closed');
  const open = wereSent.find(({ state }) => state !== 'done');
  if (open) return mails('some', sentence`Run ${open.run} has sent the mails of exam ${exam}, and its outcome is unknown. ${shown}`);
  const [before] = wereSent;
  if (before) return mails('some', sentence`Run ${before.run} has mailed exam ${exam} before. ${shown}`);
  return mails(mailed > 0 ? 'some' : 'free', shown);
}

function mailedAlready({ client }: Engine, problems: readonly Mails[], exams: number, isGiven = false): CliError {
  const [first] = problems as [Mails];
  const again = sentence`Nothing was sent. ${mailAgain(...problems.map(({ exam }) => exam))}`;
  const hint = isGiven || (exams === 1 && (first.step.typed || first.is === 'some')) ? { hint: again } : {};
  if (exams === 1) return new CliError('already_mailed', first.said, hint);
  const which = firstInLine(problems, ({ exam }) => exam, 10);
  const what = sentence`Students of ${problems.length} of the ${exams} exams have been mailed already: ${which}. ${first.said}`;
  const idType = client.idType('exam');
  const items = problems.map(({ exam, said }) => ({ id: idAs(exam, idType), code: 'already_mailed' as const, message: said }));
  return new CliError('already_mailed', what, { ...hint, items });
}
