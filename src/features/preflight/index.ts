/** `preflight`: reads the selected exams once, has each check judge each of them, and changes nothing. */
import { operations } from '../../api/operations.ts';
import { planned } from '../../api/planned.ts';
import type { Context, Result } from '../../command.ts';
import { profileOption } from '../../config/named-profiles.ts';
import { CliError } from '../../errors.ts';
import { clockDifference } from '../../model/exam-clock.ts';
import { idAs } from '../../model/id.ts';
import type { JsonObject } from '../../model/json.ts';
import { typedCommand, typedOption } from '../../model/shell-quote.ts';
import type { TableReading } from '../../roster/map/declaration.ts';
import { checkOutputFiles, type OutputFile, writeOutputFile } from '../../state/output-file.ts';
import { sentence } from '../../text/sentence.ts';
import {
  type AccommodationList,
  type Combination,
  type ListRequest,
  listFor,
  lostEntries,
  unknownExams,
  unmatchedIn,
} from '../accommodations/index.ts';
import { examNow } from '../exam-now.ts';
import { type ExamSelection, examInWords, type SelectedExam, selectExams, selectionSteps } from '../exam-selection.ts';
import { checks, findingOf } from './check-table.ts';
import { extraTimeOf } from './granted-windows.ts';
import { type ExamFindings, resultOf, standingOf } from './preflight-result.ts';
import { ExamLists, type ExamRecords, neighboursOf, readExams, readOrWhy } from './read-exams.ts';
import { readRoster } from './roster-check.ts';
import { overlapsByExam, proctorOverlaps, studentSittings } from './sittings.ts';
import { type MinProctors, momentOf, type Roster, type Subject } from './subject.ts';

export type PreflightRequest = {
  selection: ExamSelection;
  /** Paths of the files to compare with. */
  roster: { file: string; reading: TableReading } | undefined;
  accommodations: Pick<ListRequest, 'file' | 'reading'> | undefined;
  /** How equally specific rows of the accommodations are combined, where the file does not say it. */
  combine: Combination | undefined;
  minProctors: MinProctors;
  /** The exam whose restrictions the others have to have. */
  like: string | undefined;
  /** Whether warnings count as failures. */
  strict: boolean;
  /** Where to write the findings as JUnit XML. */
  junit: string | undefined;
  /** Whether it may replace a file. */
  force: boolean;
};

export async function preflight(context: Context, request: PreflightRequest): Promise<Result> {
  const junit: OutputFile | undefined =
    request.junit === undefined ? undefined : { path: request.junit, option: '--junit', holds: 'The JUnit file' };
  const reads = [request.roster?.file, request.accommodations?.file].filter((path) => path !== undefined);
  const rule = context.outputRule({ force: request.force, reads });
  if (junit) await checkOutputFiles([junit], rule);
  const roster =
    request.roster === undefined ? undefined : await readRoster(context, fileOf('--roster', request.roster.file), request.roster.reading);
  const list =
    request.accommodations === undefined
      ? undefined
      : await listFor(context, {
          ...request.accommodations,
          file: fileOf('--accommodations', request.accommodations.file),
          combine: request.combine,
        });
  const client = await context.client();
  return context.act({
    steps: readingSteps(request),
    show: (steps) => planned(client, steps),
    async perform() {
      const exams = await examined(context, request, { roster, list });
      if (junit) {
        const { junitOf } = await import('./preflight-junit.ts');
        await writeOutputFile(junit, rule, (to) => to(junitOf(exams, request)));
        context.say(sentence`JUnit file written to ${junit.path}.`);
      }
      context.say(standingOf(exams));
      return resultOf(exams, request);
    },
  });
}

/** The remedies name the file, and stdin cannot be named. Throws `usage`. */
function fileOf(option: string, path: string): string {
  if (path !== '-') return path;
  throw new CliError('usage', sentence`${option} takes a file, not stdin.`, { hint: sentence`Write it to a file: ${option} FILE` });
}

/** The requests that are known before the first answer. */
function readingSteps({ selection, like }: PreflightRequest) {
  const steps = selectionSteps(selection);
  const ids = steps.flatMap(({ params }) => params?.id ?? []);
  return [
    ...steps,
    ...(ids.length > 0 ? [{ operation: operations.listExams }] : []),
    ...(like === undefined ? [] : [{ operation: operations.getExam, params: { id: like } }]),
    ...ids.flatMap((id) => [
      { operation: operations.listExamSessions, params: { exam_id: id } },
      { operation: operations.listProctors, params: { id } },
    ]),
  ];
}

/** What the exams are compared with. */
type Given = { roster: Roster | undefined; list: AccommodationList | undefined };

async function examined(context: Context, request: PreflightRequest, { roster, list }: Given): Promise<ExamFindings[]> {
  const lists = new ExamLists(await context.client());
  const { client } = lists;
  const selected = await selectExams({ ...context, client: async () => client }, request.selection, { reads: true });
  if (selected.length === 0) return [];
  const all = await readOrWhy('the list of exams', lists.all());
  const neighbours = typeof all === 'string' ? [] : neighboursOf(selected, all);
  // The exam whose clock is asked for is the one to compare with, where there is one.
  const clockOf = request.like ?? selected[0]?.id ?? '';
  const [records, { shown, clockOffset }] = await Promise.all([readExams(client, [...selected, ...neighbours]), examNow(client, clockOf)]);
  if (clockOffset !== 0) context.say(clockDifference(clockOffset));
  const extraTime = list && extraTimeOf(list, records, context.zone());
  const lost: ReturnType<typeof lostEntries> = [];
  if (list) {
    const addresses = records.slice(0, selected.length).flatMap(({ exam, students }) => {
      return typeof students === 'string' ? [] : [{ exam, addresses: students.flatMap(({ email }) => email ?? []) }];
    });
    const { unmatched } = unmatchedIn(list, addresses, context.zone());
    const unknown = await unknownExams(client, list, selected, context.zone());
    lost.push(...lostEntries({ unmatched, unknown }));
  }
  const { profile, timeZone, dialect } = context.settings();
  const byId = new Map([...selected, ...neighbours].map((exam) => [exam.id, exam]));
  const common: Pick<Subject, 'roster' | 'like' | 'minProctors' | 'closeTimeMeans' | 'now' | 'zone' | 'shownZone' | 'command' | 'named'> = {
    roster,
    like: request.like === undefined ? undefined : { id: request.like, shown: shown as JsonObject },
    minProctors: request.minProctors,
    closeTimeMeans: dialect.closeTimeMeans,
    now: context.host.now() + clockOffset,
    zone: timeZone,
    shownZone: context.zone(),
    command: (line, operands = [], ...options) => `proctor-cli ${typedCommand(line, operands, ...options, profileOption(profile))}`,
    named: (id: string) => nameOf(byId.get(id), id),
  };
  const sittings = studentSittings(records, (exam, session) => extraTime?.get(exam)?.targets.get(session ?? ''));
  const overlaps = {
    students: overlapsByExam(sittings),
    proctors: proctorOverlaps(records, sittings),
  };
  const idType = client.idType('exam');
  const examFindings = selected.map((exam, at): ExamFindings => {
    const own = records[at] as ExamRecords;
    const others = othersUnread(own, records, all);
    const subject: Subject = {
      ...common,
      exam,
      accommodations:
        request.accommodations === undefined
          ? undefined
          : {
              file: request.accommodations.file,
              options: [...listOptions(context, request.combine), ...(request.accommodations.reading?.options ?? [])],
              ...(extraTime?.get(exam.id) ?? { judged: [], targets: new Map() }),
            },
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
    return { id: idAs(exam.id, idType), name: `exam ${examInWords(exam, { dialect, zone: context.zone() })}`, findings };
  });
  return [...examFindings, ...(list && lost.length > 0 ? [findingsOf(list, lost)] : [])];
}

/** A warning for each entry that grants nothing to anybody. */
function findingsOf({ name }: AccommodationList, lost: ReturnType<typeof lostEntries>): ExamFindings {
  const findings = lost.map(({ place, detail }) => ({ check: `${name}, ${place}`, finding: { state: 'warning' as const, detail } }));
  return { id: null, name: `list of accommodations ${name}`, findings };
}

/** What decides how a list of accommodations is read, besides its file and the settings. */
function listOptions({ globals: { timezone } }: Context, combine: Combination | undefined): string[] {
  return [
    ...(combine === undefined ? [] : [`--combine ${combine}`]),
    ...(timezone === undefined ? [] : [typedOption('--timezone', timezone)]),
  ];
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
