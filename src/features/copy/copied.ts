/**
 * What of an old session goes into a new one: whatever the specification or the dialect declares; its own
 * window moves by the difference of the exams' starts. Any other field with a value is named, and left.
 */
import type { Client } from '../../api/client.ts';
import type { Context } from '../../command.ts';
import { fieldsOf } from '../../model/fields.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { movedAlong } from '../../model/moved-time.ts';
import { formatTime, instantOf } from '../../model/time.ts';
import { copyOf, notSent, type Student } from '../../runs/index.ts';
import { sentence } from '../../text/sentence.ts';
import { declaredFields } from '../exam-students.ts';
import { moved } from '../times/exam-change.ts';

/** `fields`: what goes along beside the address. `left`: fields that do not. */
export type Copied = {
  id: string;
  student: Student;
  fields: JsonObject;
  left: readonly string[];
};

export type Along = { from: JsonObject; to: JsonObject; zone: string };

/** `given`: in place of its values. Throws `invalid_input` for a window that cannot move along. */
export function copiedFrom({ dialect }: Client, id: string, shown: JsonObject, along?: Along, given?: JsonObject): Copied {
  const { idKey, sessionExamKey } = dialect;
  const { student, fields } = copyOf(shown, dialect);
  const [from, to] = along ? [along.from, along.to].map(({ start_time }) => instantOf(start_time)) : [0, 0];
  for (const field of ['open_time', 'close_time']) {
    const at = shown[field] ?? null;
    if (at === null) continue;
    const name = `The ${field} of session ${id}`;
    if (from === undefined || to === undefined)
      throw notSent(
        sentence`${name} cannot move along: one of the exams shows no start.`,
        sentence`Set the start of that exam, or leave the session out.`,
      );
    const instant = moved(name, () => movedAlong(at, from, to, along?.zone ?? 'UTC'));
    fields[field] = formatTime(instant, dialect.timeFormat);
  }
  Object.assign(fields, given);
  const [exam = ''] = sessionExamKey.split('.');
  const known = ['id', idKey, exam, ...Object.keys(fieldsOf('session')), ...declaredFields(dialect), ...Object.keys(fields)];
  const left = Object.keys(shown).filter((key) => !known.includes(key) && !isBlank(shown[key]));
  return { id, student, fields, left };
}

function isBlank(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' ? Object.keys(value).length === 0 : String(value).trim() === '';
}

/** `add`: what can be done about it. */
export function tellCopied({ warn }: Context, all: readonly Copied[], add = ''): void {
  const left = new Set(all.flatMap((each) => each.left));
  if (left.size > 0) warn(sentence`warning: not copied: ${[...left].join(', ')}.${add}`);
}
