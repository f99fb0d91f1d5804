/** The screen of a watch: the exams and who needs help, or the details of a student. */
import type { Client } from '../../api/client.ts';
import type { Column, Snapshot } from '../../command.ts';
import { examClock, examNamed, studentNamed } from '../../model/describe.ts';
import { durationInWords } from '../../model/duration.ts';
import { windowTitles } from '../../model/fields.ts';
import { maskSecretKeys } from '../../model/secrets.ts';
import { type Canvas, line, tableOn } from '../../output/canvas.ts';
import { capitalised, largest, type Sentence } from '../../text/sentence.ts';
import { withExamTimes } from '../exam-times.ts';
import {
  commandsFor,
  type ExamView,
  examsNamed,
  groups,
  inPlainWords,
  isFound,
  numbersOf,
  type StudentSeen,
  studentsIn,
} from './exam-view.ts';

export type WatchMoment = Snapshot & {
  views: readonly ExamView[];
  client: Pick<Client, 'origin' | 'dialect'>;
  profile: string;
  nextAt: number;
  /** Why the last look failed. */
  trouble: Sentence | undefined;
};

const [enter, escapeKey, rubout] = ['\r', '\u001b', '\u007f'];
/** Arrows, page keys, Home and End, as terminals send them. */
const moves = new Map(
  Object.entries({
    '[A': -1,
    OA: -1,
    '[B': 1,
    OB: 1,
    '[5~': -10,
    '[6~': 10,
    '[H': -Infinity,
    '[F': Infinity,
  }),
);

export class WatchScreen {
  #people: readonly StudentSeen[] = [];
  /** The place of the selected student, who stays selected where the list changes. */
  #at = 0;
  #selected: StudentSeen | undefined;
  #isOpen = false;
  #filter = '';
  #isTyping = false;

  key(key: string): boolean {
    if (this.#isTyping) this.#type(key);
    else if (key.toLowerCase() === 'q') return true;
    else if (key === enter) this.#isOpen = true;
    else if (key === escapeKey && this.#isOpen) this.#isOpen = false;
    else if (key === escapeKey) this.#filter = '';
    else if (key === '/') [this.#filter, this.#isTyping, this.#isOpen] = ['', true, false];
    else if (!this.#isOpen) this.#select(this.#at + (moves.get(key.slice(1)) ?? 0));
    return false;
  }

  #type(key: string) {
    if (key === enter || key === escapeKey) this.#isTyping = false;
    if (key === escapeKey) this.#filter = '';
    if (key === rubout) this.#filter = this.#filter.slice(0, -1);
    else if (/^[^\p{Cc}]$/u.test(key)) this.#filter += key;
  }

  #select(at: number) {
    this.#at = Math.max(0, Math.min(this.#people.length - 1, at));
    this.#selected = this.#people[this.#at];
  }

  draw(moment: WatchMoment, canvas: Canvas): string[] {
    const { rows, columns, paint, masked } = canvas;
    const { views, client, profile, trouble } = moment;
    const isListed = (student: StudentSeen['student']) =>
      this.#filter === '' ? student.problem !== null : isFound(student, this.#filter, client);
    const isSelected = ({ view: { id }, student: { session } }: StudentSeen) =>
      id === this.#selected?.view.id && session === this.#selected.student.session;
    this.#people = studentsIn(views, isListed);
    const open = this.#isOpen ? studentsIn(views, () => true).find(isSelected) : undefined;
    this.#isOpen = open !== undefined;
    const at = this.#people.findIndex(isSelected);
    if (!open) this.#select(at < 0 ? this.#at : at);
    const students = views.flatMap((view) => view.students).length;
    const place = masked(`, ${students} students, at ${client.origin} (${profile})`);
    const head = [line(columns, [masked(capitalised(examsNamed(views))), paint.label], place)];
    if (trouble !== undefined) head.push(line(columns, [masked(trouble), paint.label]));
    const room = Math.max(0, rows - head.length - 1);
    const whole = open ? details(open, profile, canvas) : this.#overview(moment, canvas, room);
    const body = whole.slice(0, room);
    const blank = Array<string>(room - body.length).fill('');
    return [...head, ...body, ...blank, this.#foot(moment, canvas)].slice(-rows);
  }

  #overview({ views }: WatchMoment, canvas: Canvas, room: number): string[] {
    const { columns, paint, masked } = canvas;
    const gap = room >= 20 ? [''] : [];
    const found = this.#people.length;
    const help = found === 0 ? 'Nobody needs help' : `Who needs help: ${found}`;
    const isFiltered = this.#isTyping || this.#filter !== '';
    const heading = isFiltered ? `Filter: ${this.#filter}${this.#isTyping ? '_' : ''} (${found})` : help;
    const body = [...examLines(views, canvas, room), ...gap, line(columns, [masked(heading), paint.label])];
    const height = Math.max(1, room - body.length);
    // The selected student in the middle, as far as the list goes.
    const from = Math.max(0, Math.min(this.#at - (height >> 1), found - height));
    const shown = this.#people.slice(from, from + height);
    return [...body, ...personLines(shown, this.#at - from, views.length > 1, canvas)];
  }

  #foot({ views, nextAt }: WatchMoment, { columns, now }: Canvas): string {
    const ofList = this.#isTyping ? 'Enter keeps, Esc clears' : '↑↓ Enter details, / filter, q quits';
    const keys = this.#isOpen ? 'Esc back, q quits' : ofList;
    const age = durationInWords(now - Math.min(...views.map(({ at }) => at)));
    const next = durationInWords(nextAt - now + 999);
    return line(columns, `Updated ${age} ago, next update in ${next}   ${keys}`);
  }
}

const examColumns: readonly Column[] = [
  { key: 'help', as: 'suspicion' },
  { key: 'exam' },
  { key: 'clock', title: '' },
  { key: 'students', title: 'all' },
  { key: 'not_started', title: 'wait' },
  { key: 'in_progress', title: 'busy' },
  { key: 'finished', title: 'done' },
  { key: 'no_shows', title: 'lost' },
  { key: 'stuck' },
];

/** A third of the screen, the most urgent exams first. A low screen shows one, without a heading. */
function examLines(views: readonly ExamView[], canvas: Canvas, room: number): string[] {
  const urgent = studentsIn(views, groups.problems).map(({ view }) => view);
  const shown = [...new Set([...urgent, ...views])].slice(0, Math.max(1, Math.floor(room / 3)));
  const rows = shown.map((view) => {
    const { problems, ...numbers } = numbersOf(view.students);
    const levels = view.students.map(({ level_of_suspicion: level }) => level ?? 0);
    return {
      ...numbers,
      help: String(problems),
      level_of_suspicion: largest(levels),
      exam: examNamed(view),
      clock: examClock(view, canvas.now).split(', ').at(-1),
    };
  });
  const lines = tableOn(canvas, examColumns, rows);
  if (room < 8) return lines.slice(1, 2);
  const hidden = views.length - rows.length;
  return hidden > 0 ? [...lines, line(canvas.columns, `… and ${hidden} more`)] : lines;
}

const untitled = (columns: readonly Column[]) => columns.map((column) => ({ ...column, title: '' }));

/** A name may be written from right to left: the numbers stand before it. */
const personColumns = untitled([
  { key: 'mark' },
  { key: 'state', as: 'suspicion', identifies: true },
  { key: 'session' },
  { key: 'name' },
  { key: 'email' },
]);

function personLines(people: readonly StudentSeen[], selected: number, isSeveral: boolean, canvas: Canvas): string[] {
  const rows = people.map(({ view, student }, at) => {
    const { session, name, email, status, problem, level_of_suspicion } = student;
    return {
      mark: at === selected ? '>' : ' ',
      state: problem ? inPlainWords(problem) : (status ?? 'no status'),
      session: isSeveral ? `${session} of exam ${view.id}` : session,
      name,
      email,
      level_of_suspicion,
    };
  });
  return tableOn(canvas, personColumns, rows).slice(1);
}

const titles: Readonly<Record<string, string>> = windowTitles;
const fieldColumns = untitled([{ key: 'name' }, { key: 'value', as: 'field' }]);

function details({ view, student }: StudentSeen, profile: string, canvas: Canvas): string[] {
  const { columns, timeZone, paint, masked } = canvas;
  const words = new Set([student.outcome, student.problem ?? student.outcome]);
  const state = [...words].map(inPlainWords).join('; ');
  // The fields that have to fit on a low screen come first.
  const { open_time, close_time, ...others } = withExamTimes(student.shown, view.shown, timeZone);
  const fields = Object.entries(maskSecretKeys({ open_time, close_time, ...others })).map(([field, value]) => ({
    name: titles[field] ?? inPlainWords(field),
    field,
    value,
  }));
  const alarming = (text: string) => paint.value(text, student, { key: '', as: 'suspicion' });
  const commands = commandsFor(student, profile);
  return [
    line(columns, [masked(studentNamed(student)), paint.label]),
    line(columns, [state, alarming]),
    '',
    ...commands.map((text) => line(columns, masked(text))),
    ...tableOn(canvas, fieldColumns, [{ name: 'exam', value: examNamed(view) }, ...fields]),
  ];
}
