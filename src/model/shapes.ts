/**
 * The output of commands, shape by shape: the service's resources, and records of our own. Fields may be added
 * to a record; removing one or changing its type requires the next `schemaVersion`.
 */
import * as z from 'zod/mini';
import { Exam } from './exam.ts';
import { Id, Timestamp } from './field-schemas.ts';
import { type LineStateName, lineStateNames } from './line-states.ts';
import { ProctorRecord } from './proctor.ts';
import { ExamReport, ReportedStudent } from './report-content.ts';
import { StudentSession } from './student-session.ts';
import { User } from './user.ts';

const text = z.string();
const textOrNull = z.nullable(z.string());
const count = z.int();
const countOrNull = z.nullable(count);
/** ISO 8601 in UTC. */
const instant = z.iso.datetime();
/** The value of a field of the service, in the type that the field has. */
const anything = z.unknown();

/** Fields of an exam or a session, by their names. */
const Fields = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.unknown()), z.looseObject({})]));
/** `exam`: only where the lines name their exams. */
const Problem = z.looseObject({ line: count, exam: z.optional(z.nullable(Id)), email: textOrNull, state: text, reason: text });

/** How many lines of an import are in each state; the sum is `lines`. */
const lineCounts = Object.fromEntries(lineStateNames.map((name) => [name, count])) as Record<LineStateName, typeof count>;

/** The same of one exam; of an invalid line, no exam is known. */
const { invalid: _, ...examCounts } = lineCounts;

export const shapes = {
  exam: Exam,
  session: StudentSession,
  proctor: ProctorRecord,
  user: User,
  /** An answer of the service that the specification does not describe. */
  answer: z.looseObject({}),

  /** A request that was not sent. */
  request: z.looseObject({
    method: text,
    url: text,
    headers: z.optional(z.record(z.string(), z.string())),
    body: z.optional(z.looseObject({})),
    note: z.optional(text),
  }),
  /** The result for one of several items. */
  /** `now`: of an update, the session as it is then. */
  outcome: z.looseObject({ id: Id, result: text, problem: z.optional(text), now: z.optional(anything) }),
  operation: z.looseObject({
    operation: text,
    method: text,
    path: text,
    does: text,
    repeat: textOrNull,
    supported: z.boolean(),
    note: textOrNull,
  }),

  examReport: ExamReport,
  reportedStudent: ReportedStudent,
  importReport: z.looseObject({
    run: textOrNull,
    /** Only where several shares are reported together (`--shard`). */
    share_runs: z.optional(z.array(text)),
    /** Null where the lines name their exams (`--map exam=HEADER`); then `by_exam` has the counts of each. */
    exam: z.nullable(Id),
    by_exam: z.optional(
      z.array(
        z.looseObject({
          exam: Id,
          name: textOrNull,
          start_time: Timestamp,
          lines: count,
          ...examCounts,
          not_in_file: countOrNull,
          removed: count,
        }),
      ),
    ),
    lines: count,
    ...lineCounts,
    /** Created students whose open_time is not set. */
    open_time_open: count,
    /** Lines with a close time from extra time. */
    extra_time: count,
    not_in_file: countOrNull,
    removed: count,
    verified: z.boolean(),
    /** Why it is not verified. */
    not_verified: textOrNull,
    seconds: z.number(),
    rate: countOrNull,
    not_shown: z.array(text),
    /** Sessions that this run created for students who are in the exam more than once. */
    own_doubles: z.array(text),
    stored_as: z.array(z.looseObject({ line: count, exam: z.optional(Id), email: text, stored: text })),
    problems: z.array(Problem),
  }),
  importStep: z.looseObject({
    /** Null for a student missing from the file. */
    line: countOrNull,
    /** Only where the lines name their exams. */
    exam: z.optional(z.nullable(Id)),
    action: text,
    email: textOrNull,
    name: textOrNull,
    open_time: Timestamp,
    close_time: Timestamp,
    detail: textOrNull,
    /** What a student is created with beside these: skip_requirements, and the fields of --map. */
    fields: z.optional(z.looseObject({})),
    changes: z.optional(z.array(z.looseObject({ field: text, from: anything, to: anything }))),
  }),
  state: z.looseObject({
    place: text,
    standing: z.enum(['none', 'ready', 'moved', 'copying', 'missing', 'restored', 'damaged']),
    /** What is wrong with a damaged one. */
    problem: z.optional(text),
    /** Where the record is now. */
    moved_to: z.optional(text),
    /** Of a team's database: PostgreSQL with its version, and how long a question and its answer take. */
    server: z.optional(text),
    latency_ms: z.optional(z.number()),
    /** Bytes. */
    size: count,
    schema: countOrNull,
    runs: countOrNull,
    /** Those of them that are open. */
    open_runs: z.array(text),
    locks: z.array(
      z.looseObject({
        name: text,
        process: countOrNull,
        machine: textOrNull,
        since: z.nullable(instant),
        command: textOrNull,
        run: textOrNull,
      }),
    ),
  }),
  /** A statement of SQL, with its semicolon. */
  sqlStatement: z.looseObject({ statement: text }),
  stateKey: z.looseObject({ key: text }),
  /** How many rows were compared. */
  stateCopy: z.looseObject({ from: text, to: text, rows: count }),
  /** A session of an accommodated student; or, with `nearest`, a student without one. Times as the service has them. */
  accommodation: z.looseObject({
    exam: z.optional(Id),
    session: z.optional(Id),
    /** Null for a name of an exam that the service does not have. */
    email: textOrNull,
    state: text,
    exam_name: z.optional(text),
    close_time: z.optional(anything),
    target: z.optional(Timestamp),
    reference: z.optional(textOrNull),
    nearest: z.optional(textOrNull),
    /** What an application did with it. */
    result: z.optional(text),
    problem: z.optional(text),
  }),
  /** The plan of a timetable, or what an apply has made of it: the counts of its lines, and a row for each. */
  period: z.looseObject({
    timetable: text,
    lines: count,
    create: count,
    adopt: count,
    update: count,
    unchanged: count,
    conflict: count,
    perhaps_moved: count,
    unclear: count,
    orphans: count,
    digest: text,
    run: z.optional(textOrNull),
    plan: z.array(
      z.looseObject({
        line: count,
        action: text,
        exam: z.nullable(Id),
        /** The key of the line: a value named "key" is masked as a secret. */
        reference: textOrNull,
        name: textOrNull,
        start_time: Timestamp,
        result: z.optional(text),
        detail: textOrNull,
        changes: z.array(z.looseObject({ field: text, from: anything, to: anything })),
        /** How many students of its roster are added, how many that it lacks are deleted, and of the others. */
        roster: z.optional(z.looseObject({ added: count, removed: count, different: count, duplicate: count, missing: count })),
        problem: z.optional(text),
      }),
    ),
    /** Sessions of accommodated students, with --accommodations. */
    accommodations: z.optional(z.array(anything)),
    /** Exams that are no longer in the timetable. */
    orphaned: z.array(z.looseObject({ exam: Id, reference: textOrNull, name: textOrNull, start_time: Timestamp })),
  }),
  /** An exam as a line of a timetable. */
  timetableLine: z.looseObject({
    id: Id,
    name: textOrNull,
    date: textOrNull,
    start: textOrNull,
    end: textOrNull,
    allow_headphones: z.nullable(z.boolean()),
    allow_whiteboard: z.nullable(z.boolean()),
    allow_leave_room: z.nullable(z.boolean()),
    allow_pen_paper: z.nullable(z.boolean()),
    save_recording: z.nullable(z.boolean()),
    proctors: textOrNull,
  }),
  foundSession: z.extend(StudentSession, { exam_name: anything, opens: anything, closes: anything }),
  movedSession: z.looseObject({
    session: Id,
    email: textOrNull,
    from: anything,
    to: anything,
    result: text,
    problem: z.optional(text),
  }),
  /** A time of an exam or a session that a change replaces; without a field where nothing could be changed. */
  movedTime: z.looseObject({
    exam: z.nullable(Id),
    /** Null for a time of the exam itself. */
    session: z.nullable(Id),
    email: textOrNull,
    field: textOrNull,
    from: anything,
    to: anything,
    result: text,
    problem: z.optional(text),
  }),
  /** A student who goes to another exam; `as`: the session there. */
  transferredSession: z.looseObject({
    session: Id,
    email: textOrNull,
    from: z.nullable(Id),
    to: z.nullable(Id),
    as: z.nullable(Id),
    result: text,
    problem: z.optional(text),
  }),
  /** What one command did to the service. */
  run: z.looseObject({
    run: text,
    command: text,
    kind: text,
    state: text,
    exam: z.nullable(Id),
    steps: count,
    done: count,
    open: count,
    failed: count,
    /** How many steps are in each state. */
    counts: z.record(text, count),
    started: instant,
    last: instant,
    who: text,
    profile: text,
    origin: text,
    /** Why it was made during an exam. */
    reason: z.optional(text),
    /** The run that this one takes back. */
    undoes: textOrNull,
    next: textOrNull,
  }),
  /** A step of a run, as it is recorded. */
  runStep: z.looseObject({
    n: count,
    line: countOrNull,
    does: text,
    exam: z.nullable(Id),
    session: z.nullable(Id),
    email: textOrNull,
    result: text,
    ours: z.boolean(),
    code: textOrNull,
    sets: z.optional(Fields),
    replaces: z.optional(Fields),
  }),
  /** An entry of the record: a run, a step of it, or that another process took it over. */
  evidence: z.looseObject({
    at: instant,
    entry: z.enum(['run', 'step', 'taken']),
    run: text,
    who: text,
    does: text,
    /** Of a run. */
    profile: z.optional(text),
    origin: z.optional(text),
    reason: z.optional(text),
    undoes: z.optional(textOrNull),
    state: z.optional(text),
    steps: z.optional(count),
    last: z.optional(instant),
    /** Of a step. */
    n: z.optional(count),
    line: z.optional(countOrNull),
    operation: z.optional(text),
    exam: z.optional(z.nullable(Id)),
    session: z.optional(z.nullable(Id)),
    email: z.optional(textOrNull),
    student: z.optional(textOrNull),
    result: z.optional(text),
    ours: z.optional(z.boolean()),
    code: z.optional(textOrNull),
    sent: z.optional(z.nullable(instant)),
    sets: z.optional(Fields),
    replaces: z.optional(Fields),
  }),
  /** What became of a step of a run that was resumed or undone. */
  stepOutcome: z.looseObject({
    line: countOrNull,
    does: text,
    exam: z.nullable(Id),
    session: z.nullable(Id),
    email: textOrNull,
    result: text,
    problem: z.optional(text),
  }),
  /** A step whose outcome is open, and the sessions that it may have created. */
  openStep: z.looseObject({
    line: count,
    exam: z.nullable(Id),
    email: textOrNull,
    state: z.enum(['absent', 'unknown']),
    candidates: z.array(z.looseObject({ session: Id, email: textOrNull })),
  }),
  erased: z.looseObject({ runs: count, steps: count }),
  pruned: z.looseObject({ runs: count, claims: count }),

  login: z.looseObject({
    profile: text,
    current: z.boolean(),
    base_url: textOrNull,
    token: textOrNull,
    token_source: textOrNull,
    problem: textOrNull,
    remedy: textOrNull,
  }),
  token: z.looseObject({ token: text }),
  completion: z.looseObject({ shell: text, script: text }),
  profile: z.looseObject({
    profile: text,
    current: z.boolean(),
    base_url: textOrNull,
    institute: textOrNull,
    timezone: textOrNull,
    built_in: z.boolean(),
  }),
  layout: z.looseObject({
    layout: text,
    format: textOrNull,
    email: text,
    decides: text,
    encoding: textOrNull,
    sheet: textOrNull,
    hidden_rows: textOrNull,
    dates: textOrNull,
    map: z.array(text),
    only: z.array(text),
    except: z.array(text),
    ignored: z.array(text),
  }),
  setting: z.looseObject({ setting: text, value: textOrNull, source: text, meaning: text }),
  file: z.looseObject({ path: text }),
  check: z.looseObject({ check: text, state: text, detail: textOrNull, remedy: textOrNull }),

  /** What a check of `preflight` finds about an exam. */
  /** `exam`: null for an entry of the list of accommodations. */
  examCheck: z.looseObject({ exam: z.nullable(Id), check: text, state: text, detail: text, remedy: textOrNull }),

  /** How an exam stands: how many students have each status, and its problems. */
  examStanding: z.looseObject({
    exam: Id,
    name: textOrNull,
    start_time: Timestamp,
    end_time: Timestamp,
    at: instant,
    clock_ahead: z.number(),
    students: count,
    statuses: z.array(z.looseObject({ status: textOrNull, count, share: z.nullable(z.number()) })),
    problems: z.array(
      z.looseObject({
        session: z.nullable(Id),
        email: textOrNull,
        name: textOrNull,
        status: textOrNull,
        problem: text,
        since: z.nullable(instant),
      }),
    ),
  }),
  /** Something that is different about a student. */
  sessionChange: z.looseObject({
    at: instant,
    /** Where several exams are watched. */
    exam: z.optional(Id),
    session: z.nullable(Id),
    field: text,
    from: anything,
    to: anything,
    email: textOrNull,
    name: textOrNull,
  }),

  service: z.looseObject({ base_url: text, token: text, institute: text }),
  seed: z.looseObject({ users: count, exams: count, sessions: count }),
  mail: z.looseObject({
    id: Id,
    call: count,
    exam_id: Id,
    student_session_id: Id,
    email: text,
    name: textOrNull,
    subject: text,
    sent_at: instant,
  }),

  jsonSchema: z.looseObject({ $schema: text, $id: text }),
  schemaName: z.looseObject({ name: text, describes: text }),
  column: z.looseObject({ name: text, default: z.boolean() }),
  /** The line on stderr with which a command fails. */
  error: z.looseObject({
    error: z.looseObject({
      code: text,
      message: text,
      hint: text,
      /** Null where no answer came. */
      status: countOrNull,
      exit: count,
      items: z.optional(z.array(z.looseObject({ id: Id, code: text, message: text }))),
    }),
  }),
} as const satisfies Record<string, z.ZodMiniType>;

export type Shape = keyof typeof shapes;
/** A shape, or a list of it. */
export type Shown = Shape | `${Shape}[]`;
