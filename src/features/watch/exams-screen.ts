/**
 * The screen of several exams that are being watched: a line for each exam, then the problems and the latest changes of
 * all. Below the title everything scrolls, because a period has more exams than a screen has lines.
 */
import { durationInWords } from '../../model/duration.ts';
import type { ExamTimes } from '../../model/exam-clock.ts';
import { type Canvas, column, type Drawing, line, type Part, widest } from '../../output/canvas.ts';
import { changeLines, freshness, moment, titleOf } from './exam-screen.ts';
import { problemWords } from './problems.ts';
import type { ExamsMoment, ExamsSnapshot } from './snapshot.ts';

/** Columns from which there is room for the phases, and for when. */
const wideColumns = 72;

export function draw({ snapshot }: ExamsMoment, canvas: Canvas): Drawing {
  const { rows, columns, paint } = canvas;
  const { exams, trouble } = snapshot;
  const head = [titleOf(`${exams.length} exams, ${snapshot.students} students`, snapshot, canvas)];
  if (trouble !== undefined) head.push(line(columns, [canvas.redact(trouble), paint.label]));
  const body = [...examLines(snapshot, canvas), '', ...problemLines(snapshot, canvas), ...changeLines(snapshot.changes, [''], canvas)];
  const height = Math.max(0, rows - head.length - 1);
  const most = Math.max(0, body.length - height);
  const from = Math.min(canvas.scroll ?? 0, most);
  const shown = body.slice(from, from + height);
  const filled = [...head, ...shown, ...Array<string>(Math.max(0, height - shown.length)).fill('')];
  return { lines: [...filled, freshness(snapshot, canvas, most > 0)].slice(-rows), most };
}

/** The phases, and their headings in two lines. */
const phases = [
  ['waiting', ['not started', 'yet']],
  ['checking', ['', 'check']],
  ['writing', ['', 'write']],
  ['finished', ['', 'done']],
] as const;

function examLines({ exams }: ExamsSnapshot, { columns, now, paint, redact }: Canvas): string[] {
  const wide = columns >= wideColumns;
  const ids = exams.map(({ id }) => redact(id));
  const idWidth = Math.max(2, widest(ids, 12));
  const times = exams.map((exam) => shortClock(exam, now));
  const timeWidth = wide ? widest(times, 22) : 0;
  const headings = [...(wide ? phases.map(([, heading]) => heading) : [['', 'all']]), ['', 'probl']];
  const widths = headings.map((heading) => Math.max(6, 1 + widest(heading, columns)));
  const taken = idWidth + 2 + (wide ? timeWidth + 2 : 0) + widths.reduce((sum, width) => sum + width, 0);
  const nameWidth = Math.max(8, columns - taken - 1);
  const cells = (texts: readonly string[]) => texts.map((text, index) => text.padStart(widths[index] ?? 0)).join('');
  const titles = [0, 1].map((row) =>
    line(
      columns,
      [column(row === 0 ? '' : 'ID', idWidth), paint.label],
      '  ',
      [column(row === 0 ? '' : 'Exam', nameWidth), paint.label],
      wide ? column('', timeWidth + 2) : '',
      [cells(headings.map((heading) => heading[row] ?? '')), paint.label],
    ),
  );
  const lines = exams.map((exam, index) => {
    const counts = wide ? phases.map(([phase]) => String(exam.phases[phase])) : [String(exam.students)];
    const alarming = (text: string) => paint.value(text, { level: exam.problems > 0 ? 2 : 0 }, { key: 'level', as: 'suspicion' });
    const parts: Part[] = [column(ids[index] ?? '', idWidth), '  ', column(redact(exam.name ?? `Exam ${exam.id}`), nameWidth)];
    if (wide) parts.push('  ', column(times[index] ?? '', timeWidth));
    // Numbers of an earlier poll are marked.
    const problems = exam.trouble === undefined ? String(exam.problems) : '?';
    return line(columns, ...parts, cells(counts), [problems.padStart(6), alarming]);
  });
  return [...titles.slice(wide ? 0 : 1), ...lines];
}

/** "starts in 2 h 5 min", "ends in 57 min", "ended 3 d 2 h ago", as far as the times tell. */
function shortClock({ start, end }: ExamTimes, now: number): string {
  if (start !== undefined && now < start) return `starts in ${durationInWords(start - now)}`;
  if (end === undefined) return start === undefined ? 'no times' : 'no end';
  return now < end ? `ends in ${durationInWords(end - now)}` : `ended ${durationInWords(now - end)} ago`;
}

function problemLines({ problems, exams }: ExamsSnapshot, { columns, now, timeZone, paint, redact }: Canvas): string[] {
  if (problems.length === 0) return [line(columns, 'No problems')];
  const wide = columns >= wideColumns;
  const idWidth = widest(
    exams.map(({ id }) => redact(id)),
    12,
  );
  const words = problems.map(({ problem }) => problemWords[problem]);
  const wordsWidth = widest(words, 24);
  const people = problems.map(({ session, email, name }) => redact(email ?? name ?? `session ${session}`));
  const room = columns - idWidth - wordsWidth - 4 - (wide ? 18 : 0);
  const personWidth = widest(people, Math.max(8, room));
  const lines = problems.map(({ exam, problem, since }, index) => {
    const level = { suspicion_3: 3, suspicion_2: 2, check_not_completed: 0, not_started: 0 }[problem];
    const alarming = (text: string) => paint.value(text, { level }, { key: 'level', as: 'suspicion' });
    const when = since === undefined || !wide ? '' : `  since ${moment(since, now, timeZone)}`;
    const parts: Part[] = [column(redact(exam), idWidth), '  ', column(people[index] ?? '', personWidth), '  '];
    return line(columns, ...parts, [column(words[index] ?? '', wordsWidth), alarming], when);
  });
  return [line(columns, [`Problems: ${problems.length}`, paint.label]), ...lines];
}
