/**
 * `sessions move`: each student is created in the other exam, and deleted here once the new session
 * was seen with all that goes along.
 */
import { readRecord } from '../../api/reading.ts';
import type { Context, Result, Row } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { shownOf } from '../../model/compare.ts';
import { examInWords, namedAtMost, whoInWords } from '../../model/describe.ts';
import { setsTimes } from '../../model/fields.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { keysIn, maskAmong } from '../../model/listing.ts';
import { typedCommand, typedOption } from '../../model/shell-quote.ts';
import { phaseOf, statusOf, statusText } from '../../model/status.ts';
import { instantOf, showTime } from '../../model/time.ts';
import {
  addStudent,
  copyIn,
  deletionOf,
  type Ended,
  type Engine,
  type Execution,
  type ExistingRecords,
  executePlan,
  existingIn,
  isUnknown,
  type LockScope,
  meaningOf,
  nothingRequired,
  notSent,
  retryable,
  StepList,
  serviceNow,
  timesFor,
} from '../../runs/index.ts';
import { count, firstInLine, firstLines, type Sentence, sentence, students } from '../../text/sentence.ts';
import { errorOf } from '../crud/failure.ts';
import { severalResult } from '../crud/results.ts';
import { declaredFields, examsOf, jointRefusal, type Refusal, sessionsById } from '../exam-students.ts';
import { type Copied, copiedFrom, tellCopied } from './copied.ts';

/** `given`: fields of each new session. */
type Move = { ids: readonly string[]; to: string; given: JsonObject };
type MovedSession = { carried: Copied; exam: string };

export function moveSessions(context: Context, move: Move): Promise<Result> {
  const { ids, to, given } = move;
  const { sessionNameKey, sessionNumberKey } = context.settings().dialect;
  const kept = ['email', sessionNameKey, sessionNumberKey].find((key) => Object.hasOwn(given, key));
  if (kept !== undefined)
    throw notSent(sentence`A move keeps ${kept} as it is.`, sentence`Change it afterwards: proctor-cli sessions update ID -f ${kept}=…`);
  return executePlan(context, {
    kind: 'sessions move',
    identity: { exam: to, sessions: [...new Set(ids)].toSorted(), given },
    needsYes: true,
    async locks() {
      const sessions = await sessionsById(context, ids);
      const exams = new Set([to, ...sessions.flatMap(({ exam }) => exam || [])]);
      // Windows of their own move by the difference of the starts.
      return [...exams].flatMap((exam): LockScope[] => [`students ${exam}`, `exam ${exam}`]);
    },
    async plan(engine) {
      const existing = await existingIn(engine, to);
      const chosen = await chooseSessions(engine, move, existing);
      const others = showsNothing(given) ? chosen.moving.map(({ carried }) => carried.id) : [];
      const options = [typedOption('--exam', to), context.globals.yes ? '--yes' : ''];
      const [first, ...more] = chosen.refusals;
      const refused = first && jointRefusal(engine.client, [first, ...more], { verb: 'move', others, options, alone: undefined });
      const steps = refused ? [] : chosen.steps;
      return {
        steps,
        readings: new Map([[to, existing.reading]]),
        existing: [existing],
        refused,
        chosen,
      };
    },
    tell: ({ steps, chosen }) => (steps.length === 0 ? undefined : tellMove(context, chosen)),
    question: ({ chosen }) => chosen.question,
    result: (ended) => moveResult(context, ended),
  });
}

async function chooseSessions(engine: Engine, move: Move, existing: ExistingRecords) {
  const { context, client, zone } = engine;
  const { ids, to, given } = move;
  const target = await readRecord(client, 'exam', to);
  const sessions = await sessionsById(context, ids);
  const exams = await examsOf(context, sessions);
  const [moving, refusals]: [MovedSession[], Refusal[]] = [[], []];
  const steps = new StepList();
  const owners = new Map<string, string>();
  for (const { id, exam, shown } of sessions) {
    const back = copiedFrom(client, id, shown);
    const keys = keysIn(shown, client.dialect);
    const same = keys.map((key) => owners.get(key)).find((other) => other !== undefined);
    const refusal = await moveRefusal(shown, { exam, to, back, same }, existing);
    for (const key of keys) owners.set(key, id);
    if (refusal) {
      refusals.push({ id, ...refusal });
      continue;
    }
    const along = { from: exams.get(exam) ?? {}, to: target, zone };
    const carried = copiedFrom(client, id, shown, along, given);
    const examShows = setsTimes(carried.fields) ? shownOf(['start_time'], target) : {};
    const copy = addStudent(steps, carried, { exam: to, examShows });
    const origin = { student: back.student, fields: back.fields, examShows: timesFor(back.fields, along.from) };
    // The old session is deleted only if the student has not started, and was given nothing meanwhile.
    const requires = { ...nothingRequired, target: shownOf(declaredFields(client.dialect), shown) };
    steps.add({ ...deletionOf('session', id), exam, student: carried.student, dependsOn: copy, requires, survivor: { copy, origin } });
    moving.push({ carried, exam });
  }
  const who = whoInWords(moving.map(({ carried: { id, student } }) => ({ session: id, email: student.email })));
  const which = moving.length === 1 ? `session ${who}` : count(moving.length, 'session');
  const from = firstInLine([...exams], ([id, exam]) => examInWords(id, exam, client, zone), namedAtMost);
  const question = sentence`Move ${which} of ${from} to ${examInWords(to, target, client, zone)}`;
  const isOver = (instantOf(target.end_time) ?? Infinity) <= serviceNow(engine);
  const over = isOver ? [sentence`Exam ${to} is over: ${showTime(target.end_time, zone)}.`] : [];
  return { moving, over, steps: steps.all, refusals, question };
}

function showsNothing(shown: JsonObject): boolean {
  return Object.keys(shown).length === 0;
}

/** `same`: another session of its student that is to move. */
type MoveCheck = { exam: string; to: string; back: Copied; same: string | undefined };

async function moveRefusal(shown: JsonObject, wish: MoveCheck, existing: ExistingRecords): Promise<Omit<Refusal, 'id'> | undefined> {
  const { exam, to, back, same } = wish;
  if (showsNothing(shown)) return { code: 'not_found', why: sentence`does not exist` };
  const status = statusText(shown.status) ?? 'not shown';
  if (phaseOf(status) !== 'waiting') return { code: 'invalid_input', why: sentence`its status is ${status}` };
  if (exam === to) return { code: 'already_there', why: sentence`is in exam ${to} already` };
  if (exam === '') return { code: 'bad_answer', why: sentence`shows no exam: proctor-cli config set dialect.sessionExamKey FIELD` };
  if ((back.student.email ?? back.student.number) === undefined)
    return { code: 'list_in_doubt', why: sentence`shows no address${maskAmong([shown])}` };
  if (same !== undefined) return { code: 'invalid_input', why: sentence`has the same student as session ${same}` };
  const run = existing.unknown(back.student);
  if (run !== undefined) {
    const resume = typedCommand('runs resume', [run]);
    return { code: 'outcome_unknown', why: sentence`run ${run} may have added the student there: proctor-cli ${resume}` };
  }
  const there = await existing.find(back.student);
  if (there) return { code: 'already_there', why: sentence`its student is in exam ${to} already, as session ${there.id ?? ''}` };
  if (existing.reading.hiding(back.student).length === 0) return undefined;
  return { code: 'list_in_doubt', why: sentence`the list of exam ${to} does not show who is in it` };
}

function tellMove(context: Context, { moving, over }: { moving: readonly MovedSession[]; over: readonly Sentence[] }): void {
  const zone = context.zone();
  const at = (label: string, time: Json | undefined) => (time === undefined ? '' : `, ${label} ${showTime(time, zone)}`);
  const inWords = ({ carried: { id, student, fields }, exam }: MovedSession) => {
    const times = `${at('start from', fields.open_time)}${at('start by', fields.close_time)}`;
    return sentence`Will move: session ${id} ${student.email ?? student.number ?? ''} of exam ${exam}${times}`;
  };
  for (const line of firstLines(moving, inWords)) context.say(line);
  for (const line of over) context.warn(line);
  const all = moving.map(({ carried }) => carried);
  tellCopied(context, all, ' To add a field to the new sessions: -F FIELD=VALUE');
}

async function moveResult(context: Context, ended: Ended): Promise<Result> {
  const moved = new Map<Execution, Row>();
  const mailed: Execution[] = [];
  const byNumber = new Map(ended.items.map((execution) => [execution.step.number, execution]));
  const items = ended.items.flatMap((execution) => {
    const { step } = execution;
    const copy = copyIn(step);
    if (copy.length === 0) return [];
    const creation = copy.flatMap((number) => byNumber.get(number) ?? []);
    const item = outcomeOfStudent([...creation, execution], execution, ended.run ?? '');
    if (item.state !== 'done') return item;
    moved.set(item, { result: 'moved', reason: sentence`was session ${execution.id ?? ''} of exam ${execution.exam ?? ''}` });
    if (statusOf(step.requires.target.status) === 'mail_sent') mailed.push(item);
    return item;
  });
  const again = typedCommand('exams send-emails', [mailed[0]?.exam ?? ''], '--resend');
  if (mailed.length > 0)
    context.say(sentence`${students(mailed.length)} mailed about the old exam. To mail all of the new one: proctor-cli ${again}`);
  const rowsOf = (item: Execution) => [moved.get(item) ?? {}];
  return severalResult(context, { ...ended, items }, { did: 'moved', resource: 'session', rowsOf });
}

/** What all steps of a student come to: the new session, or the old one and why it stays. */
function outcomeOfStudent(steps: readonly Execution[], deletion: Execution, run: string): Execution {
  const [create] = steps as readonly [Execution];
  const bad = steps.find(({ state }) => state !== 'done');
  if (!bad) return create;
  const { id = '', exam = '' } = deletion;
  const { email, number } = deletion.step.student;
  const { state, reason } = bad;
  const error = state === 'planned' ? bad.error : errorOf(bad);
  const isInBoth = create.seen && create.id !== undefined;
  const who = email ?? number ?? 'The student';
  const isThere = sentence`${who} is in exam ${create.exam ?? ''}, as session ${create.id ?? ''}, and session`;
  const stays = deletion.reason === 'gone' ? 'was deleted by somebody else' : sentence`of exam ${exam} stays`;
  const why = error?.message ?? meaningOf(state, reason);
  const what = sentence`${isInBoth ? isThere : 'Session'} ${id} ${stays}: ${why}`;
  if (isUnknown(bad) || !isInBoth)
    return { ...deletion, id, state, reason, error: error && new CliError(error.code, what, { hint: error.hint }) };
  const isLeft = state === 'planned' || retryable(steps).includes(bad);
  const [next, verb] = isLeft ? ['To go on', 'resume'] : ['To put the students of this run back', 'undo'];
  // An undo deletes neither a session that another client created nor the only one that may be left.
  const isOnlyTheirs = !isLeft && !create.owned && error?.hint;
  const find =
    deletion.reason === 'gone' && sentence`Look whether the student is elsewhere: proctor-cli ${typedCommand('sessions find', [who])}`;
  const hint = isOnlyTheirs || find || sentence`${next}: proctor-cli ${typedCommand(`runs ${verb}`, [run])}`;
  return { ...deletion, id, state: 'failed', reason: 'different', error: new CliError('partly_done', what, { hint }) };
}
