/**
 * Which line is which exam: by its ID in the timetable; by the file beside it, or the record of earlier runs from here; else it is new.
 * An exam of the same name and start is not taken for it without a word, and neither is one that may have been moved.
 */
import { typedOption } from '../../model/shell-quote.ts';
import type { CreatedExam } from '../../runs-before/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import type { SelectedExam } from '../exam-selection.ts';
import type { Digests, ReadLine } from '../ids-file.ts';
import type { FileProblems } from '../rosters/file-problems.ts';
import { type ExamEntry, entryInWords, knownBy, nameAndStart } from './exam-entry.ts';

/** `last`: digests of the values that were applied last, as far as they are known. */
export type Match = { entry: ExamEntry; last: Digests } & (
  | { is: 'known' | 'adopt'; exam: SelectedExam }
  | { is: 'new' }
  /** `hint`: what decides it. */
  | { is: 'perhaps_moved' | 'unclear'; why: Sentence; hint: Sentence }
);

export type Known = {
  exams: ReadonlyMap<string, SelectedExam>;
  ids: readonly ReadLine[];
  /** The name of the file of `ids`. */
  idsName: string;
  /** The service. */
  origin: string;
  /** The exam that a run of the same command has created for a line, by what it is known by. */
  createdFor(known: string): CreatedExam | undefined;
  /** Milliseconds since 1970: what has begun is not taken for an exam that was moved. */
  now: number;
};

/** `isNew`: whether a line is said to be a new exam, although one of its name, or also its start, is there. */
export type Consents = { adopt: boolean; isNew(entry: ExamEntry): boolean };

/** Problems (an exam that is gone, or is that of two lines) are added to `problems`. */
export function identify(entries: readonly ExamEntry[], known: Known, consents: Consents, problems: FileProblems): Match[] {
  const rows = rowsOf(known.ids);
  const firsts = entries.map((entry) => ({ entry, ...firstOf(entry, rows, known, problems) }));
  const taken = new Map<string, ExamEntry>();
  for (const { entry, exam } of firsts) {
    if (!exam) continue;
    const other = taken.get(exam.id);
    if (other) problems.add(entry.at, sentence`exam ${exam.id} belongs to ${other.at} already.`);
    else taken.set(exam.id, entry);
  }
  const free = [...known.exams.values()].filter(({ id }) => !taken.has(id));
  const open = firsts.filter(({ exam }) => !exam).map(({ entry }) => entry);
  const gone = goneFrom(known, entries, new Set(taken.keys()));
  const { alike, named } = byNames(free, open);
  return firsts.map(({ entry, exam, last }): Match => {
    if (exam) return { entry, last, is: 'known', exam };
    return { entry, last, ...unknown(entry, { alike, named, gone, now: known.now, consents }) };
  });
}

type Rows = ReadonlyMap<string, ReadLine>;

function rowsOf(ids: readonly ReadLine[]): Rows {
  const rows = new Map<string, ReadLine>();
  for (const row of ids) {
    const { key, name, start, exam } = row;
    rows.set(`exam ${exam}`, row);
    if (key !== undefined) rows.set(JSON.stringify([key]), row);
    else if (name !== undefined && start !== undefined) rows.set(nameAndStart({ name, start }), row);
  }
  return rows;
}

/** The lines of the file beside the timetable that its lines have. */
export function rowsOfEntries(entries: readonly ExamEntry[], ids: readonly ReadLine[]): ReadLine[] {
  const rows = rowsOf(ids);
  return entries.flatMap((entry) => rowOf(entry, rows) ?? []);
}

/** The line of the file beside the timetable. */
function rowOf(entry: ExamEntry, rows: Rows): ReadLine | undefined {
  const { id, name, start } = entry;
  if (id !== undefined) return rows.get(`exam ${id}`);
  const row = rows.get(knownBy(entry) ?? '');
  return row ?? (name === undefined || start === undefined ? undefined : rows.get(nameAndStart({ name, start })));
}

function firstOf(
  entry: ExamEntry,
  rows: Rows,
  { exams, idsName, origin, createdFor }: Known,
  problems: FileProblems,
): { exam?: SelectedExam; last: Digests } {
  const row = rowOf(entry, rows);
  const isElsewhere = row !== undefined && row.origin !== origin;
  if (isElsewhere && entry.id === undefined) {
    problems.add(
      entry.at,
      sentence`in ${idsName} (${row.at}), ${entryInWords(entry)} is exam ${row.exam} of ${row.origin}, not of ${origin}.`,
      sentence`Keep a separate timetable for each service.`,
    );
    return { last: {} };
  }
  const id = entry.id ?? row?.exam ?? createdFor(knownBy(entry) ?? '')?.id;
  if (id === undefined) return { last: {} };
  const exam = exams.get(id);
  if (exam) return { exam, last: isElsewhere ? {} : (row?.applied ?? {}) };
  if (entry.id === undefined && row === undefined) return { last: {} };
  problems.add(
    entry.at,
    sentence`exam ${id} of ${entry.id === undefined ? `${idsName} (${row?.at ?? ''})` : 'the column id'} does not exist.`,
    entry.id === undefined
      ? sentence`If it was deleted and is to be created again, remove its line from ${idsName}.`
      : sentence`If it was deleted and is to be created again, clear the cell${row ? sentence`, and remove its line from ${idsName}` : ''}.`,
  );
  return { last: {} };
}

/** The exams of lines without a key that are no longer in the timetable: one of them may have been given another name. */
function goneFrom({ ids, exams, origin }: Known, entries: readonly ExamEntry[], taken: ReadonlySet<string>): SelectedExam[] {
  const used = new Set(rowsOfEntries(entries, ids));
  const rows = ids.filter((row) => row.key === undefined && row.origin === origin && !used.has(row) && !taken.has(row.exam));
  return rows.flatMap(({ exam }) => exams.get(exam) ?? []);
}

type ByNames = { alike: ReadonlyMap<string, Alike>; named: ReadonlyMap<string, SelectedExam[]> };
type Alike = { exams: SelectedExam[]; entries: ExamEntry[] };

/** Exams that no line has, and lines that have none: by name and start, and by name. */
function byNames(free: readonly SelectedExam[], open: readonly ExamEntry[]): ByNames {
  const alike = new Map<string, Alike>();
  const named = new Map<string, SelectedExam[]>();
  const at = (key: string) => {
    const found = alike.get(key) ?? { exams: [], entries: [] };
    alike.set(key, found);
    return found;
  };
  for (const exam of free) {
    const { name, start } = exam;
    if (name === undefined) continue;
    if (start !== undefined) at(nameAndStart({ name: name.trim(), start })).exams.push(exam);
    named.set(name.trim(), [...(named.get(name.trim()) ?? []), exam]);
  }
  for (const entry of open) {
    const { name, start } = entry;
    if (name !== undefined && start !== undefined) at(nameAndStart({ name, start })).entries.push(entry);
  }
  return { alike, named };
}

type Unknown = ByNames & { gone: readonly SelectedExam[]; now: number; consents: Consents };

function unknown(entry: ExamEntry, { alike, named, gone, now, consents }: Unknown): UnknownMatch {
  const { name, start } = entry;
  if (name === undefined || start === undefined || consents.isNew(entry)) return { is: 'new' };
  const same = alike.get(nameAndStart({ name, start }));
  const [exam, ...others] = same?.exams ?? [];
  if (exam) {
    const lines = same?.entries.length ?? 1;
    if (others.length === 0 && lines === 1) return { is: 'adopt', exam };
    const ids = [exam, ...others].map(({ id }) => id).join(', ');
    return {
      is: 'unclear',
      why: sentence`${lines === 1 ? 'the line has' : `${lines} lines have`} the name and the start of exam ${ids}`,
      hint: sentence`Give the ID of each in a column id.`,
    };
  }
  const moved = (named.get(name) ?? []).filter(({ start: at }) => at !== undefined && at > now);
  const renamed = entry.key === undefined ? gone.filter((each) => each.start === start && !moved.includes(each)) : [];
  const [candidate, ...more] = [...moved, ...renamed];
  if (!candidate) return { is: 'new' };
  if (consents.adopt && more.length === 0) return { is: 'adopt', exam: candidate };
  const reasons = [
    ...moved.map(({ id }) => `exam ${id} has this name and another start, and may have been moved`),
    ...renamed.map(
      ({ id, name: old }) =>
        `exam ${id} (${old ?? 'without a name'}), no longer in the timetable, has this start, and may have been renamed`,
    ),
  ];
  return {
    is: 'perhaps_moved',
    why: sentence`${reasons.join('; ')}`,
    hint: sentence`Give the ID of the exam in a column id${more.length === 0 ? sentence`, or add --adopt` : ''}; if it is another exam: ${typedOption('--new', name)}`,
  };
}

type UnknownMatch =
  | { is: 'adopt'; exam: SelectedExam }
  | { is: 'new' }
  | { is: 'perhaps_moved' | 'unclear'; why: Sentence; hint: Sentence };

/** The lines of the file beside the timetable that stand for an exam of this service and are no longer in the timetable. */
export function orphansOf(ids: readonly ReadLine[], matches: readonly Match[], origin: string): ReadLine[] {
  const taken = new Set(matches.flatMap((match) => ('exam' in match ? match.exam.id : [])));
  const entries = matches.map(({ entry }) => entry);
  const used = new Set(rowsOfEntries(entries, ids));
  return ids.filter((row) => row.origin === origin && !taken.has(row.exam) && !used.has(row));
}
