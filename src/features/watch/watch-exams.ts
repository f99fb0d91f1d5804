/**
 * `sessions watch`: one poll reads all exams of the watch, a few at a time, and yields the differences. An exam that is deleted is named
 * and leaves the watch, which ends with the last one; one that fails alone keeps its last numbers. One exam alone has the whole screen.
 */
import type { Client } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import { planned } from '../../api/request.ts';
import type { Column, Context, Result, Row } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { count, students as studentsInWords } from '../../model/count.ts';
import { idAndName } from '../../model/describe.ts';
import { durationInWords } from '../../model/duration.ts';
import { examClock } from '../../model/exam-clock.ts';
import { firstLines } from '../../model/first-of.ts';
import { shownId } from '../../model/id.ts';
import { outcomeOf, standingOf } from '../../model/outcome.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { eachExam } from '../each-exam.ts';
import { type ExamSelection, lookingAt, lookingAtRunning, type SelectedExam } from '../exam-selection.ts';
import { countStatuses } from './counts.ts';
import { inPhases } from './exams-status.ts';
import { liveOf, type Seen, type Watched, type WatchOptions } from './follow.ts';
import { type Poll, pollExam } from './poll.ts';
import { bySeverity, problemInWords } from './problems.ts';
import type { ExamsMoment, ExamsSnapshot, WatchedExam, WatchMoment } from './snapshot.ts';
import { changeColumns, type WatchChange } from './status-changes.ts';
import { WatchState } from './watch-state.ts';

const columnsOfSeveral: readonly Column[] = changeColumns.flatMap((column) => (column.key === 'at' ? [column, { key: 'exam' }] : [column]));

/** More than any screen shows. */
const keptChanges = 200;
const namedAtMost = 10;

/** `only`: the ID of the one exam that is watched; otherwise the selection; without any, the exams that are running. */
export async function watchExams(
  context: Context,
  selection: ExamSelection | undefined,
  only: string | undefined,
  options: WatchOptions,
): Promise<Result> {
  const live = (client: Client, ids: readonly string[], alone = false): Result => {
    const how = alone
      ? { drawing: () => import('./exam-screen.ts'), columns: changeColumns }
      : { drawing: () => import('./exams-screen.ts'), columns: columnsOfSeveral };
    const begin = () => WatchedExams.begin(context, client, ids, { ...options, alone });
    return { ...liveOf<WatchMoment | ExamsMoment>(context, options, begin, how), id: 'session' };
  };
  if (only !== undefined) {
    const client = await context.client();
    const steps = [
      { operation: operations.getExam, params: { id: only } },
      { operation: operations.listExamSessions, params: { exam_id: only } },
    ];
    return context.act({ steps, show: (shown) => planned(client, shown), perform: async () => live(client, [only], true) });
  }
  const idsOf = (exams: readonly SelectedExam[]) => exams.map(({ id }) => id);
  const none: Result = { kind: 'list', rows: [], columns: columnsOfSeveral, id: 'session' };
  if (selection) return lookingAt(context, selection, async (client, exams) => (exams.length === 0 ? none : live(client, idsOf(exams))));
  return lookingAtRunning(context, async (client, running) => {
    if (running.length > 0) return live(client, idsOf(running), running.length === 1);
    context.say('No exam is running now. To watch another one: proctor-cli sessions watch --exam ID');
    return none;
  });
}

/** An exam of the watch. `trouble`: why it could not be read the last time. */
type Part = { id: string; state: WatchState; trouble: CliError | undefined };

type How = Pick<WatchOptions, 'interval' | 'late'> & { alone: boolean };
type Picture = { snapshot: WatchMoment['snapshot'] | ExamsSnapshot };

class WatchedExams implements Watched<WatchMoment | ExamsMoment> {
  readonly #poll: (id: string) => Promise<Poll>;
  readonly #client: Client;
  readonly #where: Pick<ExamsSnapshot, 'origin' | 'profile'>;
  readonly #how: How;
  #parts: Part[] = [];
  #changes: ExamsSnapshot['changes'] = [];

  static async begin(context: Context, client: Client, ids: readonly string[], how: How): Promise<WatchedExams> {
    const watched = new WatchedExams(context, client, how);
    watched.#parts = await client.pacer.map(ids, async (id) => {
      return { id, state: new WatchState(await watched.#poll(id), watched.#where, how.late), trouble: undefined };
    });
    return watched;
  }

  private constructor({ host, settings }: Context, client: Client, how: How) {
    this.#poll = (id) => pollExam(client, id, host);
    this.#client = client;
    this.#where = { origin: client.origin, profile: settings().profile };
    this.#how = how;
  }

  async poll(): Promise<Seen> {
    const read = await eachExam(this.#client, this.#parts, ({ id }) => this.#poll(id));
    const rows: Row[] = [];
    const notes: Sentence[] = [];
    const gone: CliError[] = [];
    const left: Part[] = [];
    for (const each of read) {
      const { exam: part } = each;
      if ('value' in each) {
        const { at } = each.value;
        const changes = part.state.saw(each.value);
        rows.push(...changes.map((change) => this.#row(each.value, change)));
        this.#changes = [...changes.map((change) => ({ ...change, at, exam: part.id })).reverse(), ...this.#changes];
        left.push({ ...part, trouble: undefined });
        continue;
      }
      const deleted = deletedDuringWatch(part.id, each.error);
      if (deleted) {
        gone.push(deleted);
        notes.push(deleted.message);
        continue;
      }
      if (!part.trouble) notes.push(sentence`Exam ${idAndName(part.id, part.state.poll.exam.name)}: ${each.error.message}`);
      left.push({ ...part, trouble: each.error });
    }
    const [deleted] = gone;
    if (left.length === 0 && deleted) throw deleted;
    if (left.every(({ trouble }) => trouble) && left[0]?.trouble) throw left[0].trouble;
    this.#parts = left;
    this.#changes = this.#changes.slice(0, keptChanges);
    return { at: this.#updatedAt(), rows, notes };
  }

  greeting(): Sentence[] {
    const { alone, interval } = this.#how;
    const problems = this.#problems();
    const exams = this.#parts.map(({ state }) => state.poll);
    const [first] = exams;
    const inWords = ({ exam: { id, name } }: Poll) => idAndName(id, name);
    const clock = ({ at, exam }: Poll) => examClock(exam, at);
    const every = `Updated every ${durationInWords(interval)}.`;
    const line = (poll: Poll) => sentence`Exam ${inWords(poll)}, ${clock(poll)}: ${studentsInWords(poll.students.length)}.`;
    return [
      ...(alone && first
        ? [sentence`Watching exam ${inWords(first)}, which ${clock(first)}: ${this.inNumbers()}. ${every}`]
        : [sentence`Watching ${count(exams.length, 'exam')} with ${this.inNumbers()}. ${every}`, ...firstLines(exams, line)]),
      ...problems.slice(0, namedAtMost).map(({ exam, ...problem }) => {
        const name = exams.find((poll) => poll.exam.id === exam)?.exam.name;
        return sentence`Problem: ${alone ? '' : `exam ${idAndName(exam, name)}: `}${problemInWords(problem)}.`;
      }),
      ...(problems.length > namedAtMost ? [sentence`… and ${problems.length - namedAtMost} more problems.`] : []),
    ];
  }

  /** "12 students: mail_sent 2, exam_started 10". */
  inNumbers(): string {
    const students = this.#parts.flatMap(({ state }) => state.poll.students);
    const counts = countStatuses(students).filter((each) => each.count > 0);
    const words = counts.map(({ status, count: number }) => `${status ?? 'no status'} ${number}`).join(', ');
    return [count(students.length, 'student'), words].filter((part) => part !== '').join(': ');
  }

  isFinished(): boolean {
    return this.#parts.every(({ state }) => allFinished(state.poll));
  }

  picture({ nextAt, trouble }: Parameters<Watched<ExamsMoment>['picture']>[0]): Picture {
    const [first] = this.#parts;
    if (this.#how.alone && first) return { snapshot: first.state.snapshot(nextAt, trouble) };
    const exams = this.#parts.map(lineOf);
    return {
      snapshot: {
        ...this.#where,
        exams,
        students: exams.reduce((sum, { students }) => sum + students, 0),
        problems: this.#problems(),
        changes: this.#changes,
        updatedAt: this.#updatedAt(),
        nextAt,
        trouble,
      },
    };
  }

  /** The oldest of the polls that are shown as fresh. */
  #updatedAt(): number {
    const fresh = this.#parts.filter(({ trouble }) => !trouble);
    return Math.min(...(fresh.length > 0 ? fresh : this.#parts).map(({ state }) => state.poll.at));
  }

  #problems(): ExamsSnapshot['problems'] {
    return this.#parts.flatMap(({ id, state }) => state.problems.map((problem) => ({ ...problem, exam: id }))).sort(bySeverity);
  }

  #row({ exam, at }: Poll, { session, email, name, field, from, to }: WatchChange): Row {
    const of = this.#how.alone ? {} : { exam: shownId(exam.shown.id) ?? exam.id };
    return { at: new Date(at).toISOString(), ...of, session, field, from, to, email, name };
  }
}

/**
 * Whether every student has finished, or can neither start nor continue. An exam without students has not finished
 * before its end: they may still be on their way into it.
 */
function allFinished({ at, exam, students }: Poll): boolean {
  if (students.length === 0) return standingOf(exam.shown, at) === 'over';
  return students.every((student) => ['finished', 'no_show', 'stuck'].includes(outcomeOf(student, exam.shown, at)));
}

/** The error for an exam that is gone; undefined for any other error. */
function deletedDuringWatch(exam: string, error: unknown): CliError | undefined {
  if (!(error instanceof CliError) || error.code !== 'not_found') return undefined;
  return new CliError('not_found', sentence`Exam ${exam} no longer exists: it was deleted during the watch.`, {
    hint: 'List the exams with: proctor-cli exams list',
    status: 404,
    cause: error,
  });
}

function lineOf({ state, trouble }: Part): WatchedExam {
  const { exam, students } = state.poll;
  const { id, name, start, end } = exam;
  const { phases } = inPhases(students);
  return { id, name, start, end, students: students.length, phases, problems: state.problems.length, trouble: trouble?.message };
}
