/**
 * `accommodations apply`: gives accommodated students their target as close time, as one run: asked once, each set only while exam and
 * session are as the target was computed. Time is never taken away unless that is asked for, and never from a session that has started.
 */
import type { Context, Result, Row } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { firstLines } from '../../model/first-of.ts';
import { formatTime } from '../../model/time.ts';
import { caughtUp, examPhase, type Reading } from '../../runs/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { type SelectedExam, selectExams, typedSelection } from '../exam-selection.ts';
import {
  type Computed,
  ended,
  inQuestion,
  isTimeValue,
  moveTimes,
  type NotMoved,
  type RowShape,
  type TimeMove,
} from '../moved-times/index.ts';
import type { AccommodationList } from './accommodation.ts';
import { type AccommodationsRequest, conflictHint, differences, inWords, surveyRows, tellSurvey } from './accommodation-check.ts';
import { listFor } from './accommodation-list.ts';
import type { Judgement } from './judge-sessions.ts';
import { type Survey, surveyExams } from './survey.ts';

export type ApplyRequest = AccommodationsRequest & {
  /** Also sets targets that are earlier than the close time, for students who have not started. */
  allowShorten: boolean;
};

type Applying = Computed & { survey: Survey; kept: readonly Kept[] };

export async function applyAccommodations(context: Context, request: ApplyRequest): Promise<Result> {
  const { selection, allowShorten, file } = request;
  const list = await listFor(context, request);
  let speaking = context;
  return moveTimes<Applying>(context, {
    kind: 'accommodations apply',
    identity: [file, typedSelection(selection), String(allowShorten)],
    isRelative: false,
    words: { verb: 'set', did: 'set' },
    shape: shapeOf(request),
    async compute() {
      const selected = await selectExams(speaking, selection, { current: (id, shown) => caughtUp(context, 'exam', id, shown) });
      const readings = new Map<string, Reading>();
      const survey = await surveyExams(speaking, list, selected, readings);
      // What is read again is not told again.
      speaking = { ...context, say() {}, warn() {} };
      const { moves, kept } = movesOf(context, survey, selected, allowShorten);
      const now = context.host.now();
      const isRunning = selected.some(
        ({ id, shown }) => examPhase(shown, readings.get(id)?.sessions.map(({ data }) => data) ?? [], now, context.zone()).running,
      );
      return { moves, kept, survey, refused: conflictsOf(survey), readings, isRunning };
    },
    tell({ survey, kept, moves }) {
      tellSurvey(context, list, survey);
      const line = ({ judgement, why }: Kept): Sentence => sentence`Kept: ${inWords(judgement)} has more time than its target${why}.`;
      for (const text of firstLines(kept, line)) context.say(text);
      if (moves.length === 0) context.say('No close time has to be set.');
    },
    asks: () => true,
    question: ({ moves, survey }) => questionOf(context, list, moves, survey),
    async nothing({ survey }) {
      // Its differences are a failure only where a person has to decide.
      const conflicts = survey.judgements.some(({ state }) => state === 'conflict');
      const failure = conflicts ? differences(context, request, list, survey) : undefined;
      const rows = await surveyRows(context, survey, 'unchanged');
      return { kind: 'list', rows, columns: request.columns, id: 'session', ...(failure ? { failure } : {}) };
    },
    allRows: (rows, { survey }) => withTheRest(context, rows, survey),
  });
}

type Kept = { judgement: Judgement; why: string };

/** The moves of the survey, and the sessions that keep more time than they were granted. */
function movesOf(
  context: Context,
  { judgements }: Survey,
  selected: readonly SelectedExam[],
  allowShorten: boolean,
): { moves: TimeMove[]; kept: Kept[] } {
  const { timeFormat } = context.settings().dialect;
  const shownExams = new Map(selected.map(({ id, shown }) => [id, shown]));
  const moves: TimeMove[] = [];
  const kept: Kept[] = [];
  for (const judgement of judgements) {
    const { state, target, session, exam, phase } = judgement;
    const isShorter = state === 'more';
    if (isShorter) {
      const mayStart = phase === 'waiting' || phase === 'checking';
      if (!allowShorten || !mayStart) {
        kept.push({ judgement, why: allowShorten ? ', and its student has started or may have' : '; --allow-shorten sets the target' });
        continue;
      }
    } else if (state !== 'missing' && state !== 'less') continue;
    const { close_time: old = null, open_time = null } = session.fields;
    if (target === undefined || !isTimeValue(old)) continue;
    const { start_time = null, end_time = null } = shownExams.get(exam.id) ?? {};
    // A student who has got further, or who shows a status that nobody knows, may have started: nothing is taken away.
    const still = isShorter ? { status: phase === 'checking' ? 'check_started' : 'registered' } : {};
    moves.push({
      ...{ kind: 'session', id: session.id, exam: exam.id, email: session.email, started: phase === 'writing' },
      fields: { close_time: { old, new: formatTime(target, timeFormat) } },
      expects: { open_time, ...still },
      expectsExam: { start_time, end_time },
      unless: ['finished'],
    });
  }
  return { moves, kept };
}

function conflictsOf({ judgements }: Survey): NotMoved[] {
  return judgements.flatMap((judgement) => {
    const { why, session } = judgement;
    if (why === undefined) return [];
    return [{ id: session.id, error: new CliError('invalid_input', sentence`${inWords(judgement)}: ${why}.`, { hint: conflictHint }) }];
  });
}

async function questionOf(
  context: Context,
  { name }: AccommodationList,
  moves: readonly TimeMove[],
  { judgements }: Survey,
): Promise<Sentence> {
  const longer = new Set(judgements.filter(({ state }) => state === 'more').map(({ session }) => session.id));
  const shorter = moves.filter(({ id }) => longer.has(id)).length;
  const earlier = shorter > 0 ? `, ${shorter} of them earlier than now,` : '';
  return sentence`Set the close time of ${await inQuestion(context, moves)} to the targets of ${name}${earlier}`;
}

/** The columns of the check; what became of each session is added to its row there. */
function shapeOf({ columns }: ApplyRequest): RowShape {
  return {
    columns,
    id: 'session',
    rows: ({ id, fields, ...moved }) => [{ session: id, ...ended(fields.close_time ? moved : { ...moved, result: 'skipped' }) }],
  };
}

/** The rows of the check in their order, each with what became of it. */
async function withTheRest(context: Context, made: readonly Row[], survey: Survey): Promise<readonly Row[]> {
  const bySession = new Map(made.map((row) => [String(row.session), row]));
  const rows = await surveyRows(context, survey, 'unchanged');
  return rows.map((row) => {
    const now = row.session === undefined ? undefined : bySession.get(String(row.session));
    return { ...row, ...now, ...(now?.result === 'set' ? { close_time: row.target } : {}) };
  });
}
