/**
 * The gate of the running exam: one for a command, which every write of its clients passes. Invariants: a write
 * that takes something from students is sent only if their exam is known not to run, or a person has given a
 * reason and confirmed it; what cannot be found out keeps the write from being sent. It looks at an exam, and
 * asks, once.
 */
import type { Gate, GateReads, Shown } from '../../../api/gate.ts';
import { type Operation, operations } from '../../../api/operations.ts';
import { decoded } from '../../../api/raw-path.ts';
import type { Outgoing } from '../../../api/request.ts';
import { TransportFailure } from '../../../api/transport-failure.ts';
import type { Context } from '../../../command.ts';
import type { Settings } from '../../../config/settings.ts';
import { CliError, isInterruption, orGone } from '../../../errors.ts';
import { canAsk } from '../../../host/host.ts';
import { clockOffset } from '../../../model/exam-clock.ts';
import { type JsonObject, textOfJson } from '../../../model/json.ts';
import { instantOf } from '../../../model/time.ts';
import { capitalised, type Sentence, sentence } from '../../../text/sentence.ts';
import type { Taking } from './judgements.ts';
import type { Known } from './known.ts';
import type { ListStudents, Standing } from './standing.ts';

/** The value that a write replaces may be as old as this, and what is known of an exam's time as that. Milliseconds. */
const fresh = 5000;
const standsFor = 3 * 60_000;
/** Where any exam may be concerned, students are listed only in those that end or start no further away. Milliseconds. */
const someDays = 2 * 86_400_000;

/** A write, or writes that are judged as a whole. `does`: as a continuation of "Refused to". */
type Asking = { does: string; write?: Outgoing };

export class ExamGate implements Pick<Gate, 'admit' | 'admitRemoval'> {
  readonly #context: Context;
  readonly #target: Settings;
  readonly #known: Known;
  readonly #reading = new Map<string, Promise<Shown | undefined>>();
  readonly #standings = new Map<string, { at: number; standing: Promise<Standing | undefined> }>();
  readonly #students = new Map<string, ReturnType<ListStudents>>();
  readonly #permissions = new Map<string, Promise<void>>();
  /** Exams of which it was said that a reason is recorded. */
  readonly #recorded = new Set<string>();
  /** Exams of which students are deleted together. */
  readonly #removals = new Set<string>();
  /** Retried requests: they have passed, and are recorded. */
  readonly #admitted = new WeakSet<Outgoing>();

  constructor(context: Context, target: Settings, known: Known) {
    this.#context = context;
    this.#target = target;
    this.#known = known;
  }

  async admit(write: Outgoing, reads: GateReads): Promise<void> {
    if (this.#admitted.has(write)) return;
    const { takingsOf } = await import('./judge-write.ts');
    const asking = { does: write.does, write };
    const takings = await this.#orUnsent(asking, () =>
      takingsOf(write, {
        dialect: reads.dialect,
        exam: async (id) => (await this.#read('exam', id, fresh, reads))?.data,
        examOfSession: async (id) => (await this.#read('exam', id, standsFor, reads))?.data,
        session: async (id) => (await this.#read('session', id, fresh, reads))?.data,
        isIdle: async (id) => (await this.#standing(id, reads))?.is === 'idle',
        isOwn: (session) => this.#known.isCreated(session),
        isRemoval: (exam) => this.#removals.has(exam),
      }),
    );
    await this.#pass(takings, asking, reads);
    this.#admitted.add(write);
    this.#known.forget(decoded(write.path.split('?')[0] ?? '').split('/'));
  }

  async admitRemoval(exam: string, does: Sentence, reads: GateReads): Promise<void> {
    await this.#pass([{ exam, why: sentence`which takes the exam from them` }], { does }, reads);
    this.#removals.add(exam);
  }

  async #pass(takings: readonly Taking[], asking: Asking, reads: GateReads) {
    const passed = new Set<string>();
    for (const { exam, why, itself = false, once, until } of takings) {
      const standings = await this.#orUnsent(asking, () => this.#concerned(exam, itself, reads));
      for (const timed of standings) {
        const { id, now } = timed;
        if (passed.has(id) || (until !== undefined && until <= now)) continue;
        const standing = await this.#orUnsent(asking, () => this.#withStudents(timed, once));
        if (standing.is === 'idle' || (once !== undefined && !standing[once])) continue;
        await this.#permit(standing, why, asking, reads);
        passed.add(id);
      }
    }
  }

  /** The exam, or each one that may be concerned where that is unknown: also where the service does not have the exam of a session. */
  async #concerned(exam: string | undefined, itself: boolean, reads: GateReads): Promise<readonly Standing[]> {
    if (exam === undefined) return this.#all(reads);
    const standing = await this.#standing(exam, reads);
    return standing ? [standing] : itself ? [] : this.#all(reads);
  }

  async #withStudents(standing: Standing, once: Taking['once']): Promise<Standing> {
    const { withStudents } = await import('./standing.ts');
    return withStudents(standing, once);
  }

  #standing(id: string, reads: GateReads): Promise<Standing | undefined> {
    const { host } = this.#context;
    const known = this.#standings.get(id);
    if (known && Math.abs(host.now() - known.at) < standsFor) return known.standing;
    const judge = async () => {
      const [shown, { standingOf }] = await Promise.all([this.#read('exam', id, standsFor, reads), import('./standing.ts')]);
      return shown && standingOf(shown, host.now(), this.#listing(id, reads), reads);
    };
    this.#students.delete(id);
    const standing = judge();
    this.#standings.set(id, { at: host.now(), standing });
    standing.catch(() => this.#standings.delete(id));
    return standing;
  }

  /**
   * Every exam that the service lists; one of them is read by itself, because only its answer tells the service's time.
   */
  async #all(reads: GateReads): Promise<Standing[]> {
    const listed: JsonObject[] = [];
    for await (const exam of reads.list(operations.listExams, {})) listed.push(exam);
    const idOf = (exam: JsonObject) => textOfJson(exam[reads.dialect.idKey] ?? '');
    const [first] = listed;
    const clock = first && (await this.#read('exam', idOf(first), standsFor, reads));
    const now = this.#context.host.now();
    const { date, sent, received } = clock ?? { date: undefined, sent: now, received: now };
    const { standingOf } = await import('./standing.ts');
    const there = now + clockOffset(date, { sent, received });
    const standings: Standing[] = [];
    for (const data of listed) {
      const id = idOf(data);
      const [start = there, end = there] = [instantOf(data.start_time), instantOf(data.end_time)];
      const far = there - end > someDays || start - there > someDays;
      const list = far ? async () => [] : this.#listing(id, reads);
      standings.push(await standingOf({ resource: 'exam', id, data, date, sent, received }, now, list, reads));
    }
    return standings;
  }

  async #read(resource: 'exam' | 'session', id: string, within: number, reads: GateReads): Promise<Shown | undefined> {
    const { host } = this.#context;
    const key = `${resource} ${id}`;
    const shown = this.#known.shown(resource, id);
    if (shown && Math.abs(host.now() - shown.received) <= within) return shown;
    const read = async () => {
      const operation: Operation = resource === 'exam' ? operations.getExam : operations.getSession;
      const answer = await orGone(reads.call(operation, { params: { id } }));
      // Of what the request itself is to, there is nothing to protect: the request finds out.
      if (!answer) return undefined;
      const { data, date, sent, received } = answer;
      return { resource, id, data: data as JsonObject, date, sent, received };
    };
    const reading = this.#reading.get(key) ?? read().finally(() => this.#reading.delete(key));
    this.#reading.set(key, reading);
    return reading;
  }

  #listing(exam: string, reads: GateReads): ListStudents {
    return () => {
      const list = async () => {
        const all: JsonObject[] = [];
        for await (const session of reads.list(operations.listExamSessions, { params: { exam_id: exam } })) all.push(session);
        return all;
      };
      const listed = this.#students.get(exam) ?? list();
      this.#students.set(exam, listed);
      listed.catch(() => this.#students.delete(exam));
      return listed;
    };
  }

  /** Throws `exam_running`, what `confirm` throws, and where the reason cannot be recorded. */
  async #permit(standing: Standing, why: Sentence, { does, write }: Asking, reads: GateReads) {
    const context = this.#context;
    const { host, globals, secrets } = context;
    const { id } = standing;
    const { duringExam, yes, noInput } = globals;
    const reason = duringExam === undefined ? undefined : secrets.maskedWords(duringExam);
    const { standingInWords, takingIt } = await import('./standing.ts');
    // Whether the students can be counted decides nothing.
    const inWords = async () =>
      standingInWords(
        standing,
        await this.#listing(id, reads)()
          .then(takingIt)
          .catch(() => sentence``),
      );
    const asks = standing.is === 'unreadable' && !yes && canAsk(host, noInput);
    if (reason === undefined && !asks)
      throw new CliError('exam_running', sentence`Refused to ${does}, ${why}: ${await inWords()}. The request was not sent.`);
    const question = async () =>
      sentence`${capitalised(await inWords())}. ${capitalised(does)}, with all that this command takes from its students, ${context.place()}?`;
    const permission = this.#permissions.get(id) ?? context.confirm(question, id);
    this.#permissions.set(id, permission);
    await permission;
    if (reason === undefined || !write) return;
    const { recordReason, reasonsFile } = await import('./reasons.ts');
    await recordReason(context, this.#target, { exam: id, reason, write });
    if (this.#recorded.has(id)) return;
    this.#recorded.add(id);
    context.warn(sentence`The reason for this during ${standing.named} is recorded in ${reasonsFile(host)}: ${reason}`);
  }

  /** A failed read keeps the write from being sent, and says so. */
  async #orUnsent<T>({ does }: Asking, look: () => Promise<T>): Promise<T> {
    try {
      return await look();
    } catch (error) {
      if (!(error instanceof CliError) || isInterruption(error)) throw error;
      const message = sentence`It is unknown whether an exam is running, so the request to ${does} was not sent: ${error.message}`;
      throw new CliError(error.code, message, {
        hint:
          error.code === 'rejected' || error.code === 'bad_answer'
            ? sentence`If the service cannot show exams and sessions, turn this check off: proctor-cli config set examGate off`
            : error.hint,
        cause: new TransportFailure('broken', error.message, false, error),
      });
    }
  }
}
