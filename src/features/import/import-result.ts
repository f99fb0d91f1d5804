/** The end of an import: the outcome of every line, for people, for programs, and in the files that the options name. */
import type { Column, Context, Result, Row } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { writeOutputFile } from '../../files/output-file.ts';
import { count, students } from '../../model/count.ts';
import { firstLines } from '../../model/first-of.ts';
import { stringifyJson } from '../../model/json.ts';
import { type LineStateName, lineStateNames, sumOf } from '../../model/line-states.ts';
import type { Mapping } from '../../roster/map/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import type { SelectedExam } from '../exam-selection.ts';
import { type AsId, examRows, examSheet } from './exam-rows.ts';
import { failureOf } from './failure.ts';
import type { ImportRequest } from './import-request.ts';
import type { ImportResult, LineProblem } from './line-results.ts';
import { howToCorrect } from './messages.ts';
import { resultFile, ruleFor } from './output-files.ts';
import { type Reject, writeRejects } from './rejects.ts';
import type { Removal } from './removals.ts';
import type { Validated } from './validate.ts';

/** The reasons why lines are not imported come first. */
const whyNot: readonly LineStateName[] = ['left_out', 'invalid'];
const states = [...whyNot, ...lineStateNames.filter((name) => !whyNot.includes(name))];
const columns: readonly Column[] = [
  'run',
  'exam',
  'lines',
  ...states,
  'open_time_open',
  'not_in_file',
  'removed',
  'verified',
  'not_verified',
  'seconds',
  'rate',
].map((key) => (key === 'verified' ? { key, as: 'boolean' } : key === 'rate' ? { key, title: 'lines/s' } : { key }));

export type FinishedImport = {
  /** The exams that the lines name; undefined where all are for the same one. */
  named: readonly SelectedExam[] | undefined;
  asId: AsId;
  mapping: Mapping;
  validated: Validated;
  removal: Removal;
  result: ImportResult;
};

/** Shows the outcome of every line; a file that cannot be written is shown too, not in place of the lines. */
export async function showResult(context: Context, request: ImportRequest, ended: FinishedImport): Promise<Result> {
  const { result, named, removal } = ended;
  const row = rowOf(ended);
  const { unwritten, rejects } = await writeFiles(context, request, ended, row);
  tellLines(context, result);
  const written = [request.rejects, request.result].filter((path) => path !== undefined);
  if (result.run !== undefined && !result.finished && written.length > 0 && !request.force)
    context.say(sentence`To resume with the same command, add --force, which replaces ${written.join(' and ')}.`);
  const { invalid } = result.counts;
  const inExams = named ? 'their exams' : `exam ${result.exams[0]?.id ?? ''}`;
  const failure =
    failureOf(result, { ...request, rejects, removed: removal.removed }) ??
    removal.failure ??
    (invalid > 0
      ? new CliError('partly_done', sentence`${count(invalid, 'line')} ${invalid === 1 ? 'is' : 'are'} invalid and not imported.`, {
          hint: howToCorrect(rejects),
        })
      : unwritten[0]);
  for (const error of unwritten) if (error !== failure) context.warn(error.message);
  if (result.verified && (!failure || failure === unwritten[0])) context.say(proof(result, inExams));
  if (result.notShown.length > 0 && result.verified)
    context.warn(
      sentence`The list of ${named ? 'an exam' : inExams} does not show ${result.notShown.join(', ')}, so it is unknown whether the service has ${result.notShown.length === 1 ? 'it' : 'them'} as in the file.`,
    );
  return {
    kind: 'one',
    row,
    columns: columns.filter(({ key }) => row[key] !== 0 && row[key] !== null),
    brief: true,
    ...(named ? { sheet: examSheet(row.by_exam as Row[], row, states), advice: runInWords(result) } : {}),
    id: 'run',
    ...(failure ? { failure } : {}),
  };
}

/** What the table of the exams has no column for. */
function runInWords({ run, verified, notVerified }: ImportResult): Sentence[] {
  return [
    ...(run === undefined ? [] : [sentence`Run ${run}.`]),
    ...(verified ? [] : [sentence`Not verified: ${(notVerified ?? '').replace(/\.$/, '')}.`]),
  ];
}

function rowOf({ named, asId, validated, result, removal }: FinishedImport): Row {
  const { counts, problems, storedAs, verified, notVerified, milliseconds, run, sent, openTimeOpen, ownDoubles } = result;
  const seconds = Math.round(milliseconds) / 1000;
  const inExam = (exam: string | undefined) => (named ? { exam: exam === undefined ? null : asId(exam) } : {});
  return {
    run: run ?? null,
    exam: named ? null : asId(result.exams[0]?.id ?? ''),
    ...(named ? { by_exam: examRows(result.exams, { named, asId, removal }) } : {}),
    lines: validated.total,
    ...counts,
    open_time_open: openTimeOpen,
    not_in_file: sumOrNull(result.exams.map(({ notInFile }) => notInFile)),
    removed: removal.removed,
    verified,
    not_verified: notVerified ?? null,
    seconds,
    rate: seconds > 0 ? Math.round(sent / seconds) : null,
    stored_as: storedAs.map(({ line, exam, email, stored }) => ({ line, ...inExam(exam), email, stored })),
    not_shown: result.notShown,
    own_doubles: ownDoubles,
    problems: [
      ...validated.problems.map(({ line, reason }) => ({ line, ...inExam(undefined), email: null, state: 'invalid', reason })),
      ...problems.map(({ line, exam, email, state, reason }) => ({ line, ...inExam(exam), email, state, reason })),
    ],
  };
}

/** Null where one of them is not known. */
function sumOrNull(numbers: readonly (number | undefined)[]): number | null {
  let sum = 0;
  for (const number of numbers) {
    if (number === undefined) return null;
    sum += number;
  }
  return sum;
}

/** `unwritten`: why files could not be written. `rejects`: the file that has the rejects. */
type WrittenFiles = { unwritten: readonly CliError[]; rejects: string | undefined };

/** Writes the rejects and the result, if options name files for them. */
async function writeFiles(context: Context, request: ImportRequest, ended: FinishedImport, row: Row): Promise<WrittenFiles> {
  const { rejects: path, result: place } = request;
  const rule = ruleFor(context, request);
  const { mapping, validated, result } = ended;
  const rejected = new Map<number, Reject>(result.problems.map(({ row, state, reason }) => [row, { code: state, reason }]));
  const unwritten: CliError[] = [];
  const take = (error: unknown) => {
    if (!(error instanceof CliError)) throw error;
    unwritten.push(error);
  };
  if (path !== undefined) {
    const lines = validated.invalid + rejected.size;
    const say = () => context.say(sentence`Wrote ${count(lines, 'line')} to ${path}, with the reason.`);
    await writeRejects(path, rule, mapping.table, validated, rejected).then(lines > 0 ? say : undefined, take);
  }
  const rejects = unwritten.length === 0 ? path : undefined;
  if (place !== undefined) await writeOutputFile(resultFile(place), rule, (to) => to(`${stringifyJson(row, 2)}\n`)).catch(take);
  return { unwritten, rejects };
}

/** The first lines on stderr. */
function tellLines(context: Context, { problems, storedAs }: ImportResult) {
  const spelled = ({ line, email, stored }: ImportResult['storedAs'][number]) => sentence`line ${line}, ${email}: stored as ${stored}.`;
  for (const text of firstLines(storedAs, spelled)) context.say(text);
  // Lines that were not reached are counted, not listed.
  const told = problems.filter(({ isReached }) => isReached);
  const inWords = ({ line, email, state, reason }: LineProblem) =>
    sentence`line ${line}, ${email ?? 'no address'}: ${state}: ${reason.replace(/\.$/, '')}.`;
  for (const text of firstLines(told, inWords)) context.warn(text);
}

const inExam: readonly LineStateName[] = ['created', 'updated', 'unchanged', 'different'];

/** What the last listing has shown. */
function proof({ counts }: ImportResult, inExams: string): Sentence {
  const shown = sumOf(counts, inExam);
  if (shown === 0) return sentence`No students in the file.`;
  return sentence`Verified: ${shown === 1 ? 'the student of the file is' : `all ${students(shown)} of the file are`} in ${inExams}.`;
}
