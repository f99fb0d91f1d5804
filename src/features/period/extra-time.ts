/**
 * `--accommodations`: extra time in the exams of a timetable, once they are as the timetable says: checked and set as
 * `accommodations check` and `accommodations apply` do, in a run of its own.
 */
import type { Context, Result, Row } from '../../command.ts';
import type { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { type AccommodationList, applyAccommodations, checkAccommodations, type ListRequest, listFor } from '../accommodations/index.ts';
import type { PlanItem } from './period-plan.ts';

/** A list of accommodations that was read, before anything of the timetable is sent. */
export type Granting = { request: ListRequest; list: AccommodationList };

/** The rows of `accommodations check`, or of `accommodations apply`. */
export type ExtraTime = { rows: readonly Row[]; failure: CliError | undefined };

export async function grantingOf(context: Context, request: ListRequest | undefined): Promise<Granting | undefined> {
  return request && { request, list: await listFor(context, request) };
}

/** The exams that are those of a line and are not over. `became`: the ID of one that was created. */
export function examsToGrant(items: readonly PlanItem[], now: number, became: (item: PlanItem) => string | undefined): string[] {
  return items.flatMap((item) => {
    const { entry, exam, action, held } = item;
    const id = became(item) ?? exam?.id;
    const ends = entry.end ?? exam?.end;
    const isOver = ends !== undefined && ends <= now;
    return id === undefined || isOver || (action === 'adopt' && held) ? [] : [id];
  });
}

export function checkExtraTime(context: Context, granting: Granting, exams: readonly string[]): Promise<ExtraTime> {
  return inExams(exams, granting, (request, list) => checkAccommodations(context, request, list));
}

export function applyExtraTime(context: Context, granting: Granting, exams: readonly string[]): Promise<ExtraTime> {
  return inExams(exams, granting, (request, list) => applyAccommodations(context, { ...request, allowShorten: false }, list));
}

type InExams = ListRequest & { selection: { exam: readonly string[] }; columns: readonly [] };

async function inExams(
  exams: readonly string[],
  { request, list }: Granting,
  run: (request: InExams, list: AccommodationList) => Promise<Result>,
): Promise<ExtraTime> {
  if (exams.length === 0) return { rows: [], failure: undefined };
  const result = await run({ ...request, selection: { exam: exams }, columns: [] }, list);
  const rows: Row[] = [];
  if (result.kind === 'list') for await (const row of result.rows) rows.push(row);
  return { rows, failure: result.failure };
}

/** "3 missing, 40 ok": counts only, because a plan is shown to people who need not know the students. */
export function extraTimeInWords({ rows }: ExtraTime): Sentence {
  const states = Map.groupBy(rows, ({ result, state }) => String(result ?? state));
  const parts = [...states].map(([state, all]) => `${all.length} ${state.replaceAll('_', ' ')}`);
  return sentence`Extra time of ${count(rows.length, 'session')}: ${parts.join(', ')}`;
}
