/** An undo in words: what it takes back, the question, and what stays. */
import { filled } from '../../api/operations.ts';
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { whoInWords } from '../../model/describe.ts';
import { firstInLine } from '../../model/first-of.ts';
import { type IdType, idAs } from '../../model/id.ts';
import { type Json, stringifyJson } from '../../model/json.ts';
import { instantOf, showTime } from '../../model/time.ts';
import type { Run } from '../../record/index.ts';
import type { Step, UndoPlan } from '../../runs/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { ofExams } from '../exams-in-words.ts';

type KeptStep = UndoPlan['kept'][number];

export function toUndo({ operation, params, email, body = {} }: Step, zone: string): Sentence {
  const values = operation.method === 'PATCH' ? Object.entries(body).map(([field, value]) => valueBack(field, value, zone)) : [];
  return sentence`To undo: ${filled(operation.does, params)}${email === undefined ? '' : ` ${email}`}${values.length === 0 ? '' : `: ${values.join(', ')}`}`;
}

/** What a field is set back to. */
function valueBack(field: string, value: Json, zone: string): string {
  if (value === null) return `no ${field}`;
  return `${field} ${instantOf(value) === undefined ? stringifyJson(value) : showTime(String(value), zone)}`;
}

export async function undoQuestion(context: Context, { id, command, at }: Run, steps: readonly Step[]): Promise<Sentence> {
  const students = new Map(
    steps.flatMap(({ operation, params, email }) =>
      operation.resource === 'session' && params.id !== undefined ? [[params.id, email]] : [],
    ),
  );
  const deletes = steps.filter(({ operation }) => operation.method === 'DELETE').length;
  const creates = steps.filter(({ operation }) => operation.writes?.writing === 'create').length;
  const values = steps.length - deletes - creates;
  const parts = [
    ...(creates > 0 ? [`put back ${count(creates, 'student')}`] : []),
    ...(values > 0 ? [`restore ${count(values, 'value')}`] : []),
    ...(deletes > 0 ? [`delete ${count(deletes, 'record')}`] : []),
  ];
  const who = students.size === 0 ? '' : ` (${whoInWords([...students].map(([session, email]) => ({ session, email })))})`;
  const exams = steps.flatMap(({ exam }) => exam ?? []);
  const of = await ofExams(await context.client(), exams, context.zone());
  return sentence`Undo run ${id} (${command}, ${showTime(new Date(at).toISOString(), context.zone())}): ${parts.join(', ')}${who}${of},`;
}

export function keptInWords(kept: KeptStep): Sentence {
  return sentence`Not undone: ${named(kept)}: ${kept.why}.`;
}

/** `isAll`: nothing else was left to do. Undefined where nothing stays. */
export function keptError(kept: readonly KeptStep[], isAll: boolean, idType: IdType | undefined): CliError | undefined {
  const stays = kept.filter(({ gone }) => !gone);
  if (stays.length === 0) return undefined;
  const which = firstInLine(stays, (each) => `${named(each)} (${each.why})`, 3);
  return new CliError(
    isAll ? 'differences' : 'partly_done',
    sentence`${count(stays.length, 'step')} of the run cannot be taken back: ${which}.`,
    {
      hint: 'Each is named with its reason; the same command does no more.',
      items: stays.map(({ id = '', why }) => ({ id: idAs(id, idType), code: 'not_applied' as const, message: why })),
    },
  );
}

function named({ step, id }: KeptStep): string {
  const resource = step.operation.resource === 'session' ? 'session' : 'exam';
  return [resource, id ?? step.params.id ?? step.exam, step.email].filter(Boolean).join(' ');
}
