/**
 * Sessions of several exams for people: each with the name of its exam. The exams are listed once, and only where there
 * are several; where that fails, the sessions are shown with the IDs.
 */
import { examOf } from '../api/client.ts';
import { operations } from '../api/operations.ts';
import type { Column, Context, Row } from '../command.ts';
import { CliError, isInterruption } from '../errors.ts';
import { type JsonObject, textOfJson } from '../model/json.ts';
import { sentence } from '../text/sentence.ts';

const examColumn: Column = { key: 'exam_name', title: 'exam', identifies: true };

/** The columns with that of the exam behind the status. */
export function withExamColumn(columns: readonly Column[]): Column[] {
  return columns.flatMap((column) => (column.key === 'status' ? [column, examColumn] : [column]));
}

/**
 * The rows with `exam_name` where they are of several exams: a name that several exams have is followed by the ID;
 * without a name it is the ID alone.
 */
export async function* withExamNames(context: Context, rows: Iterable<Row> | AsyncIterable<Row>): AsyncGenerator<Row> {
  const settings = context.settings();
  const all: { row: Row; exam: string | undefined }[] = [];
  for await (const row of rows) {
    all.push({ row, exam: examOf(row as JsonObject, settings) });
  }
  const several = new Set(all.flatMap(({ exam = [] }) => exam)).size > 1;
  const names = several ? await examNames(context) : undefined;
  for (const { row, exam } of all) yield names && exam !== undefined ? { ...row, exam_name: names.get(exam) ?? `exam ${exam}` } : row;
}

async function examNames(context: Context): Promise<ReadonlyMap<string, string>> {
  const client = await context.client();
  const { examNameKey } = client.dialect;
  const names = new Map<string, string>();
  const times = new Map<string, number>();
  try {
    for (const { id = null, [examNameKey]: name } of await client.list(operations.listExams, {}, { unsure: 'accept' })) {
      if (typeof name !== 'string' || name.trim() === '' || names.has(textOfJson(id))) continue;
      names.set(textOfJson(id), name);
      times.set(name, (times.get(name) ?? 0) + 1);
    }
  } catch (error) {
    if (!(error instanceof CliError) || isInterruption(error)) throw error;
    context.warn(sentence`warning: the names of the exams are missing. ${error.message}`);
  }
  return new Map([...names].map(([id, name]) => [id, (times.get(name) ?? 0) > 1 ? `${name} (${id})` : name]));
}
