/**
 * The screen of a watch: the exams, who needs help, the latest changes; a student's details with the commands to paste. No line is wider
 * than the screen, and nothing that the service says can command it.
 */
import type { Client } from '../../api/client.ts';
import type { Moment } from '../../command.ts';
import { durationInWords } from '../../model/duration.ts';
import { examClock } from '../../model/exam-clock.ts';
import { textOfJson } from '../../model/json.ts';
import { maskSecretKeys } from '../../model/secret-keys.ts';
import { showTime } from '../../model/time.ts';
import { type Canvas, column, line, widest, widthOf } from '../../output/canvas.ts';
import { cell, kindOf } from '../../output/cell.ts';
import type { Sentence } from '../../text/sentence.ts';
import {
  type Change,
  commandsFor,
  type ExamView,
  groups,
  inWords,
  isAlarm,
  isFound,
  problemInWords,
  type Seen,
  studentsIn,
  urgencyOf,
  viewInWords,
} from './exam-view.ts';

export type WatchMoment = Moment & {
  views: readonly ExamView[];
  /** The latest first. */
  changes: readonly Change[];
  client: Pick<Client, 'origin' | 'dialect'>;
  profile: string;
  nextAt: number;
  /** Why the last look failed. */
  trouble: Sentence | undefined;
};

/** Columns from which there is room for more than the most important. */
const wideColumns = 64;
const [up, down] = [-1, 1];
const moves: Readonly<Record<string, number>> = {
  ...{ '\u001b[A': up, '\u001bOA': up, k: up, '\u001b[B': down, '\u001bOB': down, j: down },
  ...{ '\u001b[5~': 10 * up, '\u001b[6~': 10 * down, '\u001b[H': Number.NEGATIVE_INFINITY, '\u001b[F': Number.POSITIVE_INFINITY },
};
const [escapeKey, enter, rubout] = [['\u001b'], ['\r', '\n'], ['\u007f', '\b']];

export class WatchScreen {
  /** Those in the list, and the one who is selected, wherever the list shows the student next. */
  #people: readonly Seen[] = [];
  #selected: Seen | undefined;
  #at = 0;
  #isOpen = false;
  #filter = '';
  #isTyping = false;

  /** Takes a key; true where the watch is left. */
  key(key: string): boolean {
    const isEscape = escapeKey.includes(key);
    const isEnter = enter.includes(key);
    if (this.#isTyping) {
      this.#filter = isEscape
        ? ''
        : rubout.includes(key)
          ? this.#filter.slice(0, -1)
          : this.#filter + (/^[^\p{Cc}]$/u.test(key) ? key : '');
      this.#isTyping = !isEscape && !isEnter;
    } else if (key.toLowerCase() === 'q') return true;
    else if (isEnter) this.#isOpen = this.#people.length > 0;
    else if (isEscape && this.#isOpen) this.#isOpen = false;
    else if (isEscape || key === '/') [this.#filter, this.#isTyping, this.#isOpen] = ['', key === '/', false];
    else if (!this.#isOpen) this.#select(this.#at + (moves[key] ?? 0));
    return false;
  }

  #select(at: number) {
    this.#at = Math.max(0, Math.min(this.#people.length - 1, at));
    this.#selected = this.#people[this.#at];
  }

  /** As many lines as the screen has rows. */
  draw(moment: WatchMoment, canvas: Canvas): string[] {
    const { rows, columns, paint, redact } = canvas;
    const { views, trouble, client } = moment;
    const isSame = ({ view, student }: Seen) => view.id === this.#selected?.view.id && student.session === this.#selected.student.session;
    this.#people = studentsIn(views, (student) =>
      this.#filter === '' ? student.problem !== null : isFound(student, this.#filter, client),
    );
    const open = this.#isOpen ? studentsIn(views, () => true).find(isSame) : undefined;
    if (open) this.#selected = open;
    else {
      const at = this.#people.findIndex(isSame);
      this.#select(at < 0 ? this.#at : at);
      this.#isOpen = false;
    }
    const head = [titleLine(moment, canvas), ...(trouble === undefined ? [] : [line(columns, [redact(trouble), paint.label])])];
    const room = Math.max(0, rows - head.length - 1);
    const body = (open ? details(open, moment, canvas) : this.#overview(moment, canvas, room)).slice(0, room);
    return [...head, ...body, ...Array<string>(room - body.length).fill(''), this.#foot(moment, canvas)].slice(-rows);
  }

  #overview({ views, changes }: WatchMoment, canvas: Canvas, room: number): string[] {
    const { columns, paint, redact } = canvas;
    const gap = room >= 20 ? [''] : [];
    const found = this.#people.length;
    const filter = this.#isTyping || this.#filter !== '' ? `Filter: ${this.#filter}${this.#isTyping ? '_' : ''} (${found})` : undefined;
    const heading = filter ?? (found === 0 ? 'Nobody needs help' : `Who needs help: ${found}`);
    const exams = examLines(views, canvas, Math.max(1, Math.floor(room / 3))).slice(room < 8 ? 1 : 0);
    const body = [...exams, ...gap, line(columns, [redact(heading), paint.label])];
    const height = Math.max(1, room - body.length);
    // The selected student in the middle, as far as the list goes.
    const from = Math.max(0, Math.min(this.#at - (height >> 1), found - height));
    const listed = [...body, ...personLines(this.#people.slice(from, from + height), this.#at - from, views.length > 1, canvas)];
    const shown = changes.slice(0, Math.max(0, room - listed.length - gap.length - 1));
    return shown.length === 0 ? listed : [...listed, ...gap, line(columns, ['Latest changes', paint.label]), ...changeLines(shown, canvas)];
  }

  #foot({ views, nextAt, trouble }: WatchMoment, { columns, now }: Canvas): string {
    const keys = this.#isTyping ? 'Enter keeps, Esc clears' : this.#isOpen ? 'Esc back, q quits' : '↑↓ Enter details, / filter, q quits';
    const next = `next ${trouble === undefined ? 'update' : 'try'} in ${durationInWords(nextAt - now + 999)}`;
    const age = durationInWords(now - Math.min(...views.map(({ at }) => at)));
    const text = `Updated ${age} ago, ${nextAt <= now ? 'updating now' : next}`;
    return line(columns, text, ' '.repeat(Math.max(2, columns - widthOf(text) - widthOf(keys))), keys);
  }
}

/** What is watched, and on the right which service it is at. */
function titleLine({ views, client, profile }: WatchMoment, { columns, paint, redact }: Canvas): string {
  const students = views.reduce((sum, view) => sum + view.students.length, 0);
  const [only] = views.length === 1 ? views : [];
  const what = redact(only ? `Exam ${viewInWords(only)}` : `${views.length} exams, ${students} students`);
  const where = `${client.origin} (${profile})`;
  const between = columns - widthOf(where);
  return line(columns, [column(what, between - 2 < widthOf(what) ? columns : between), paint.label], where);
}

const numbers = [
  ['all', () => true],
  ['wait', groups['not-started']],
  ['busy', groups['in-progress']],
  ['done', groups.finished],
  ['lost', (student) => groups['no-shows'](student) || groups.stuck(student)],
  ['help', groups.problems],
] as const satisfies [string, (student: Seen['student']) => boolean][];

/** A line for each exam, those first where somebody needs help most urgently; as many as have room. */
function examLines(views: readonly ExamView[], canvas: Canvas, most: number): string[] {
  const { columns, now, paint, redact } = canvas;
  const counted = columns >= wideColumns ? numbers : numbers.slice(-1);
  const urgency = (view: ExamView) => view.students.reduce((least, { problem }) => Math.min(least, urgencyOf(problem)), 9);
  const clock = (view: ExamView) => examClock(view, now).split(', ').at(-1) ?? '';
  const row = (name: string, when: string, texts: readonly (string | number)[], paintHelp: (text: string) => string) => {
    const cells = texts.map((text) => String(text).padStart(6));
    const room = Math.max(8, columns - cells.length * 6 - (counted === numbers ? 23 : 0));
    return line(columns, column(name, room), counted === numbers ? column(`  ${when}`, 23) : '', cells.slice(0, -1).join(''), [
      cells.at(-1) ?? '',
      paintHelp,
    ]);
  };
  const lines = views
    .toSorted((one, other) => urgency(one) - urgency(other))
    .slice(0, most)
    .map((view) => {
      const counts = counted.map(([, isMeant]) => view.students.filter(isMeant).length);
      return row(redact(viewInWords(view)), clock(view), counts, alarming(canvas, 3 - urgency(view)));
    });
  const titles = row(
    'Exam',
    '',
    counted.map(([title]) => title),
    (text) => text,
  );
  return [
    paint.label(titles),
    ...lines,
    ...(lines.length < views.length ? [line(columns, `… and ${views.length - lines.length} more`)] : []),
  ];
}

/** As a level of suspicion is shown: 3 and 2 stand out. */
function alarming({ paint }: Canvas, level: number | null): (text: string) => string {
  return (text) => paint.value(text, { level }, { key: 'level', as: 'suspicion' });
}

/** A name may be written from right to left: the numbers stand before it. */
function personLines(people: readonly Seen[], selected: number, isSeveral: boolean, canvas: Canvas): string[] {
  const { columns, redact } = canvas;
  const states = people.map(({ student: { problem, status } }) => (problem ? problemInWords(problem) : redact(status ?? 'no status')));
  const ids = people.map(({ view, student }) => redact(`${textOfJson(student.session)}${isSeveral ? ` of exam ${view.id}` : ''}`));
  const names = people.map(({ student }) => redact(student.name ?? student.email ?? ''));
  const [stateWidth, idWidth, nameWidth] = [widest(states, 20), widest(ids, 20), widest(names, 40)];
  return people.map(({ student: { name, email, level_of_suspicion: level } }, at) => {
    const id = columns < wideColumns ? '' : `${column(ids[at] ?? '', idWidth)}  `;
    const address = name === null ? '' : `  ${redact(email ?? '')}`;
    return line(
      columns,
      at === selected ? '> ' : '  ',
      [column(states[at] ?? '', stateWidth), alarming(canvas, level)],
      '  ',
      id,
      column(names[at] ?? '', nameWidth),
      address,
    );
  });
}

function changeLines(changes: readonly Change[], canvas: Canvas): string[] {
  const { columns, timeZone, redact } = canvas;
  return changes.map((change) => {
    const { at, name, email, session, field, from, to } = change;
    const shown = (value: unknown) => redact(cell(value, kindOf({ key: field, as: 'field' }, { field }), timeZone, 'none'));
    const told = to === null ? `no longer: ${problemInWords(from)}` : `needs help: ${problemInWords(to)}`;
    const words = field === 'problem' ? told : `${field.replaceAll('_', ' ')} ${shown(from)} → ${shown(to)}`;
    const [, time = ''] = showTime(at, timeZone).split(' ');
    const who = redact(name ?? email ?? `session ${textOfJson(session)}`);
    return line(columns, `${time.padEnd(8, ':00')}  ${who}  `, [words, alarming(canvas, isAlarm(change) ? 3 - urgencyOf(to) : 0)]);
  });
}

/** All that the service shows of a student, and what can be done. */
function details({ view, student }: Seen, { profile }: WatchMoment, canvas: Canvas): string[] {
  const { columns, now, timeZone, paint, redact } = canvas;
  const fields = Object.entries(maskSecretKeys(student.shown)).map(([key, value]) => {
    return [key.replaceAll('_', ' '), redact(cell(value, kindOf({ key, as: 'field' }, { field: key }), timeZone))] as const;
  });
  const width = widest(
    fields.map(([key]) => key),
    24,
  );
  const closes = `closes ${cell(student.close_time ?? view.shown.end_time, 'time', timeZone, 'at no time')}`;
  const state = [student.outcome, ...(student.problem ? [student.problem] : []), closes].map(problemInWords).join('; ');
  return [
    '',
    line(columns, [redact(inWords(student)), paint.label]),
    line(columns, [state, alarming(canvas, student.level_of_suspicion)]),
    '',
    ...commandsFor(student, view, { now, zone: timeZone, profile }).map((text) => line(columns, redact(text))),
    '',
    line(columns, column('exam', width), '  ', redact(viewInWords(view))),
    ...fields.map(([key, text]) => line(columns, column(key, width), '  ', text)),
  ];
}
