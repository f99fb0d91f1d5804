/**
 * Exams one by one: created, updated, deleted, their students mailed. An update that names a restriction carries all four
 * (specification 2.1, rule 2), the others as the exam has them, and is sent only while it has them.
 */
import type { Client } from '../../api/client.ts';
import { examInWords } from '../../api/in-words.ts';
import { operations } from '../../api/operations.ts';
import type { Column, Context, Result } from '../../command.ts';
import { CliError, orGone } from '../../errors.ts';
import { students } from '../../model/count.ts';
import { firstInLine } from '../../model/first-of.ts';
import { isJsonObject, type JsonObject, stringifyJson } from '../../model/json.ts';
import { missingRestrictions, restrictionKeys, restrictionsOf, wouldResetRestrictions } from '../../model/restrictions.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { phaseOf, statusOf } from '../../model/status.ts';
import { instantOf, showTime } from '../../model/time.ts';
import { type Consents, carryOut, type Plan, type Reading, readExam, type Step } from '../../runs/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { oneResult, severalResult } from './outcome-rows.ts';

/** `typedTimes`: `now+7h` is another time when the command is run again, and means the same exam. */
type Creating = { body: JsonObject; typedTimes: Readonly<Record<string, string>>; columns: readonly Column[]; consents: Consents };

export function createExam(context: Context, { body, typedTimes, columns, consents }: Creating): Promise<Result> {
  return carryOut(context, {
    kind: 'exams create',
    command: 'exams create',
    identity: [stringifyJson({ ...body, ...typedTimes })],
    again: 'resume',
    consents,
    plan: async () => ({ steps: [{ operation: operations.createExam, params: {}, body }] }),
    result: async (ended) => oneResult(context, ended, 'created', columns, (await context.client()).idType('exam')),
  });
}

type Updating = { id: string; body: JsonObject; put: boolean; columns: readonly Column[] };

export function updateExam(context: Context, { id, body, put, columns }: Updating): Promise<Result> {
  const operation = put ? operations.putExam : operations.patchExam;
  let before: JsonObject | undefined;
  let left: Sentence[] = [];
  return carryOut(context, {
    kind: 'exams update',
    command: typedCommand('exams update', [id]),
    identity: [id, put ? 'put' : 'patch', stringifyJson(body)],
    again: 'anew',
    async plan() {
      const client = await context.client();
      before = await client.get(operations.getExam, { params: { id } });
      const { sent, expects } = withRestrictions(id, before, body);
      const moves = movesTimes(body, before);
      const reading = moves ? await readExam(client, context.host, id) : undefined;
      left = reading ? leftBehind({ id, before, body, reading, zone: context.zone() }) : [];
      const step: Step = {
        operation,
        params: { id },
        body: sent,
        exam: id,
        expects,
        before: replacedBy(body, before),
        ...(put ? { always: true } : {}),
      };
      return { steps: [step], ...(reading ? { readings: new Map([[id, reading]]) } : {}) };
    },
    tell() {
      for (const line of left) context.warn(line);
    },
    question: left.length > 0 ? undefined : undefined,
    async result(ended) {
      const [outcome] = ended.outcomes();
      const client = await context.client();
      const result = oneResult(context, ended, 'updated', columns, client.idType('exam'));
      const names = restrictionKeys.some((key) => Object.hasOwn(body, key));
      if (names && before && isJsonObject(outcome?.shown)) context.say(restrictionChange(id, before, outcome.shown));
      return result;
    },
  });
}

/** The values that an update replaces, as the resource has them; what it does not show cannot be set back. */
export function replacedBy(body: JsonObject, shown: JsonObject): JsonObject {
  return Object.fromEntries(Object.keys(body).flatMap((field) => (Object.hasOwn(shown, field) ? [[field, shown[field] ?? null]] : [])));
}

/** The body with all four restrictions where it names one, and the values that the exam has to have still. Throws `invalid_input`. */
export function withRestrictions(id: string, before: JsonObject, body: JsonObject): { sent: JsonObject; expects: JsonObject } {
  if (!wouldResetRestrictions(body)) return { sent: body, expects: {} };
  const missing = missingRestrictions({ ...before, ...body });
  if (missing.length > 0) {
    throw new CliError(
      'invalid_input',
      sentence`The service does not show ${missing.join(', ')} of exam ${id}, and would reset those that the update leaves out.`,
      {
        hint: sentence`Give all four: ${restrictionKeys.map((key) => `--[no-]${key.replaceAll('_', '-')}`).join(' ')}`,
      },
    );
  }
  const kept = Object.fromEntries(Object.entries(restrictionsOf(before)).filter(([key]) => !Object.hasOwn(body, key)));
  return { sent: { ...kept, ...body }, expects: kept };
}

function movesTimes(body: JsonObject, before: JsonObject): boolean {
  return ['start_time', 'end_time'].some((field) => Object.hasOwn(body, field) && instantOf(body[field]) !== instantOf(before[field]));
}

type Left = { id: string; before: JsonObject; body: JsonObject; reading: Reading; zone: string };

/** The own windows of students that an exam with new times leaves behind, and students who were mailed the old ones. */
function leftBehind({ id, before, body, reading, zone }: Left): Sentence[] {
  const [start, end] = [instantOf(body.start_time ?? before.start_time), instantOf(body.end_time ?? before.end_time)];
  const open = reading.sessions.filter(({ data }) => phaseOf(data.status) !== 'finished');
  const early = open.filter(({ data }) => {
    const closes = instantOf(data.close_time);
    return closes !== undefined && ((end !== undefined && closes < end) || (start !== undefined && closes <= start));
  });
  const mailed = reading.sessions.filter(({ data }) => statusOf(data.status) === 'mail_sent').length;
  const lines: Sentence[] = [];
  if (early.length > 0) {
    const who = firstInLine(early, ({ id: session, email }) => [session, email].filter(Boolean).join(' '), 3);
    lines.push(
      sentence`warning: ${students(early.length)} with a close time of their own will close before exam ${id} ends at ${showTime(end === undefined ? null : end / 1000, zone)} (${who}). To move them along: proctor-cli ${typedCommand('exams delay', [id], '--by DURATION')} or ${typedCommand('exams shift', [id], '--by AMOUNT')}`,
    );
  }
  if (mailed > 0)
    lines.push(
      sentence`${students(mailed)} of exam ${id} were mailed the old times. To mail all of them again: proctor-cli ${typedCommand('exams send-emails', [id], '--resend')}`,
    );
  return lines;
}

/** The restrictions before and after, changed ones first. */
function restrictionChange(id: string, before: JsonObject, after: JsonObject): Sentence {
  const was = restrictionsOf(before);
  const is = restrictionsOf(after);
  const word = (value: boolean | undefined) => (value === undefined ? 'not shown' : value ? 'yes' : 'no');
  const changed = restrictionKeys.filter((key) => was[key] !== is[key]).map((key) => `${key} ${word(was[key])} → ${word(is[key])}`);
  const kept = restrictionKeys.filter((key) => was[key] === is[key]).map((key) => `${key} ${word(is[key])}`);
  return sentence`Exam ${id}: ${changed.length > 0 ? changed.join(', ') : 'no restriction changed'}${kept.length > 0 ? `; kept: ${kept.join(', ')}` : ''}.`;
}

/** Each exam as it is, with the number of its students: both are in the question, and the plan has changed where they differ. */
export function deleteExams(context: Context, given: readonly string[]): Promise<Result> {
  const ids = [...new Set(given)];
  let named: readonly Sentence[] = [];
  return carryOut(context, {
    kind: 'exams delete',
    command: typedCommand('exams delete', ids),
    identity: ids,
    again: 'anew',
    async plan() {
      const client = await context.client();
      const known =
        ids.length === 1
          ? [await examToDelete(context, client, ids[0] ?? '')]
          : await client.pacer.map(ids, (id) => examOrGone(context, client, id));
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
  return known ?? { step: { operation: operations.deleteExam, params: { id }, exam: id }, named: sentence`exam ${id} (not there)` };
}

/** Throws `not_found` where it is not there: nothing is asked about it. */
export async function examToDelete(context: Context, client: Client, id: string): Promise<Required<ToDelete>> {
  const exam = await client.get(operations.getExam, { params: { id } });
  const reading = await readExam(client, context.host, id);
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
    command: typedCommand('exams send-emails', [id]),
    identity: [id],
    // Who asks for the mails once more means new ones, whatever has become of the last.
    again: consents.resend ? 'anew' : 'resume',
    consents,
    async plan(): Promise<Plan> {
      const client = await context.client();
      const exam = await client.get(operations.getExam, { params: { id } });
      return {
        steps: [
          {
            operation: operations.sendEmails,
            params: { id },
            exam: id,
            about: examInWords(id, exam, client, context.zone()),
            ...(sendEmailsBody === 'empty-object' ? { body: {} } : {}),
          },
        ],
      };
    },
    needsYes: true,
    question: ({ steps, readings }) => mailsInWords(steps.at(0)?.about ?? `exam ${id}`, readings?.get(id)),
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
export function mailsInWords(exam: string, reading: Reading | undefined): Sentence {
  const all = reading?.sessions ?? [];
  const mailed = all.filter(({ data }) => (statusOf(data.status) ?? 'registered') !== 'registered').length;
  const again = mailed === 0 ? '' : ` (${mailed} of them ${mailed === 1 ? 'was' : 'were'} mailed before and will be mailed again)`;
  return sentence`Send the exam mails of ${exam} to its ${students(all.length)}${again}`;
}
