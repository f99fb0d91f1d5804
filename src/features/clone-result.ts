/** What became of a clone, from the steps of its run: the exam, its proctors, and each student. */
import type { Client } from '../api/client.ts';
import { operations } from '../api/operations.ts';
import type { Column, Context, Result } from '../command.ts';
import { CliError } from '../errors.ts';
import { students } from '../model/count.ts';
import { firstLines } from '../model/first-of.ts';
import { isJsonObject, textOfJson } from '../model/json.ts';
import { typedCommand, typedOption } from '../model/shell-quote.ts';
import { createsStudent, type Ended, isGood, isOpen, type Outcome } from '../runs/index.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { sayUndo } from './writes/outcome-rows.ts';

/** `from`: the exam that was cloned. `copies`: its students as well. */
type Cloned = { from: string; copies: boolean; columns: readonly Column[] };

export async function cloneResult(context: Context, client: Client, ended: Ended, { from, copies, columns }: Cloned): Promise<Result> {
  if (ended.there?.is === 'there') {
    const more = copies ? ' Its proctors and students were not compared.' : ' Its proctors were not compared.';
    context.say(sentence`It is there already; nothing was sent.${more}`);
    return { kind: 'one', row: ended.there.shown, columns };
  }
  const idType = client.idType('exam');
  const [exam, ...others] = ended.outcomes();
  if (!exam) return { kind: 'nothing' };
  const { id } = exam;
  const isThere = id !== undefined && (isGood(exam.state) || exam.state === 'different');
  if (!isThere) throw ended.failure({ did: 'created', idType, of: [exam] }) ?? new CliError('not_applied', 'The exam was not created.');
  const pool = others.find(({ step }) => step.operation.id === operations.addProctors.id);
  const copied = copiesOf(others);
  const failure = ended.failure({ did: 'done', idType, of: [exam, ...(pool ? [pool] : []), ...copied], follows: true });
  if (exam.evidence !== undefined) context.say(exam.evidence);
  for (const { stored } of copied) if (stored !== undefined) context.say(sentence`Stored as ${stored}.`);
  if (copies && !failure && copied.length > 0) context.say(sentence`Copied ${students(copied.length)} to exam ${id}.`);
  // Without open_time and close_time: those of the old exam would shut its students out of the new one.
  if (!copies)
    context.say(
      sentence`Students are not copied. To import them: proctor-cli sessions export ${typedOption('--exam', from)} --columns email,name,skip_requirements -o csv | proctor-cli sessions import - ${typedOption('--exam', id)}`,
    );
  sayUndo(context, ended);
  const row = isJsonObject(exam.shown) ? exam.shown : await client.get(operations.getExam, { params: { id } });
  const result = { kind: 'one', row, columns } as const;
  if (!failure) return result;
  const problems = copied.flatMap(({ step, error }) => (error ? [sentence`${step.email ?? 'a student'}: ${error.message}`] : []));
  if (problems.length > 1) for (const line of firstLines(problems, (text) => text)) context.warn(line);
  const { code, items, status } = failure;
  const hint = hintOf(failure, { exam, pool, copied, id, client });
  const message = exam.error ? failure.message : sentence`Exam ${id} was created. ${failure.message}`;
  const error = new CliError(code, message, { hint, ...(items ? { items } : {}), ...(status === undefined ? {} : { status }) });
  return { ...result, failure: error };
}

type Parts = { exam: Outcome; pool: Outcome | undefined; copied: readonly Outcome[]; id: string };

/** One outcome for each student: that of the creation, or of the time that was set afterwards and failed. */
function copiesOf(outcomes: readonly Outcome[]): Outcome[] {
  const later = new Map(
    outcomes.flatMap((outcome) => (outcome.step.made && !createsStudent(outcome.step) ? [[outcome.step.made.by, outcome] as const] : [])),
  );
  return outcomes
    .filter(({ step }) => createsStudent(step))
    .map((create) => {
      const window = later.get(create.index);
      const { stored } = create;
      return window && isGood(create.state) && !isGood(window.state)
        ? { ...window, sentNow: true, ...(stored === undefined ? {} : { stored }) }
        : create;
    });
}

/** Only the proctors are missing, and no run is open that would add them: the command that adds them. */
function hintOf({ hint }: CliError, { exam, pool, copied, id, client }: Parts & { client: Client }): Sentence {
  const isLeft = [exam, ...copied].every(({ state }) => isGood(state));
  if (!pool || isGood(pool.state) || isOpen(pool.state) || !isLeft) return hint;
  const named = [pool.step.body?.[client.dialect.proctorsKey] ?? []].flat().map((proctor) => textOfJson(proctor));
  return sentence`Finish it with: proctor-cli ${typedCommand('proctors add', named, typedOption('--exam', id))}`;
}
