/**
 * The screen of an exam that is being watched, as lines: first what is always there (the exam, its
 * clock, how fresh this is), then as much of counts, problems and changes as finds room, in this order.
 */
import { durationInWords } from '../../model/duration.ts';
import { examClock } from '../../model/exam-clock.ts';
import { textOfJson } from '../../model/json.ts';
import { showTime } from '../../model/time.ts';
import { type Canvas, column, type Drawing, line, type Part, widest, widthOf } from '../../output/canvas.ts';
import { visible } from '../../text/characters.ts';
import { problemWords } from './problems.ts';
import type { Snapshot, WatchMoment } from './snapshot.ts';

/** Rows from which there is room for blank lines, and columns from which there is for details. */
const airyRows = 24;
const wideColumns = 64;
const shortColumns = 32;
const barWidth = 40;
/** Older moments are shown by their day. */
const recent = 20 * 3_600_000;

export function draw({ snapshot }: WatchMoment, canvas: Canvas): Drawing {
  return examScreen(snapshot, canvas);
}

/** As many lines as the screen has rows, none of them wider than it. */
export function examScreen(snapshot: Snapshot, canvas: Canvas): Drawing {
  const { rows, columns, paint } = canvas;
  const head = [title(snapshot, canvas), clock(snapshot, canvas)];
  if (snapshot.trouble !== undefined) head.push(line(columns, [canvas.redact(snapshot.trouble), paint.label]));
  if (rows <= head.length) return { lines: [...head.slice(1), freshness(snapshot, canvas, false)].slice(-rows), most: 0 };

  const gap = rows >= airyRows ? [''] : [];
  const body: string[] = [];
  const room = () => rows - head.length - 1 - body.length - gap.length;
  const add = (lines: readonly string[]) => {
    if (lines.length > 0 && room() > 0) body.push(...gap, ...lines.slice(0, room()));
  };
  add(room() >= snapshot.counts.length + 5 ? bars(snapshot, canvas) : [inOneLine(snapshot, canvas)]);
  const listed = [...problems(snapshot, canvas), ...changeLines(snapshot.changes, gap, canvas)];
  const height = Math.max(0, room() - (listed.length > 0 ? 1 : 0));
  const most = height > 0 ? Math.max(0, listed.length - height) : 0;
  const from = Math.min(canvas.scroll ?? 0, most);
  if (snapshot.students > 0) add([problemsHeading(snapshot, { from, height }, canvas), ...listed.slice(from, from + height)]);
  else add(listed.slice(from, from + height));
  const filled = [...head, ...body];
  const foot = freshness(snapshot, canvas, most > 0);
  return { lines: [...filled, ...Array<string>(rows - 1 - filled.length).fill(''), foot], most };
}

function title(snapshot: Snapshot, canvas: Canvas): string {
  const { exam } = snapshot;
  return titleOf(exam.name === undefined ? `Exam ${exam.id}` : `${exam.name}, exam ${exam.id}`, snapshot, canvas);
}

/** What is watched, and on the right which service it is at. */
export function titleOf(
  subject: string,
  { origin, profile }: Pick<Snapshot, 'origin' | 'profile'>,
  { columns, paint, redact }: Canvas,
): string {
  const what = visible(redact(subject));
  const where = `${origin} (${profile})`;
  const between = columns - widthOf(what) - widthOf(where);
  return between < 2 ? line(columns, [what, paint.label]) : line(columns, [what, paint.label], ' '.repeat(between), where);
}

function clock({ exam }: Snapshot, { columns, now, timeZone }: Canvas): string {
  const words = examClock(exam, now, 'running for');
  const span = exam.start === undefined && exam.end === undefined ? '' : `  (${spanOf(exam, timeZone)})`;
  return line(columns, words.charAt(0).toUpperCase() + words.slice(1), span);
}

/** "2026-11-21 09:00 to 10:15 +01:00"; whole where the day or the offset changes on the way. */
function spanOf({ start, end }: Snapshot['exam'], zone: string): string {
  const [from = '?', to = '?'] = [start, end].map((time) => (time === undefined ? undefined : showTime(time / 1000, zone)));
  const [day, time, offset] = from.split(' ');
  const [lastDay, lastTime, lastOffset] = to.split(' ');
  return day === lastDay && offset === lastOffset ? `${day} ${time} to ${lastTime} ${offset}` : `${from} to ${to}`;
}

export function freshness(
  { updatedAt, nextAt, trouble }: Pick<Snapshot, 'updatedAt' | 'nextAt' | 'trouble'>,
  { columns, now }: Canvas,
  scrolls: boolean,
): string {
  const age = durationInWords(now - updatedAt);
  const left = durationInWords(nextAt - now + 999);
  if (columns < shortColumns) return line(columns, `${age} ago, next ${left}`);
  const next = nextAt <= now ? 'updating now' : `next ${trouble === undefined ? 'update' : 'try'} in ${left}`;
  const text = `Updated ${age} ago, ${next}`;
  const keys = [scrolls ? '↑↓ scroll, q quits' : 'q quits', 'q quits'].find((each) => columns - widthOf(text) - widthOf(each) >= 2);
  return keys === undefined ? line(columns, text) : line(columns, text, ' '.repeat(columns - widthOf(text) - widthOf(keys)), keys);
}

function bars({ counts, students }: Snapshot, { columns, paint, redact }: Canvas): string[] {
  const names = counts.map(({ status }) => redact(status ?? 'no status'));
  const nameWidth = widest(names, 24);
  const countWidth = String(students).length;
  const room = Math.min(barWidth, columns - countWidth - nameWidth - 3);
  return counts.map(({ status, count }, index) => {
    const bar = students === 0 || room < 5 ? '' : '█'.repeat(Math.ceil((count / students) * room));
    const coloured = (text: string) => paint.value(text, { status }, { key: 'status' });
    return line(columns, `${String(count).padStart(countWidth)} `, column(names[index] ?? '', nameWidth), bar === '' ? '' : '  ', [
      bar,
      coloured,
    ]);
  });
}

function inOneLine({ counts, students }: Snapshot, { columns, redact }: Canvas): string {
  const there = counts.filter(({ count }) => count > 0).map(({ status, count }) => `${count} ${redact(status ?? 'no status')}`);
  return line(columns, there.length === 0 ? 'No students' : there.join(', '), there.length > 1 ? ` (${students})` : '');
}

/** How many problems there are, and which of them are on the screen. */
function problemsHeading(
  { problems: { length: all } }: Snapshot,
  { from, height }: { from: number; height: number },
  { columns, paint }: Canvas,
) {
  if (all === 0) return line(columns, 'No problems');
  const last = Math.min(all, from + height);
  const shown = last - from;
  const which = shown <= 0 || shown === all ? '' : from === 0 ? ` (${shown} shown)` : ` (${from + 1} to ${last} shown)`;
  return line(columns, [`Problems: ${all}${which}`, paint.label]);
}

function problems({ problems: shown, students }: Snapshot, { columns, now, timeZone, paint, redact }: Canvas): string[] {
  if (students === 0) return [];
  const wide = columns >= wideColumns;
  const words = shown.map(({ problem }) => problemWords[problem]);
  const wordsWidth = widest(words, 24);
  const who = shown.map(({ session, email, name }) => redact(email ?? name ?? `session ${session}`));
  const whoWidth = widest(who, Math.max(8, wide ? Math.floor(columns / 3) : columns - wordsWidth - 2));
  const ids = shown.map(({ session }) => redact(textOfJson(session ?? '-')));
  const idWidth = widest(ids, 12);
  return shown.map(({ problem, since, name, email }, index) => {
    const level = { suspicion_3: 3, suspicion_2: 2, check_not_completed: 0, not_started: 0 }[problem];
    const alarming = (text: string) => paint.value(text, { level }, { key: 'level', as: 'suspicion' });
    const parts: Part[] = [column(who[index] ?? '', whoWidth), '  ', [column(words[index] ?? '', wordsWidth), alarming]];
    if (!wide) return line(columns, ...parts);
    const when = since === undefined ? '' : `since ${moment(since, now, timeZone)}`;
    // A name may be written from right to left: at the end it takes nothing else with it.
    return line(
      columns,
      column(ids[index] ?? '', idWidth),
      '  ',
      ...parts,
      '  ',
      column(when, 14),
      '  ',
      redact(email === null ? '' : (name ?? '')),
    );
  });
}

/** The latest changes; of several exams, each with its own. */
export function changeLines(
  changes: readonly (Snapshot['changes'][number] & { exam?: string })[],
  gap: readonly string[],
  { columns, now, timeZone, paint, redact }: Canvas,
): string[] {
  if (changes.length === 0) return [];
  const who = changes.map(({ session, email, name }) => redact(email ?? name ?? `session ${session}`));
  const whoWidth = widest(who, Math.max(8, Math.floor(columns / 3)));
  const lines = changes.map((change, index) => {
    const when = columns < 40 ? '' : `${moment(change.at, now, timeZone)}  `;
    const exam = change.exam === undefined ? '' : `${redact(change.exam)}  `;
    return line(columns, when, exam, column(who[index] ?? '', whoWidth), '  ', redact(inWords(change, timeZone)));
  });
  return [...gap, line(columns, ['Latest changes', paint.label]), ...lines];
}

function inWords({ field, from, to }: Snapshot['changes'][number], zone: string): string {
  const time = (value: unknown) => (value === null ? 'none' : showTime(value, zone));
  switch (field) {
    case 'added':
      return `added (${to})`;
    case 'removed':
      return 'removed';
    case 'problem':
      return to === null ? `resolved: ${problemName(from)}` : `problem: ${problemName(to)}`;
    case 'level_of_suspicion':
      return `suspicion ${from ?? 'none'} → ${to ?? 'none'}`;
    case 'open_time':
      return `opens ${time(from)} → ${time(to)}`;
    case 'close_time':
      return `closes ${time(from)} → ${time(to)}`;
    case 'status':
      return `${from ?? 'none'} → ${to ?? 'none'}`;
  }
}

function problemName(kind: unknown): string {
  return problemWords[kind as keyof typeof problemWords];
}

/** The local time of day, or the day where it is longer ago. */
export function moment(instant: number, now: number, zone: string): string {
  const [day = '', time = ''] = showTime(instant / 1000, zone).split(' ');
  return Math.abs(now - instant) < recent ? time.padEnd(8, ':00') : day;
}
