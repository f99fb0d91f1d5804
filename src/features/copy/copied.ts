/**
 * What of an old session goes into a new one: whatever the specification or the dialect declares; its own
 * window moves by the difference of the exams' starts. Any other field with a value is named, and left.
 */
import type { Client } from '../../api/client.ts';
import type { Context } from '../../command.ts';
import { spelledDuration } from '../../model/duration.ts';
import { fieldsOf } from '../../model/fields.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { formatTime, instantOf, showTime } from '../../model/time.ts';
import { movedAlong } from '../../model/typed-time.ts';
import { copyOf, notSent, type Student } from '../../runs/index.ts';
import { firstLines, type Sentence, sentence } from '../../text/sentence.ts';
import { declaredFields } from '../exam-students.ts';
import { moved } from '../times/exam-change.ts';

/** `fields`: what goes along beside the address. `left`: fields that do not. `closes`: in words, where it closes otherwise. */
export type Copied = {
  id: string;
  student: Student;
  fields: JsonObject;
  left: readonly string[];
  closes: Sentence | undefined;
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
  const isGiven = Object.hasOwn(given ?? {}, 'close_time');
  const why = along && !isGiven ? closesOtherwise(shown.close_time, fields.close_time, along) : undefined;
  const closes = why && sentence`warning: session ${[id, student.email].filter(Boolean).join(' ')}: ${why}.`;
  return { id, student, fields, left, closes };
}

/** With an exam of another length, extra time is lost or grows. A window to start in ends before its exam, however long that is. */
function closesOtherwise(old: Json | undefined, close: Json | undefined, { from, to, zone }: Along): Sentence | undefined {
  const behind = (at: Json | undefined, { end_time }: JsonObject) => (instantOf(at) ?? NaN) - (instantOf(end_time) ?? NaN);
  const [was, is] = [behind(old, from), behind(close, to)];
  if (!(was >= 0 ? Math.abs(is - was) > 0 : is > 0)) return undefined;
  const beside = (by: number) => (by === 0 ? 'at' : `${spelledDuration(Math.abs(by))} ${by < 0 ? 'before' : 'after'}`);
  const before = was >= 0 ? sentence` (in the old one, ${beside(was)})` : '';
  return sentence`start by ${showTime(close, zone)} is ${beside(is)} the end of the new exam${before}`;
}

function isBlank(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' ? Object.keys(value).length === 0 : String(value).trim() === '';
}

/** `add`: what can be done about it. */
export function tellCopied({ warn }: Context, all: readonly Copied[], add = ''): void {
  const closing = all.flatMap(({ closes }) => closes ?? []);
  const set = ' To set another time: proctor-cli sessions update ID --close-time TIME';
  for (const line of firstLines(closing, (why) => sentence`${why}${set}`)) warn(line);
  const left = new Set(all.flatMap((each) => each.left));
  if (left.size > 0) warn(sentence`warning: not copied: ${[...left].join(', ')}.${add}`);
}
