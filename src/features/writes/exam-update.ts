/**
 * `exams update`. An update that names a restriction carries all four (specification 2.1, rule 2), the others as the exam has them, and
 * is sent only while it has them. New times say whom they leave behind, and are asked about where they do.
 */
import { examInWords } from '../../api/in-words.ts';
import { operations } from '../../api/operations.ts';
import type { Column, Context, Result } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { students } from '../../model/count.ts';
import { isJsonObject, type JsonObject, stringifyJson } from '../../model/json.ts';
import { missingRestrictions, restrictionKeys, restrictionsOf, wouldResetRestrictions } from '../../model/restrictions.ts';
import { carryOut, readStudents, type Step } from '../../runs/index.ts';
import { inLines, type Sentence, sentence } from '../../text/sentence.ts';
import { type LeftBehind, leftBehind, movesTimes } from './left-behind.ts';
import { oneResult } from './outcome-rows.ts';

type Updating = { id: string; body: JsonObject; put: boolean; columns: readonly Column[] };

export function updateExam(context: Context, { id, body, put, columns }: Updating): Promise<Result> {
  const operation = put ? operations.putExam : operations.patchExam;
  let before: JsonObject | undefined;
  let named = sentence`exam ${id}`;
  let left: LeftBehind | undefined;
  return carryOut(context, {
    kind: 'exams update',
    identity: [id, put ? 'put' : 'patch', stringifyJson(body)],
    again: 'anew',
    async plan() {
      const client = await context.client();
      before = await client.get(operations.getExam, { params: { id } });
      named = examInWords(id, before, client, context.zone());
      const { sent, expects } = withRestrictions(id, before, body);
      const step: Step = {
        operation,
        params: { id },
        body: sent,
        exam: id,
        expects,
        before: replacedBy(body, before),
        ...(put ? { always: true } : {}),
      };
      left = undefined;
      if (!movesTimes(body, before)) return { steps: [step] };
      const reading = await readStudents(context, id);
      left = leftBehind({ id, before, body, reading, zone: context.zone() });
      // Whom it leaves behind depends on the times that it replaces.
      const { start_time = null, end_time = null } = before;
      const about = left.lines.length > 0 ? inLines(left.lines) : undefined;
      return { steps: [{ ...step, expects: { ...expects, start_time, end_time }, about }], readings: new Map([[id, reading]]) };
    },
    tell() {
      if (left && left.lines.length > 0) context.warn(inLines(left.lines));
    },
    question() {
      if (!left || left.behind === 0) return undefined;
      return sentence`Change the times of ${named}, and leave the windows of ${students(left.behind)} as they are,`;
    },
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
      sentence`The service does not show ${missing.join(', ')} of exam ${id}, and would reset the restrictions that the update leaves out.`,
      {
        hint: sentence`Give all four: ${restrictionKeys.map((key) => `--[no-]${key.replaceAll('_', '-')}`).join(' ')}`,
      },
    );
  }
  const kept = Object.fromEntries(Object.entries(restrictionsOf(before)).filter(([key]) => !Object.hasOwn(body, key)));
  return { sent: { ...kept, ...body }, expects: kept };
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
