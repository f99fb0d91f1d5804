/**
 * `sessions watch` of several exams: one poll reads all of them, a few at a time. An exam that is deleted is named and
 * leaves the watch; one that fails alone keeps its last numbers.
 */
import type { Client } from '../../api/client.ts';
import type { Column, Context, Result, Row } from '../../command.ts';
import type { CliError } from '../../errors.ts';
import { count, students as studentsInWords } from '../../model/count.ts';
import { durationInWords } from '../../model/duration.ts';
import { clockDifference, examClock } from '../../model/exam-clock.ts';
import { firstLines } from '../../model/first-of.ts';
import { shownId } from '../../model/id.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { eachExam } from '../each-exam.ts';
import { type ExamSelection, lookingAt, type SelectedExam } from '../exam-selection.ts';
import type { ArisenProblem } from './alarm.ts';
import { inPhases } from './exams-status.ts';
import { liveOf, type Seen, type Watched, type WatchOptions } from './follow.ts';
import { type Poll, pollExam } from './poll.ts';
import { bySeverity, problemInWords } from './problems.ts';
import type { ExamsMoment, ExamsSnapshot, WatchedExam } from './snapshot.ts';
import { changeColumns } from './status-changes.ts';
import { allFinished } from './until.ts';
import { deletedDuringWatch, inNumbers, namedAtMost, rowOf } from './watch.ts';
import { WatchState } from './watch-state.ts';

const columns: readonly Column[] = changeColumns.flatMap((column) => (column.key === 'at' ? [column, { key: 'exam' }] : [column]));

/** More than any screen shows. */
const keptChanges = 200;

export async function watchExams(context: Context, selection: ExamSelection, options: WatchOptions): Promise<Result> {
  return lookingAt(context, selection, async (client, exams) => {
    const how = { drawing: () => import('./exams-screen.ts'), columns };
    const begin = () => WatchedExams.begin(context, client, exams, options);
    return { ...liveOf<ExamsMoment>(context, options, begin, how), id: 'session' };
  });
}

/** An exam of the watch. `trouble`: why it could not be read the last time. */
type Part = { id: string; state: WatchState; trouble: CliError | undefined };

class WatchedExams implements Watched<ExamsMoment> {
  readonly #poll: (id: string) => Promise<Poll>;
  readonly #client: Client;
  readonly #where: Pick<ExamsSnapshot, 'origin' | 'profile'>;
  readonly #interval: number;
  #parts: Part[];
  #changes: ExamsSnapshot['changes'] = [];

  static async begin(context: Context, client: Client, exams: readonly SelectedExam[], options: WatchOptions): Promise<WatchedExams> {
    const poll = (id: string) => pollExam(client, id, context.host, { quiet: true });
    const where = { origin: client.origin, profile: context.settings().profile };
    const read = await eachExam(client, exams, ({ id }) => poll(id));
    const parts = read.map((each): Part => {
      if ('error' in each) throw each.error;
      return { id: each.exam.id, state: new WatchState(each.value, where, options.late), trouble: undefined };
    });
    return new WatchedExams(poll, client, where, options.interval, parts);
  }

  private constructor(
    poll: (id: string) => Promise<Poll>,
    client: Client,
    where: Pick<ExamsSnapshot, 'origin' | 'profile'>,
    interval: number,
    parts: Part[],
  ) {
    this.#poll = poll;
    this.#client = client;
    this.#where = where;
    this.#interval = interval;
    this.#parts = parts;
  }

  async poll(): Promise<Seen> {
    const read = await eachExam(this.#client, this.#parts, ({ id }) => this.#poll(id));
    const rows: Row[] = [];
    const arisen: ArisenProblem[] = [];
    const notes: Sentence[] = [];
    const gone: CliError[] = [];
    const left: Part[] = [];
    for (const each of read) {
      const { exam: part } = each;
      if ('value' in each) {
        const { at } = each.value;
        const seen = part.state.saw(each.value);
        rows.push(...seen.changes.map((change) => this.#row(each.value, rowOf(change, at))));
        arisen.push(...seen.arisen.map((problem) => ({ ...problem, exam: part.id })));
        this.#changes = [...seen.changes.map((change) => ({ ...change, at, exam: part.id })).reverse(), ...this.#changes];
        left.push({ ...part, trouble: undefined });
        continue;
      }
      const deleted = deletedDuringWatch(part.id, each.error);
      if (deleted) {
        gone.push(deleted);
        notes.push(deleted.message);
        continue;
      }
      if (!part.trouble) notes.push(sentence`Exam ${part.id}: ${each.error.message}`);
      left.push({ ...part, trouble: each.error });
    }
    const [deleted] = gone;
    if (left.length === 0 && deleted) throw deleted;
    if (left.every(({ trouble }) => trouble) && left[0]?.trouble) throw left[0].trouble;
    this.#parts = left;
    this.#changes = this.#changes.slice(0, keptChanges);
    return { at: this.#updatedAt(), rows, arisen: arisen.sort(bySeverity), notes };
  }

  greeting(): Sentence[] {
    const problems = this.#problems();
    const exams = this.#parts.map(({ state }) => state.poll);
    const [{ clockOffset } = { clockOffset: 0 }] = exams;
    return [
      sentence`Watching ${count(exams.length, 'exam')} with ${this.inNumbers()}. Updated every ${durationInWords(this.#interval)}.`,
      ...firstLines(
        exams,
        ({ at, exam, students }) =>
          sentence`Exam ${exam.id}${exam.name === undefined ? '' : `, ${exam.name}`}, ${examClock(exam, at + clockOffset)}: ${studentsInWords(students.length)}.`,
      ),
      ...(clockOffset === 0 ? [] : [clockDifference(clockOffset)]),
      ...problems.slice(0, namedAtMost).map((problem) => sentence`Problem: exam ${problem.exam}: ${problemInWords(problem)}.`),
      ...(problems.length > namedAtMost ? [sentence`… and ${problems.length - namedAtMost} more problems.`] : []),
    ];
  }

  inNumbers(): string {
    return inNumbers({ students: this.#parts.flatMap(({ state }) => state.poll.students) });
  }

  isFinished(): boolean {
    return this.#parts.every(({ state }) => allFinished(state.poll));
  }

  picture({ nextAt, trouble, executing }: Parameters<Watched<ExamsMoment>['picture']>[0]): { snapshot: ExamsSnapshot } {
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
        clockOffset: this.#parts[0]?.state.poll.clockOffset ?? 0,
        trouble,
        ...(executing ? { executing } : {}),
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

  #row({ exam }: Poll, { at, ...row }: Row): Row {
    return { at, exam: shownId((exam.shown as Row)[this.#client.dialect.idKey]) ?? exam.id, ...row };
  }
}

function lineOf({ state, trouble }: Part): WatchedExam {
  const { exam, students } = state.poll;
  const { id, name, start, end } = exam;
  const { phases } = inPhases(students);
  return { id, name, start, end, students: students.length, phases, problems: state.problems.length, trouble: trouble?.message };
}
