/**
 * `accommodations apply`: gives accommodated students their target as close time, as one run: asked once, each set only while exam and
 * session are as the target was computed. Time is never taken away.
 */
import type { Context, Result, Row } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { firstLines } from '../../model/first-of.ts';
import { formatTime } from '../../model/time.ts';
import { caughtUp, examPhase, type Reading } from '../../runs-before/index.ts';
import { sentence } from '../../text/sentence.ts';
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
import { type AccommodationsRequest, conflictHint, differences, inWords, surveyRows, tellSurvey } from './accommodation-check.ts';
import { readAccommodations } from './accommodation-list.ts';
import { type Survey, surveyExams } from './survey.ts';

type Applying = Computed & { survey: Survey };

export async function applyAccommodations(context: Context, request: AccommodationsRequest): Promise<Result> {
  const { selection, file } = request;
  const list = await readAccommodations(context, request);
  let speaking = context;
  return moveTimes<Applying>(context, {
    kind: 'accommodations apply',
    identity: [file, typedSelection(selection)],
    isRelative: false,
    words: { verb: 'set', did: 'set' },
    shape: shapeOf(request),
    async compute() {
      const selected = await selectExams(speaking, selection, { current: (id, shown) => caughtUp(context, 'exam', id, shown) });
      const readings = new Map<string, Reading>();
      const survey = await surveyExams(speaking, list, selected, readings);
      // What is read again is not told again.
      speaking = { ...context, say() {}, warn() {} };
      const moves = movesOf(context, survey, selected);
      const now = context.host.now();
      const isRunning = selected.some(
        ({ id, shown }) => examPhase(shown, readings.get(id)?.sessions.map(({ data }) => data) ?? [], now, context.zone()).running,
      );
      return { moves, survey, refused: conflictsOf(survey), readings, isRunning };
    },
    tell({ survey, moves }) {
      tellSurvey(context, list, survey);
      const kept = survey.judgements.filter(({ state }) => state === 'more');
      for (const text of firstLines(kept, (one) => sentence`Kept: ${inWords(one)} has more time than its target.`)) context.say(text);
      if (moves.length === 0) context.say('No close time has to be set.');
    },
    asks: () => true,
    question: async ({ moves }) => sentence`Set the close time of ${await inQuestion(context, moves)} to the targets of ${list.name}`,
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

function movesOf(context: Context, { judgements }: Survey, selected: readonly SelectedExam[]): TimeMove[] {
  const { timeFormat } = context.settings().dialect;
  const shownExams = new Map(selected.map(({ id, shown }) => [id, shown]));
  return judgements.flatMap(({ state, target, session, exam, phase }): TimeMove[] => {
    const { close_time: old = null, open_time = null } = session.fields;
    if ((state !== 'missing' && state !== 'less') || target === undefined || !isTimeValue(old)) return [];
    const { start_time = null, end_time = null } = shownExams.get(exam.id) ?? {};
    return [
      {
        ...{ kind: 'session', id: session.id, exam: exam.id, email: session.email, started: phase === 'writing' },
        fields: { close_time: { old, new: formatTime(target, timeFormat) } },
        expects: { open_time },
        expectsExam: { start_time, end_time },
        unless: ['finished'],
      },
    ];
  });
}

function conflictsOf({ judgements }: Survey): NotMoved[] {
  return judgements.flatMap((judgement) => {
    const { why, session } = judgement;
    if (why === undefined) return [];
    return [{ id: session.id, error: new CliError('invalid_input', sentence`${inWords(judgement)}: ${why}.`, { hint: conflictHint }) }];
  });
}

/** The columns of the check; what became of each session is added to its row there. */
function shapeOf({ columns }: AccommodationsRequest): RowShape {
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
