/** What became of each student who was to move, from the steps of the run: moved, in both exams, unknown or not moved. */
import type { Context, Result } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { students } from '../../model/count.ts';
import { idAs } from '../../model/id.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { statusOf } from '../../model/status.ts';
import { type Ended, type Item, isUnknown, leftIn, meaningOf } from '../../runs/index.ts';
import { sentence } from '../../text/sentence.ts';
import { type Subject, severalResult } from '../writes/results.ts';

/** `earlier`: what created the sessions that another run has moved. */
export async function moveResult(context: Context, ended: Ended, earlier: readonly Item[]): Promise<Result> {
  const old = new Map<Item, Subject['before']>();
  const mailed: Item[] = [];
  const items = ended.items.flatMap((deletion) => {
    if (!deletion.step.restore) return [];
    const steps = [...(deletion.step.after ?? []).flatMap((by) => ended.items[by] ?? []), deletion];
    const item = studentOf(steps, deletion, ended.run ?? '');
    const { exam = '', params } = deletion.step;
    if (item.state === 'done' && statusOf(deletion.step.expects?.status) === 'mail_sent') mailed.push(item);
    if (item.state === 'done') old.set(item, { result: 'moved', reason: sentence`was session ${params.id ?? ''} of exam ${exam}` });
    return item;
  });
  const again = typedCommand('exams send-emails', [mailed[0]?.step.exam ?? '']);
  if (mailed.length > 0)
    context.say(sentence`${students(mailed.length)} mailed about the old exam: to mail about the new one, proctor-cli ${again}`);
  for (const item of earlier) old.set(item, { result: 'moved before', reason: 'another run has moved it' });
  const client = await context.client();
  const [examType, sessionType] = [client.idType('exam'), client.idType('session')];
  const of = (item: Item): Subject[] => {
    const { id = '', step } = item;
    const before = old.get(item);
    const subject = { exam: idAs(step.exam ?? '', examType), session: idAs(id, sessionType), email: step.email ?? null };
    return [{ ...subject, ...(before ? { before } : {}) }];
  };
  return severalResult(context, { ...ended, items: [...earlier, ...items] }, { did: 'moved', resource: 'session', of });
}

/** One for all steps of a student: the new session, or the old one and why it stays. */
function studentOf(steps: readonly Item[], deletion: Item, run: string): Item {
  const [create] = steps as readonly [Item];
  const bad = steps.find(({ state }) => state !== 'done');
  if (!bad) return create;
  const { params, exam = '', email, number } = deletion.step;
  const { id = '' } = params;
  const { state, reason, error } = bad;
  const both = create.seen && create.id !== undefined;
  const who = sentence`${email ?? number ?? 'The student'} is in exam ${create.step.exam ?? ''}, as session ${create.id ?? ''}, and session`;
  const stays = deletion.reason === 'gone' ? 'was deleted by somebody else' : sentence`of exam ${exam} stays`;
  const what = sentence`${both ? who : 'Session'} ${id} ${stays}: ${error?.message ?? meaningOf(state, reason)}`;
  const [resume, undo] = ['runs resume', 'runs undo'].map((verb) => sentence`proctor-cli ${typedCommand(verb, [run])}`);
  const isLeft = state === 'planned' || leftIn({ state: 'partial' }, [bad]).length > 0;
  const [one, other] = [id, create.id ?? ''].map((each) => sentence`proctor-cli ${typedCommand('sessions get', [each])}`);
  const back = sentence`To put the students of this run back: ${undo}; compare: ${one}; ${other}`;
  if (isUnknown(bad) || !both)
    return { ...deletion, id, state, reason, error: error && new CliError(error.code, what, { hint: error.hint }) };
  const find = sentence`Look where the student is: proctor-cli ${typedCommand('sessions find', [email ?? number ?? ''])}`;
  const hint = deletion.reason === 'gone' ? find : isLeft ? sentence`To go on: ${resume}` : back;
  return { ...deletion, id, state: 'failed', reason: 'different', error: new CliError('partly_done', what, { hint }) };
}
