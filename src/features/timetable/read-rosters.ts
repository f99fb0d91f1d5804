/** The rosters of a timetable: opened before the first question, and read by options and answers that hold for all its files. */
import { resolve } from 'node:path';
import type { Context } from '../../command.ts';
import { CliError, expected, orElse } from '../../errors.ts';
import { type Declared, declaredIn, isChosen, noLayout } from '../../roster/columns.ts';
import { rosterFields } from '../../roster/roster-fields.ts';
import type { Table } from '../../roster/table.ts';
import { firstLines, inLines, sentence } from '../../text/sentence.ts';
import type { StudentLine } from '../students/plan-students.ts';
import { studentLines } from '../students/student-lines.ts';
import { type Among, type Line, openFile, optionsFor, problemsOf, readOpened, type TableReading } from '../table-input/read-table.ts';

/** The files of rosters, by the cell that names them. An error is a problem of each line that names the file. */
export type RosterFiles = ReadonlyMap<string, Table | CliError>;

const fieldsOf = (context: Context) => {
  const { sessionNameKey: nameKey, sessionNumberKey: numberKey } = context.settings().dialect;
  return rosterFields({ nameKey, numberKey, namesExams: false });
};

export async function openRosters(context: Context, names: Iterable<string>, folder: string, encoding?: string): Promise<RosterFiles> {
  const files = new Map<string, Table | CliError>();
  for (const name of new Set(names)) {
    const opened = openFile(context, resolve(folder, name), { ...noLayout, encoding }, fieldsOf(context), { isBeside: true });
    files.set(name, await orElse(opened, ofRoster, 'invalid_input'));
  }
  return files;
}

function ofRoster({ code, message, hint, items }: CliError): CliError {
  const ownOptions = sentence`Correct the roster: --map, --sheet and --rows are about the timetable. Or leave its cell empty, and import it with sessions import.`;
  return new CliError(code, message, { hint: /--(map|sheet|rows)\b/.test(hint) ? ownOptions : hint, items });
}

type RosterLine = Pick<Line<'roster'>, 'problem'> & { roster: string | undefined };

export type Roster = {
  students: readonly StudentLine[];
  /** The options by which a command reads it alone. */
  options: readonly string[];
};

type Rosters = {
  /** By the cell that names the file. */
  rosters: ReadonlyMap<string, Roster>;
  answers: readonly Declared[];
  /** The errors of rosters with columns that nobody has declared. */
  undeclared: readonly CliError[];
  keepAnswers(): Promise<void>;
};

/**
 * Each file is read once; its problems are those of the first line that names it. `before`: answers about the timetable.
 * `beforeQuestion` throws where a file that is needed cannot be read.
 */
export async function readRosters(
  context: Context,
  files: RosterFiles,
  lines: readonly RosterLine[],
  reading: TableReading,
  before: readonly Declared[],
  beforeQuestion: () => void,
): Promise<Rosters> {
  const { dialect, timeZone: zone } = context.settings();
  const rosters = new Map<string, Roster>();
  const [undeclared, kept]: [CliError[], (() => Promise<void>)[]] = [[], []];
  const byHeader = new Map<string, Declared[]>([['', [...before]]]);
  let isRefused = false;
  const among: Among = {
    isBeside: true,
    beforeQuestion() {
      isRefused = true;
      beforeQuestion();
      isRefused = false;
    },
  };
  for (const { roster = '', problem } of lines) {
    const opened = files.get(roster);
    if (opened === undefined || rosters.has(roster)) continue;
    rosters.set(roster, { students: [], options: [] });
    try {
      if (opened instanceof CliError) throw opened;
      const header = JSON.stringify(opened.header);
      // An answer that a column does not matter holds for files with the same header: in another file it may be a choice.
      // The lines of a timetable that count do not say who takes an exam.
      const answered = [...byHeader].flatMap(([of, all]) =>
        all.flatMap((one): Declared | [] => {
          if (of === header || (of !== '' && isChosen(one))) return one;
          return isChosen(one) ? [] : { ...one, preset: true };
        }),
      );
      const columns = declaredIn(opened, [...reading.columns, ...answered]);
      const file = await readOpened(context, opened, { map: {}, columns }, fieldsOf(context), among);
      byHeader.set(header, [...(byHeader.get(header) ?? []), ...file.known, ...file.answers]);
      kept.push(file.keepAnswers);
      const options = optionsFor(opened, { ...reading, columns: [...reading.columns, ...answered, ...file.known, ...file.answers] });
      rosters.set(roster, { students: studentLines(file, { dialect, zone, dates: reading.dates, exam: '' }).lines, options });
      for (const { what, hint } of problemsOf(file)) problem('roster', what, hint);
    } catch (error) {
      if (isRefused) throw error;
      const own = ofRoster(expected(error, 'invalid_input', 'nothing_selected'));
      if (own.items) undeclared.push(own);
      else problem('roster', own.message, own.hint);
    }
  }
  const keepAnswers = async () => {
    for (const keep of kept) await keep();
  };
  return { rosters, answers: [...byHeader.values()].flat(), undeclared, keepAnswers };
}

/** One error for what is wrong with several files. */
export function jointError(errors: readonly CliError[]): CliError {
  const [first, ...others] = errors;
  if (first && others.length === 0) return first;
  // A column that may be ignored in one file may decide in another.
  const all = new Set(errors.flatMap(({ hint }) => hint.split('\n')));
  const hints = [...all].filter((hint) => hint.split('--ignore-column').length <= 2).map((hint) => sentence`${hint}`);
  const items = errors.flatMap((error) => error.items ?? []);
  return new CliError('invalid_input', inLines(firstLines(errors, ({ message }) => message)), { hint: inLines(hints), items });
}
