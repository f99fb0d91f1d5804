/** `preflight`: reads the selected exams once, has each check judge each of them, and changes nothing. */
import { operations } from '../../api/operations.ts';
import { planned } from '../../api/planned.ts';
import type { Context, Result } from '../../command.ts';
import { profileOption } from '../../config/named-profiles.ts';
import { idAs } from '../../model/id.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { type ExamSelection, type SelectedExam, selectExams, selectionSteps } from '../exam-selection.ts';
import { checks, findingOf } from './check-table.ts';
import { type ExamFindings, resultOf, standingOf } from './preflight-result.ts';
import { ExamLists, type ExamRecords, neighboursOf, readExams, readOrWhy } from './read-exams.ts';
import { overlapsByExam, proctorOverlaps, studentSittings } from './sittings.ts';
import { type MinProctors, momentOf, type Subject } from './subject.ts';

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
  const lists = new ExamLists(await context.client());
  const { client } = lists;
  const selected = await selectExams({ ...context, client: async () => client }, request.selection, { reads: true });
  if (selected.length === 0) return [];
  const all = await readOrWhy('the list of exams', lists.all());
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
