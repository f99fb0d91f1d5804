/**
 * Settles open steps of a run by what a person has seen. Nothing is changed at the service: a named session is read before it is
 * accepted, and what is true is accepted, another spelling of the address included.
 */
import { examOf } from '../api/client.ts';
import { operations } from '../api/operations.ts';
import { CliError } from '../errors.ts';
import { addressIn } from '../model/address-key.ts';
import { idOf } from '../model/id.ts';
import type { JsonObject } from '../model/json.ts';
import { typedCommand } from '../model/shell-quote.ts';
import type { RunRecord, State, StepRecord } from '../state/state.ts';
import { sentence } from '../text/sentence.ts';
import type { Book } from './book.ts';
import { type DriveParts, settleParts } from './drive.ts';
import { ExamGate } from './gate/exam-gate.ts';
import { readExam } from './reading.ts';
import { recordedRun } from './recorded.ts';
import { resumedParts } from './resume.ts';
import { type SettleParts, settled, settleUnknown } from './settle.ts';
import { createsStudent } from './step.ts';
import type { World } from './world.ts';

/** A step that a person can settle, and the sessions that it may have created. */
export type OpenStep = {
  index: number;
  line: number | undefined;
  exam: string | undefined;
  email: string | undefined;
  /** A reading, or a person, has not found it in the exam: only a consent sends it again. */
  isAbsent: boolean;
  candidates: readonly Candidate[];
};
export type Candidate = { id: string; email: string | undefined; data: JsonObject };

export class Settling {
  readonly #parts: DriveParts;
  readonly #settle: SettleParts;

  private constructor(parts: DriveParts) {
    this.#parts = parts;
    this.#settle = settleParts(parts);
  }

  /** Takes the run, and looks at once what of it can be settled by looking. */
  static async begin(world: World, record: RunRecord): Promise<Settling> {
    const parts = await resumedParts(world, record, new ExamGate(world), { resendAbsent: false });
    const settling = new Settling(parts);
    await settleUnknown(settling.#settle);
    return settling;
  }

  /** The open creates of students, each with the sessions of its exam that no step explains. */
  async open(): Promise<OpenStep[]> {
    const { world, book } = this.#parts;
    const open: OpenStep[] = [];
    for (const index of [...book.inState('unknown', 'confirmed', 'absent')]) {
      const step = book.steps.at(index);
      if (!step || !createsStudent(step)) continue;
      const exam = this.#parts.book.examOf(index);
      const reading = exam === undefined ? undefined : await readExam(world.client, world.host, exam, world.keep);
      const candidates = (reading?.sessions ?? []).flatMap(({ id, email, data }) =>
        id !== undefined && !this.#settle.wasListed('session', id, exam) && book.withId(id) === undefined ? [{ id, email, data }] : [],
      );
      open.push({ index, line: step.line, exam, email: step.email, isAbsent: book.state(index) === 'absent', candidates });
    }
    return open;
  }

  /** The open step of a line, or of a number where there are no lines. Throws `invalid_input`. */
  at(line: number): number {
    const { book, run } = this.#parts;
    for (const index of book.inState('unknown', 'confirmed', 'absent'))
      if ((book.steps.at(index)?.line ?? index + 1) === line) return index;
    throw new CliError('invalid_input', sentence`Line ${line} of run ${run.run.id} is not open.`, {
      hint: sentence`List its open steps with: proctor-cli ${typedCommand('runs settle', [run.run.id])}`,
    });
  }

  /** Records that a step has created this session. Throws `invalid_input` for one that it cannot have created. */
  async created(index: number, session: string): Promise<void> {
    const { world, book } = this.#parts;
    const shown = await world.client.get(operations.getSession, { params: { id: session } });
    const [exam, of] = [this.#parts.book.examOf(index), examOf(shown, world.client)];
    const other = book.withId(session);
    const why =
      exam !== undefined && of !== undefined && of !== exam
        ? `belongs to exam ${of}`
        : other !== undefined && other !== index
          ? `belongs to ${lineOf(book, other)}`
          : this.#settle.wasListed('session', session, exam)
            ? 'was in the exam before the run'
            : undefined;
    if (why !== undefined)
      throw new CliError('invalid_input', sentence`Session ${session} ${why}.`, { hint: 'Name the session that this line created.' });
    const email = addressIn(shown, { plain: true });
    if (email !== undefined) this.#parts.shownKeys.set(index, world.state.studentKey(email));
    settled(this.#settle, index, 'done', { shown }, { id: idOf(shown) ?? session, ours: true });
  }

  /** Records that a step has created nothing: it is sent again only with a consent. */
  absent(index: number): void {
    const { book, run } = this.#parts;
    if (book.state(index) === 'confirmed') book.restore(index, 'unknown');
    if (book.state(index) !== 'absent') settled(this.#settle, index, 'absent');
    else run.record({ n: index + 1, event: 'absent' });
  }

  close(): Promise<void> {
    const { run, book } = this.#parts;
    return run.close(book.isOpen ? 'open' : 'finished');
  }
}

function lineOf(book: Book, index: number): string {
  const line = book.steps.at(index)?.line;
  return line === undefined ? `step ${index + 1} of the run` : `line ${line}`;
}

type About = { student: string } | { exam: string };

/**
 * Looks up what is unknown of a student or an exam before its records are erased: nobody could do so later. `world`: made only where
 * something is to be looked up. Throws `outcome_unknown`, which keeps the records, and `invalid_input` for a run of another service.
 */
export async function settleAbout(state: State, what: About, world: () => Promise<World>): Promise<void> {
  for (const run of await state.runs()) {
    if (run.state !== 'open' || !(await isUnknown(state, run, what))) continue;
    const settling = await Settling.begin(await world(), run);
    await settling.close();
    if (!(await isUnknown(state, run, what))) continue;
    throw new CliError(
      'outcome_unknown',
      sentence`Run ${run.id} has sent requests about it whose outcome is unknown. Nothing was erased.`,
      {
        hint: sentence`Settle it, then run this command again: proctor-cli ${typedCommand('runs settle', [run.id])}`,
      },
    );
  }
}

async function isUnknown(state: State, { id }: RunRecord, what: About): Promise<boolean> {
  const { records, book, shownKeys } = await recordedRun(state, id);
  const key = 'student' in what ? state.studentKey(what.student) : undefined;
  const isAbout = ({ n, sentKey, exam }: StepRecord) =>
    'exam' in what ? exam === what.exam : sentKey === key || shownKeys.get(n - 1) === key;
  return records.some((record) => record && ['unknown', 'confirmed'].includes(book.state(record.n - 1)) && isAbout(record));
}
