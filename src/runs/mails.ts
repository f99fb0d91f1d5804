/** Before exams are mailed: whose students have been mailed already, by their states and by the runs of mails that are recorded. */
import { operations, studentCreates } from '../api/operations.ts';
import { CliError } from '../errors.ts';
import { canAsk } from '../host/host.ts';
import { students } from '../model/count.ts';
import { firstInLine } from '../model/first-of.ts';
import { idAs } from '../model/id.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { blockedBy } from './ended.ts';
import { mailedOf, readExam } from './reading.ts';
import { Asks, type Looked, type Said } from './request.ts';
import type { World } from './running.ts';
import type { Plan, Step } from './step.ts';

/** `free`: nobody was mailed; `mailed`: some or all, as far as states and runs say; `nobody`: there is no student. */
type Mails = { step: Step; exam: string; is: 'free' | 'nobody' | 'all' | 'some' | 'unseen'; said: Sentence; all: number };

export async function lookForMails(world: World, plan: Plan, { consents, agreed }: Said): Promise<Looked> {
  const { globals, host } = world.context;
  await refuseUnfinishedCreates(world, plan);
  const all = await world.client.pacer.map(plan.steps, (step) => mailsOf(world, plan, step));
  const isMeant = ({ exam }: Mails) => consents.resend || agreed.has(`mails ${exam}`);
  const isProblem = (mails: Mails) =>
    !isMeant(mails) && (mails.is === 'some' || mails.is === 'unseen' || (mails.is === 'all' && !consents.unlessMailed));
  const problems = all.filter(isProblem);
  const [only] = problems;
  if (only) {
    const asks = all.length === 1 && !consents.unlessMailed && !globals.yes && !globals.dryRun && canAsk(host, globals.noInput);
    if (!asks) throw mailedAlready(world, problems, all.length);
    const words = sentence`${only.said} Mail ${only.all === 1 ? 'the student' : `all ${students(only.all)}`} again?`;
    throw new Asks({ key: `mails ${only.exam}`, words });
  }
  const sent = all.filter((mails) => mails.is === 'free' || (isMeant(mails) && mails.is !== 'nobody'));
  const left = all.filter((mails) => !sent.includes(mails)).map(({ said }) => said);
  if (sent.length === 0) return { is: 'mailed', why: left };
  // Nobody is left who could be seen to be mailed: an answer that is lost cannot be settled by the states.
  const steps = sent.map(({ step, is }) => (is === 'all' ? { ...step, always: true as const } : step));
  return { is: 'free', plan: { ...plan, steps, leftOut: left }, wasThere: new Set() };
}

async function mailsOf({ client, record, origin }: World, plan: Plan, step: Step): Promise<Mails> {
  const exam = step.exam ?? '';
  const { sessions } = plan.readings?.get(exam) ?? (await readExam(client, exam));
  const [all, mailed] = [sessions.length, mailedOf(sessions)];
  const mails = (is: Mails['is'], said: Sentence): Mails => ({ step, exam, is, said, all });
  if (all === 0) return mails('nobody', sentence`Exam ${exam} has no students.`);
  const rows = await record.find(origin, { exams: [exam], ops: [operations.sendEmails.id], states: ['done', 'unknown'] });
  const open = rows.find(({ state }) => state === 'unknown');
  const [whose, have] = all === 1 ? ['The student', 'has'] : [`All ${students(all)}`, 'have'];
  if (mailed === all) return mails('all', sentence`${whose} of exam ${exam} ${have} been mailed already.`);
  const shown = sentence`${mailed} of ${students(all)} are shown as mailed.`;
  if (open) return mails('unseen', sentence`Run ${open.run} has sent the mails of exam ${exam}, and its outcome is unknown: ${shown}`);
  if (mailed > 0)
    return mails('some', sentence`${mailed} of the ${students(all)} of exam ${exam} have been mailed already, ${all - mailed} have not.`);
  const [before] = rows;
  if (!before) return mails('free', sentence`No student of exam ${exam} has been mailed.`);
  return mails('unseen', sentence`Run ${before.run} has mailed the students of exam ${exam}, and ${shown}`);
}

function mailedAlready({ client }: World, problems: readonly Mails[], exams: number): CliError {
  const [first] = problems;
  const again = first?.step.raw && typedCommand('exams send-emails', [first.exam], '--resend');
  const hint = again && sentence`Nothing was sent. To mail all of them again: proctor-cli ${again}`;
  if (exams === 1 && first) return new CliError('already_mailed', first.said, hint ? { hint } : {});
  const which = firstInLine(problems, ({ exam }) => exam, 10);
  const what = sentence`Students of ${problems.length} of the ${exams} exams have been mailed already: ${which}. ${first?.said ?? ''}`;
  const idType = client.idType('exam');
  const items = problems.map(({ exam, said }) => ({ id: idAs(exam, idType), code: 'already_mailed' as const, message: said }));
  return new CliError('already_mailed', what, {
    hint: 'Nothing was sent. --unless-mailed leaves out exams in which all have been mailed, --resend mails all students of all exams.',
    items,
  });
}

/** Students whom an unfinished run is yet to create would not be mailed. Throws `unfinished`. */
async function refuseUnfinishedCreates({ record, origin }: World, { steps }: Plan): Promise<void> {
  const exams = steps.flatMap(({ exam }) => exam ?? []);
  const [open] = await record.find(origin, { exams, ops: studentCreates, states: ['planned', 'sending', 'unknown'] });
  if (!open) return;
  const what = sentence`Run ${open.run} is unfinished, and may add students to exam ${open.exam ?? ''}: they would not be mailed.`;
  throw blockedBy(open.run, 'unfinished', what);
}
