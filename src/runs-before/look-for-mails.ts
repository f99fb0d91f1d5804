/** Before exams are mailed: whose students have been mailed already, by their states and by the finished runs of mails. */
import { CliError } from '../errors.ts';
import { canAsk } from '../host/host.ts';
import { count, students } from '../model/count.ts';
import { firstInLine } from '../model/first-of.ts';
import { type IdType, idAs } from '../model/id.ts';
import { statusOf } from '../model/status.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import type { Consents, Looked } from './looked.ts';
import { type Reading, readExam } from './reading.ts';
import { eachStep, examOfStep, type Plan, type Step } from './step.ts';
import type { World } from './world.ts';

/**
 * What is known of the mails of one exam: `free`: nobody has been mailed; `nobody`: it has no students; `all`: the states show that
 * everybody was mailed; `some`: only some; `unseen`: a run from here has mailed them, and no state shows it. `said`: as a whole sentence.
 */
type Mails = { exam: string; step: Step; reading: Reading; is: 'free' | 'nobody' | 'all' | 'some' | 'unseen'; said: Sentence };

export async function lookForMails(world: World, plan: Plan, consents: Consents): Promise<Looked> {
  const all = await Promise.all([...eachStep(plan.steps)].map(([, step]) => mailsOf(world, plan, step)));
  const [only] = all;
  const isAgain = only !== undefined && all.length === 1 && !consents.resend && (await isMeant(world, only, consents));
  const given: Consents = isAgain ? { ...consents, resend: true } : consents;
  const problems = all.filter((mails) => isProblem(mails, given));
  if (problems.length > 0) throw problemOf(problems, { exams: all.length, idType: world.client.idType('exam'), consents });
  const [sent, left] = [all.filter((mails) => isSent(mails, given)), all.filter((mails) => !isSent(mails, given))];
  if (sent.length === 0) return { is: 'mailed', why: left.map(({ said }) => said) };
  return {
    is: 'free',
    plan: {
      ...plan,
      // Nobody is left who could be seen to be mailed: an answer that is lost cannot be settled by the states.
      steps: sent.map(({ step, is }) => (is === 'all' ? { ...step, always: true } : step)),
      readings: new Map(all.map(({ exam, reading }) => [exam, reading])),
      leftOut: left.map(({ said }) => said),
    },
    listed: [],
    stale: [],
  };
}

async function mailsOf(world: World, plan: Plan, step: Step): Promise<Mails> {
  const exam = examOfStep(step) ?? '';
  const reading = plan.readings?.get(exam) ?? (await readExam(world.client, world.host, exam, world.keep));
  const of = { exam, step, reading };
  const all = reading.sessions.length;
  // Nobody is mailed, and nothing would show it: a later run is not to be kept from mailing those who are added.
  if (all === 0) return { ...of, is: 'nobody', said: sentence`Exam ${exam} has no students.` };
  const mailed = reading.sessions.filter(({ data }) => (statusOf(data.status) ?? 'registered') !== 'registered').length;
  if (mailed === all) return { ...of, is: 'all', said: sentence`All ${students(all)} of exam ${exam} have been mailed already.` };
  if (mailed > 0) {
    const said = sentence`${mailed} of the ${students(all)} of exam ${exam} have been mailed already, ${all - mailed} have not.`;
    return { ...of, is: 'some', said };
  }
  const earlier = await mailedBefore(world, exam);
  if (earlier === undefined) return { ...of, is: 'free', said: sentence`No student of exam ${exam} has been mailed.` };
  return {
    ...of,
    is: 'unseen',
    said: sentence`Run ${earlier} has mailed the students of exam ${exam}, and none of ${students(all)} is shown as mailed.`,
  };
}

function isProblem({ is }: Mails, { resend, unlessMailed }: Consents): boolean {
  if (resend) return false;
  // Students may have been added since.
  return is === 'some' || is === 'unseen' || (is === 'all' && !unlessMailed);
}

function isSent({ is }: Mails, { resend }: Consents): boolean {
  return is === 'free' || (resend === true && is !== 'nobody');
}

/** Of one exam, a person may say that all are to be mailed again. */
async function isMeant({ context: { globals, host } }: World, mails: Mails, consents: Consents): Promise<boolean> {
  const { is, said, reading } = mails;
  const asks = is !== 'some' && isProblem(mails, consents) && !consents.unlessMailed;
  if (!asks || globals.yes || globals.dryRun || !canAsk(host, globals.noInput)) return false;
  const all = reading.sessions.length;
  if (await host.prompts.confirm(sentence`${said} Mail ${all === 1 ? 'the student' : `all ${count(all, 'student')}`} again?`)) return true;
  throw new CliError('interrupted', 'Cancelled.', { hint: 'Nothing was changed.' });
}

type Judged = { exams: number; idType: IdType | undefined; consents: Consents };

function problemOf(problems: readonly Mails[], { exams, idType, consents: { unlessMailed } }: Judged): CliError {
  const codeOf = ({ is }: Mails) => (is === 'all' || (is === 'unseen' && !unlessMailed) ? 'already_mailed' : 'partly_mailed');
  const code = problems.every((mails) => codeOf(mails) === 'already_mailed') ? 'already_mailed' : 'partly_mailed';
  const [first] = problems;
  if (exams === 1 && first) return new CliError(code, first.said);
  const which = firstInLine(problems, ({ exam }) => exam, 10);
  return new CliError(
    code,
    sentence`Students of ${problems.length} of the ${count(exams, 'exam')} have been mailed already: ${problems.length === 1 ? 'exam' : 'exams'} ${which}. ${first?.said ?? ''}`,
    {
      hint:
        code === 'already_mailed'
          ? 'Nothing was sent. --unless-mailed leaves these exams out, --resend mails all students of all exams.'
          : 'Nothing was sent. Leave out the exams in which only some have been mailed, or mail all students of all exams with --resend.',
      items: problems.map((mails) => ({ id: idAs(mails.exam, idType), code: codeOf(mails), message: mails.said })),
    },
  );
}

/** The run of mails that was done for an exam from here. */
async function mailedBefore({ state, origin }: World, exam: string): Promise<string | undefined> {
  for (const run of await state.runs()) {
    if (run.origin !== origin || run.kind !== 'exams send-emails') continue;
    const step = (await state.steps(run.id)).find(({ target }) => target === exam);
    if (step && (await state.events(run.id)).some(({ n, event }) => n === step.n && event === 'done')) return run.id;
  }
  return undefined;
}
