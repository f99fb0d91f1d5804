/** `preflight`: reads the selected exams once, has each check judge each of them, and changes nothing. */
import { operations } from '../../api/operations.ts';
import { planned } from '../../api/request.ts';
import type { Context, Result } from '../../command.ts';
import { profileOption } from '../../config/named-profiles.ts';
import { count, students as studentsInWords } from '../../model/count.ts';
import { idAs } from '../../model/id.ts';
import { type Overlap, overlapsIn, type Sitting, studentWindow } from '../../model/overlaps.ts';
import { typedCommand, typedOption } from '../../model/shell-quote.ts';
import { type ExamSelection, listedExams, type SelectedExam, selectExams, selectionSteps } from '../exam-selection.ts';
import { needs } from './needs.ts';
import { type Check, type Finding, failed, ok, skipped, warning } from './preflight-check.ts';
import { type ExamFindings, resultOf, standingOf } from './preflight-result.ts';
import { type ExamRecords, neighboursOf, readExams, readOrWhy } from './read-exams.ts';
import { mails, studentsAddresses, studentsCount, studentsDuplicates } from './student-checks.ts';
import { type MinProctors, momentOf, type Subject } from './subject.ts';
import { timesClockChange, timesLength, timesMidnight, timesOrder, timesPast } from './time-checks.ts';
import { windowsExam, windowsOrder } from './window-checks.ts';

export type PreflightRequest = {
  selection: ExamSelection;
  minProctors: MinProctors;
  /** Whether warnings count as failures. */
  strict: boolean;
};

export async function preflight(context: Context, request: PreflightRequest): Promise<Result> {
  const client = await context.client();
  return context.act({
    steps: readingSteps(request),
    show: (steps) => planned(client, steps),
    async perform() {
      const exams = await examined(context, request);
      context.say(standingOf(exams));
      return resultOf(exams, request);
    },
  });
}

/** The requests that are known before the first answer. */
function readingSteps({ selection }: PreflightRequest) {
  const steps = selectionSteps(selection);
  const ids = steps.flatMap(({ params }) => params?.id ?? []);
  return [
    ...steps,
    ...(ids.length > 0 ? [{ operation: operations.listExams }] : []),
    ...ids.flatMap((id) => [
      { operation: operations.listExamSessions, params: { exam_id: id } },
      { operation: operations.listProctors, params: { id } },
    ]),
  ];
}

async function examined(context: Context, request: PreflightRequest): Promise<ExamFindings[]> {
  const client = await context.client();
  let listed: Promise<readonly SelectedExam[]> | undefined;
  const exams = () => {
    listed ??= listedExams(client, {});
    return listed;
  };
  const selected = await selectExams(context, request.selection, { reads: true, exams });
  if (selected.length === 0) return [];
  const all = await readOrWhy('the list of exams', exams());
  const neighbours = typeof all === 'string' ? [] : neighboursOf(selected, all);
  const records = await readExams(client, [...selected, ...neighbours]);
  const { profile, timeZone } = context.settings();
  const byId = new Map([...selected, ...neighbours].map((exam) => [exam.id, exam]));
  const common: Pick<Subject, 'minProctors' | 'now' | 'zone' | 'shownZone' | 'command' | 'named'> = {
    minProctors: request.minProctors,
    now: context.host.now(),
    zone: timeZone,
    shownZone: context.zone(),
    command: (line, operands = [], ...options) => `proctor-cli ${typedCommand(line, operands, ...options, profileOption(profile))}`,
    named: (id: string) => nameOf(byId.get(id), id),
  };
  const sittings = studentSittings(records);
  const overlaps = {
    students: overlapsByExam(sittings),
    proctors: proctorOverlaps(records, sittings),
  };
  const idType = client.idType('exam');
  return selected.map((exam, at): ExamFindings => {
    const own = records[at] as ExamRecords;
    const others = othersUnread(own, records, all);
    const subject: Subject = {
      ...common,
      exam,
      starts: momentOf(exam.shown, 'start_time'),
      ends: momentOf(exam.shown, 'end_time'),
      students: typeof own.students === 'string' ? [] : own.students,
      proctors: typeof own.proctors === 'string' ? [] : own.proctors,
      unread: {
        ...(typeof own.students === 'string' ? { students: own.students } : {}),
        ...(typeof own.proctors === 'string' ? { proctors: own.proctors } : {}),
        ...(others === undefined ? {} : { others }),
      },
      studentOverlaps: overlaps.students.get(exam.id) ?? [],
      proctorOverlaps: overlaps.proctors.get(exam.id) ?? [],
      compared: neighboursOf(
        [exam],
        records.map((each) => each.exam),
      ).length,
    };
    const findings = checks.map((check) => ({ check: check.name, finding: findingOf(check, subject) }));
    return { id: idAs(exam.id, idType), findings };
  });
}

function nameOf(exam: SelectedExam | undefined, id: string): string {
  return exam?.name === undefined ? id : `${id}, ${exam.name}`;
}

/** Why an exam could not be compared with all others at its time; undefined where it could. */
function othersUnread({ exam }: ExamRecords, records: readonly ExamRecords[], all: readonly SelectedExam[] | string): string | undefined {
  if (typeof all === 'string') return all;
  const near = new Set(
    neighboursOf(
      [exam],
      records.map((each) => each.exam),
    ).map(({ id }) => id),
  );
  const unread = records.find(
    (other) => near.has(other.exam.id) && (typeof other.students === 'string' || typeof other.proctors === 'string'),
  );
  if (!unread) return undefined;
  return `exam ${unread.exam.id}: ${[unread.students, unread.proctors].find((part) => typeof part === 'string')}`;
}

const add = ({ exam, command }: Subject) => command('proctors add', [], typedOption('--exam', exam.id));

const proctorPool: Check = {
  name: 'proctors: pool',
  needs: ['proctors'],
  judge(subject) {
    const { proctors } = subject;
    return proctors.length === 0 ? failed('the exam has no proctors', add(subject)) : ok(count(proctors.length, 'proctor'));
  },
};

const proctorNumber: Check = {
  name: 'proctors: number',
  needs: ['proctors', 'students'],
  judge(subject) {
    const { proctors, students, minProctors } = subject;
    if (proctors.length === 0) return { ...skipped('the exam has no proctors'), quiet: true };
    const needed = proctorsFor(students.length, minProctors);
    const detail = `${count(proctors.length, 'proctor')} for ${studentsInWords(students.length)}, ${needed} needed (${minProctors.proctors} for ${minProctors.students})`;
    if (proctors.length >= needed) return ok(detail);
    return minProctors.given ? failed(detail, add(subject)) : warning(detail, add(subject));
  },
};

/** Every so many students, begun or full, need so many proctors. */
function proctorsFor(students: number, { proctors, students: each }: MinProctors): number {
  return Math.ceil((students * proctors) / each);
}

const studentClashes: Check = {
  name: 'students: clashes',
  needs: ['students', 'addresses', 'times'],
  judge(subject) {
    const { studentOverlaps: overlaps, students, command } = subject;
    if (overlaps.length === 0) return none(subject, studentsInWords(students.filter(({ key }) => key !== undefined).length));
    const addresses = new Map(students.map(({ key, email }) => [key, email]));
    const detail = inWords(overlaps, subject, studentsInWords, (person) => addresses.get(person) ?? person);
    return failed(detail, command('exams shift', [laterOf(overlaps)?.exam ?? ''], '--by DURATION'));
  },
};

const proctorClashes: Check = {
  name: 'proctors: clashes',
  needs: ['proctors', 'proctorIds', 'times'],
  judge(subject) {
    const { proctorOverlaps: overlaps, proctors } = subject;
    const many = (number: number) => count(number, 'proctor');
    if (overlaps.length === 0) return none(subject, many(proctors.length));
    const names = new Map(proctors.map(({ id, name }) => [id, name]));
    const detail = inWords(overlaps, subject, many, (id) => (names.get(id) === undefined ? id : `${names.get(id)} (${id})`));
    return failed(detail, removal(overlaps, subject));
  },
};

export const checks: readonly Check[] = [
  timesOrder,
  timesPast,
  timesMidnight,
  timesClockChange,
  timesLength,
  studentsCount,
  studentsDuplicates,
  studentsAddresses,
  studentClashes,
  windowsOrder,
  windowsExam,
  proctorPool,
  proctorNumber,
  proctorClashes,
  mails,
];

/** The finding of a check, which is skipped where something that it needs is not known. */
export function findingOf(check: Check, subject: Subject): Finding {
  for (const name of check.needs) {
    const why = needs[name](subject);
    if (why !== undefined) return skipped(why);
  }
  return check.judge(subject);
}

type OverlapsByExam = ReadonlyMap<string, readonly Overlap[]>;

/** A window of their own counts. */
function studentSittings(records: readonly ExamRecords[]): Sitting[] {
  const sittings: Sitting[] = [];
  for (const { exam, students } of records) {
    if (typeof students === 'string') continue;
    for (const { session, key, opens, closes } of students) {
      const window = key === undefined ? undefined : studentWindow(exam, { opens: opens.at, closes: closes.at });
      if (key !== undefined && window) sittings.push({ exam: exam.id, person: key, id: session, ...window });
    }
  }
  return sittings;
}

/** A proctor stays until the last student of the exam has to finish. */
function proctorOverlaps(records: readonly ExamRecords[], students: readonly Sitting[]): OverlapsByExam {
  const lastOf = new Map<string, number>();
  for (const { exam, to } of students) lastOf.set(exam, Math.max(to, lastOf.get(exam) ?? to));
  return overlapsByExam(
    records.flatMap(({ exam: { id: exam, start, end }, proctors }): Sitting[] => {
      if (start === undefined || end === undefined || typeof proctors === 'string') return [];
      const to = lastOf.get(exam) ?? end;
      return proctors.flatMap(({ id }) => (id === undefined ? [] : [{ exam, person: id, id, from: start, to }]));
    }),
  );
}

/** Each overlap twice: as it is seen from either exam. */
function overlapsByExam(sittings: Iterable<Sitting>): OverlapsByExam {
  const both = overlapsIn(sittings).flatMap(({ own, other }) => [
    { own, other },
    { own: other, other: own },
  ]);
  return Map.groupBy(both, ({ own }) => own.exam);
}

/** "2 students also in exam 9, Statistics: a, b", for each of the other exams. All are named: no other command names them. */
function inWords(
  overlaps: readonly Overlap[],
  { named }: Subject,
  many: (number: number) => string,
  name: (person: string) => string,
): string {
  const byExam = new Map<string, Set<string>>();
  for (const { own, other } of overlaps) byExam.set(other.exam, (byExam.get(other.exam) ?? new Set()).add(own.person));
  const parts = [...byExam].map(
    ([exam, people]) => `${many(people.size)} also in exam ${named(exam)}: ${[...people].map(name).join(', ')}`,
  );
  return parts.join('; ');
}

/** No overlap, as far as the exams could be compared. */
function none({ unread, compared }: Subject, people: string): Finding {
  if (unread.others !== undefined) return skipped(`the other exams cannot be compared: ${unread.others}`);
  return ok(compared === 0 ? 'no other exam at that time' : `${people} compared with ${count(compared, 'exam')} at that time`);
}

/** Takes the proctor out of the later exam. */
function removal(overlaps: readonly Overlap[], { command }: Subject): string {
  const later = laterOf(overlaps);
  return command('proctors remove', [later?.id ?? ''], typedOption('--exam', later?.exam ?? ''));
}

/** Of the first overlap the later exam: both exams name the same command, so that one of them stays as it is. */
function laterOf([first]: readonly Overlap[]): Sitting | undefined {
  if (!first) return undefined;
  const { own, other } = first;
  return own.from > other.from || (own.from === other.from && own.exam > other.exam) ? own : other;
}
