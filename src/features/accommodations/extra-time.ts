/**
 * `accommodations apply`: compares sessions with a list of extra time, or sets their targets. They
 * come from the exam, and never from the present close time: a second call changes nothing.
 */
import { wholeRecord } from '../../api/reading.ts';
import type { Context, Result, Row } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { examInWords } from '../../model/describe.ts';
import { shorterWindow, targetTime } from '../../model/extra-time.ts';
import { addressKey, type Listed, maskAmong, nearestOf, type Reading } from '../../model/listing.ts';
import { nearest } from '../../model/nearest.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { phaseOf } from '../../model/status.ts';
import { formatTime, instantOf, type TimeFormat } from '../../model/time.ts';
import { type Engine, existingIn, type StepDraft, StepList } from '../../runs/index.ts';
import { count, firstInLine, firstLines, type Sentence, sentence } from '../../text/sentence.ts';
import { chosenExams, type ExamSelection, listedExams, type SelectedExam, typedSelection } from '../exam-selection.ts';
import { type TableReading, typedAgain } from '../table-input/read-table.ts';
import { bothReadings } from '../times/amount.ts';
import { changeTimes } from '../times/change-times.ts';
import { sessionUpdate } from '../times/exam-change.ts';
import { type Grant, type GrantList, grantsFor, means, readGrants } from './grant-list.ts';

/** `target`: milliseconds since 1970. */
type Verdict = {
  state: 'ok' | 'missing' | 'less' | 'more' | 'finished' | 'conflict';
  target?: number;
  why?: Sentence;
};
type JudgedGrant = Verdict & { exam: SelectedExam; grant: Grant; session: Listed };
type GrantSurvey = {
  judged: readonly JudgedGrant[];
  lacking: readonly JudgedGrant[];
  /** The grants that only a person can decide. */
  conflicts: readonly JudgedGrant[];
  unmatched: readonly { grant: Grant; why: Sentence }[];
  readings: ReadonlyMap<string, Reading>;
};

async function checkResult(context: Context, list: GrantList, survey: GrantSurvey): Promise<Result> {
  const [sum] = saidOf(list, survey);
  if (sum) context.say(sum);
  const lacking = survey.lacking.length;
  const what = sentence`${lacking} of ${count(survey.judged.length, 'session')} lack the extra time of ${list.name}.`;
  const hint = sentence`Set it with: proctor-cli ${typedAgain(context)}`;
  const isConflict = lacking === 0 && survey.conflicts.length > 0;
  const differ = lacking > 0 ? new CliError('differences', what, { hint }) : undefined;
  const failure = isConflict ? undecided('differences', list, survey) : differ;
  return { kind: 'list', rows: await grantRows(context, survey), columns: context.columns, id: 'session', failure };
}

type Applying = { file: string; reading: TableReading; selection: ExamSelection; check: boolean | undefined };

export async function applyExtraTime(context: Context, { file, reading, selection, check }: Applying): Promise<Result> {
  const list = await readGrants(context, file, reading);
  const exams = chosenExams(context, selection);
  const source = file === '-' ? JSON.stringify([...list.students]) : file;
  let survey: GrantSurvey = { judged: [], lacking: [], conflicts: [], unmatched: [], readings: new Map() };
  const result = await changeTimes(context, {
    kind: 'accommodations apply',
    identity: [source, typedSelection(selection), JSON.stringify(reading)],
    check: check ? () => checkResult(context, list, survey) : undefined,
    locks: async () => (await exams.ids()).map((id) => `exam ${id}` as const),
    async plan(engine) {
      survey = await surveyed(engine, list, await exams.read());
      const { client } = engine;
      const { lacking } = survey;
      const question = giveQuestion(list, survey, ({ id, shown }) => examInWords(id, shown, client, context.zone()));
      const changes = new StepList();
      for (const each of lacking) changes.add(grantStep(each, client.dialect.timeFormat));
      const steps = changes.all;
      const isConflict = steps.length === 0 && survey.conflicts.length > 0;
      const refused = isConflict ? undecided('differences', list, survey) : undefined;
      return { steps, readings: survey.readings, says: saidOf(list, survey), question, refused };
    },
  });
  await list.keepAnswers();
  if (result.failure || context.globals.dryRun || survey.conflicts.length === 0) return result;
  return { ...result, failure: undecided('partly_done', list, survey) };
}

function undecided(code: 'differences' | 'partly_done', { name }: GrantList, { conflicts }: GrantSurvey): CliError {
  const command = typedCommand('sessions get', [conflicts[0]?.session.id ?? '']);
  const hint = sentence`Decide on each, and set its time with sessions extend or sessions update. See the first: proctor-cli ${command}`;
  const what = sentence`Not set: ${count(conflicts.length, 'session')} of ${name}. Only a person can decide which time is meant.`;
  return new CliError(code, what, { hint });
}

/** The question names students who have begun: they get the time in the middle of their exam. */
function giveQuestion({ name }: GrantList, { lacking }: GrantSurvey, inWords: (exam: SelectedExam) => Sentence): Sentence {
  const exams = [...new Set(lacking.map(({ exam }) => exam))];
  const [first] = exams;
  const where = first && exams.length === 1 ? inWords(first) : `exams ${firstInLine(exams, ({ id }) => id, 5)}`;
  const people = new Set(lacking.map(({ grant }) => addressKey(grant.email))).size;
  const twice = people === lacking.length ? '' : ` (${count(lacking.length, 'session')})`;
  const begun = lacking.filter(({ session }) => (phaseOf(session.data.status) ?? 'waiting') !== 'waiting').length;
  const now = begun === 0 ? '' : ` (${begun} of them ${begun === 1 ? 'has' : 'have'} begun already)`;
  return sentence`Give ${count(people, 'student')}${twice} of ${where} the extra time of ${name}${now}`;
}

/** Throws `list_in_doubt` for one without addresses, `invalid_input` for two lines alike. */
async function surveyed(engine: Engine, list: GrantList, exams: readonly SelectedExam[]): Promise<GrantSurvey> {
  const { client, context, zone } = engine;
  const readings = await client.pacer.map(exams, async ({ id }) => (await existingIn(engine, id)).whole());
  const about = new Map<string, Grant>();
  const here = new Set<string>();
  const found = readings.flatMap((reading, at) => {
    const exam = exams[at] as SelectedExam;
    refuseHiddenStudents(reading);
    const granted = grantsFor(list, exam, zone);
    return [...list.students.keys()].flatMap((key) => {
      const grant = granted(key);
      if (!grant || grant.extra.milliPercent + grant.extra.milliseconds === 0) return [];
      about.set(key, grant);
      const sessions = reading.of({ email: grant.email });
      if (sessions.length > 0) here.add(key);
      return sessions.map((session) => ({ exam, grant, session }));
    });
  });
  const judged = await client.pacer.map(found, async ({ exam, grant, session }): Promise<JudgedGrant> => {
    const data = await wholeRecord(client, 'session', session.id, session.data);
    return { exam, grant, session: { ...session, data }, ...judge(exam, grant, data) };
  });
  const lost = [...about].flatMap(([key, grant]) => (here.has(key) ? [] : [grant]));
  const near = nearestOf(readings.flatMap(({ all }) => all.flatMap(({ email }) => email ?? [])));
  const hidden = readings.flatMap((reading) => reading.hiding(anybody)).length;
  const masked = hidden === 0 ? '' : ` shows the address, which ${count(hidden, 'session')} may hide`;
  const why = sentence`no session in the selected exams${masked}`;
  const strangers = lost.map((grant) => ({ grant, why: orNear(why, near(grant.email)) }));
  return {
    judged,
    lacking: judged.filter(({ state }) => state === 'missing' || state === 'less'),
    conflicts: judged.filter(({ state }) => state === 'conflict'),
    unmatched: [...strangers, ...(await unknownExams(context, list, exams))],
    readings: new Map(readings.map((reading) => [reading.exam, reading])),
  };
}

const anybody = { email: 'anybody' };

function refuseHiddenStudents(reading: Reading): void {
  const hasAddress = reading.all.some(({ email }) => email !== undefined);
  if (hasAddress || reading.hiding(anybody).length === 0) return;
  const instead = maskAmong(reading.all.map(({ data }) => data));
  const what = sentence`The list of exam ${reading.exam} shows no addresses${instead}, so it is unknown who has extra time.`;
  throw new CliError('list_in_doubt', what);
}

function orNear(why: Sentence, near: string | undefined): Sentence {
  return near === undefined ? why : sentence`${why}; the nearest is ${near}`;
}

async function unknownExams(context: Context, { words }: GrantList, selected: readonly SelectedExam[]) {
  const isUnknown = (exams: readonly SelectedExam[]) => (word: string) => !exams.some((exam) => means(word, exam));
  const elsewhere = [...words.keys()].filter(isUnknown(selected));
  if (elsewhere.length === 0) return [];
  const client = await context.client();
  const all = await listedExams(client, { unsure: 'warn' });
  if (elsewhere.some(isUnknown(all))) client.refuseDoubt('there is an exam for each line');
  const names = all.flatMap(({ name }) => name ?? []);
  return elsewhere.filter(isUnknown(all)).map((word) => {
    const why = orNear(sentence`the service has no exam ${JSON.stringify(word)}`, nearest(word, names));
    return { grant: words.get(word) as Grant, why };
  });
}

function judge({ start, end }: SelectedExam, { extra }: Grant, data: Listed['data']): Verdict {
  const { open_time = null, close_time = null, status } = data;
  if (phaseOf(status) === 'finished') return { state: 'finished' };
  const [opens, closes] = [open_time, close_time].map(instantOf);
  if ((open_time !== null && opens === undefined) || (close_time !== null && closes === undefined))
    return { state: 'conflict', why: sentence`it shows a time that cannot be read` };
  const target = targetTime({ starts: start, ends: end, opens }, extra);
  if (typeof target !== 'number') return { state: 'conflict', why: target };
  if (closes === undefined) return { state: 'missing', target };
  if (closes >= target) return { state: closes === target ? 'ok' : 'more', target };
  // The student takes it on another day: by the exam's end, the window would last until then.
  if (closes <= (start ?? 0)) return { state: 'conflict', why: sentence`its own window is over before the exam starts` };
  const length = (end ?? 0) - (start ?? 0);
  const own = extra.milliPercent === 0 ? undefined : shorterWindow(length, opens, closes);
  const why = own === undefined ? undefined : bothReadings(extra, length, own);
  return why === undefined ? { state: 'less', target } : { state: 'conflict', why };
}

function grantStep({ exam, session, target = 0 }: JudgedGrant, timeFormat: TimeFormat): StepDraft {
  const { id, email, data } = session;
  const { open_time = null, close_time = null } = data;
  const { start_time = null, end_time = null } = exam.shown;
  const body = { close_time: formatTime(target, timeFormat) };
  return sessionUpdate({ id, exam: exam.id, email }, body, { open_time, close_time }, { start_time, end_time });
}

async function grantRows(context: Context, { judged, unmatched }: GrantSurvey): Promise<Row[]> {
  const client = await context.client();
  const { timeFormat } = client.dialect;
  const rows = judged.map(({ exam, grant, session, state, target, why = null }) => ({
    exam: client.shownAs('exam', exam.id),
    session: client.shownAs('session', session.id),
    email: session.email,
    field: 'close_time',
    from: session.data.close_time ?? null,
    to: target === undefined ? null : formatTime(target, timeFormat),
    result: state,
    reason: why,
    reference: grant.reference ?? null,
  }));
  const empty = Object.fromEntries(context.columns.map(({ key }) => [key, null]));
  const others = unmatched.map(({ grant: { email, reference = null }, why }) => {
    return { ...empty, email, result: 'unmatched', reason: why, reference };
  });
  return [...rows, ...others];
}

const stateWords = {
  missing: 'without it so far',
  less: 'with less so far',
  ok: 'with all of it',
  more: 'with more (kept)',
  finished: 'finished (not changed)',
  conflict: 'for you to decide (not changed)',
};

function saidOf({ name }: GrantList, { judged, unmatched }: GrantSurvey): Sentence[] {
  const groups = Map.groupBy(judged, ({ state }) => state);
  const counts = [...groups].map(([state, of]) => `${of.length} ${stateWords[state]}`).join(', ');
  const exams = count(new Set(judged.map(({ exam }) => exam.id)).size, 'exam');
  const some = sentence`${name} gives extra time in ${count(judged.length, 'session')} of ${exams}: ${counts}.`;
  const none = sentence`${name} gives nobody in the selected exams extra time.`;
  const conflicts = judged.flatMap(({ exam, session: { id, email = '' }, why }) => {
    return why === undefined ? [] : [sentence`not set: exam ${exam.id}, session ${id} ${email}: ${why}`];
  });
  const more = (groups.get('more') ?? []).map(({ exam, session: { id, email = '' } }) => {
    return sentence`exam ${exam.id}, session ${id} ${email} keeps its time, which is more than in the list.`;
  });
  const strangers = unmatched.map(({ grant, why }) => sentence`${name}, ${grant.place}: ${grant.email}: ${why}`);
  const problems = firstLines([...conflicts, ...strangers], (text) => sentence`warning: ${text}.`);
  return [judged.length === 0 ? none : some, ...firstLines(more, (text) => text), ...problems];
}
