/**
 * `accommodations apply`: gives accommodated students their target as close time, through the door of changes: asked
 * once, compare-and-set, with a journal, resume and undo. Time is never taken away unless that is asked for, and never
 * from a session that has started.
 */
import type { ItemFailure } from '../../api/batch.ts';
import type { Context, Result, Row } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { firstLines } from '../../model/first-of.ts';
import { formatTime } from '../../model/time.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { type ChangeMove, inQuestion, isTimeValue, type RowShape, runChange, settleEarlier } from '../changes/index.ts';
import { selectExams } from '../exam-selection.ts';
import type { AccommodationList } from './accommodation.ts';
import { type AccommodationsRequest, conflictHint, differences, inWords, listFor, surveyRows, tellSurvey } from './accommodation-check.ts';
import type { Judgement } from './judge-sessions.ts';
import { type Survey, surveyExams } from './survey.ts';

export type ApplyRequest = AccommodationsRequest & {
  /** The folder of all changes. */
  folder: string;
  /** Also sets targets that are earlier than the close time, for students who have not started. */
  allowShorten: boolean;
  /** Also changes what an unfinished change of another kind may have changed. */
  again: boolean;
};

export async function applyAccommodations(context: Context, request: ApplyRequest): Promise<Result> {
  const list = await listFor(context, request);
  const exams = await selectExams(context, request.selection);
  const what = `accommodations of ${list.name}`;
  const command = `accommodations apply ${list.name}`;
  if (!context.globals.dryRun) {
    await settleEarlier(context, { folder: request.folder, kind: 'accommodate', command, exams: new Set(exams.map(({ id }) => id)) });
  }
  const survey = await surveyExams(context, list, exams);
  tellSurvey(context, list, survey, { started: false });
  const { moves, kept } = movesOf(context, survey, request);
  const line = ({ judgement, why }: Kept): Sentence => sentence`Kept: ${inWords(judgement)} has more time than its target${why}.`;
  for (const text of firstLines(kept, line)) context.say(text);
  if (moves.length === 0) return nothingMissing(context, request, list, survey);
  const result = await runChange(context, {
    folder: request.folder,
    kind: 'accommodate',
    what,
    command,
    exam: exams.length === 1 ? exams[0]?.id : undefined,
    moves,
    refused: conflictsOf(survey),
    asks: true,
    question: async () => questionOf(context, list, moves),
    again: request.again,
    shape: shapeOf(request),
  });
  return withTheRest(context, result, survey, request);
}

type Kept = { judgement: Judgement; why: string };

/** The moves of the survey, and the sessions that keep more time than they were granted. */
function movesOf(context: Context, { judgements }: Survey, { allowShorten }: ApplyRequest): { moves: ChangeMove[]; kept: Kept[] } {
  const { timeFormat } = context.settings().dialect;
  const moves: ChangeMove[] = [];
  const kept: Kept[] = [];
  for (const judgement of judgements) {
    const { state, target, session, exam, phase, granted } = judgement;
    if (state === 'more') {
      const mayStart = phase === 'waiting' || phase === 'checking';
      if (!allowShorten || !mayStart) {
        kept.push({ judgement, why: allowShorten ? ', and its student has started or may have' : '; --allow-shorten sets the target' });
        continue;
      }
    } else if (state !== 'missing' && state !== 'less') continue;
    const old = session.fields.close_time ?? null;
    if (target === undefined || !isTimeValue(old)) continue;
    moves.push({
      kind: 'session',
      id: session.id,
      exam: exam.id,
      email: session.email,
      fields: { close_time: { old, new: formatTime(target, timeFormat) } },
      started: phase === 'writing',
      more: { state, reference: granted.reference ?? null },
    });
  }
  return { moves, kept };
}

function conflictsOf({ judgements }: Survey): ItemFailure[] {
  return judgements.flatMap((judgement) => {
    const { why, session } = judgement;
    if (why === undefined) return [];
    return [{ id: session.id, error: new CliError('invalid_input', sentence`${inWords(judgement)}: ${why}.`, { hint: conflictHint }) }];
  });
}

async function questionOf(context: Context, { name }: AccommodationList, moves: readonly ChangeMove[]): Promise<Sentence> {
  const shorter = moves.filter(({ more }) => more?.state === 'more').length;
  const earlier = shorter > 0 ? `, ${shorter} of them earlier than now,` : '';
  const named = await inQuestion(context, moves, undefined);
  return sentence`Set the close time of ${named} to the targets of ${name}${earlier} ${context.place()}?`;
}

/** Nothing is to be set: the rows of the check; its differences are a failure only where a person has to decide. */
async function nothingMissing(context: Context, request: ApplyRequest, list: AccommodationList, survey: Survey): Promise<Result> {
  context.say('No close time has to be set.');
  const conflicts = survey.judgements.some(({ state }) => state === 'conflict');
  const failure = conflicts ? differences(context, request, list, survey) : undefined;
  const rows = await surveyRows(context, survey, 'unchanged');
  return { kind: 'list', rows, columns: request.columns, id: 'session', ...(failure ? { failure } : {}) };
}

/** The rows of the check, with what became of each. */
function shapeOf({ columns }: ApplyRequest): RowShape {
  return {
    columns,
    id: 'session',
    rows({ id, exam, email, fields: { close_time: at }, more }, result, problem) {
      // What cannot be changed has no times here; its row is that of the check.
      if (!at) return [{ session: id, result: 'skipped', problem }];
      const { state, reference } = more ?? {};
      return [
        {
          exam: exam ?? null,
          session: id,
          email,
          state,
          close_time: at.old,
          target: at.new,
          reference,
          result,
          ...(problem === undefined ? {} : { problem }),
        },
      ];
    },
  };
}

/** The rows of the check in their order, each with what became of it. */
async function withTheRest(context: Context, result: Result, survey: Survey, request: ApplyRequest): Promise<Result> {
  if (result.kind !== 'list') return result;
  const made = new Map<string, Row>();
  for await (const row of result.rows) made.set(String(row.session), row);
  const rows = await surveyRows(context, survey, 'unchanged');
  return {
    ...result,
    columns: request.columns,
    rows: rows.map((row) => ({ ...row, ...(row.session === undefined ? {} : made.get(String(row.session))) })),
  };
}
