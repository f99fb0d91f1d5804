/** Exams whose times change: their students are read, and the windows that they have of their own move along. */
import type { Client } from '../../api/client.ts';
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { formatTime, instantOf, movedEnd, showTime } from '../../model/time.ts';
import { movedInPart, type Reading, readStudents } from '../../runs-before/index.ts';
import { capitalised, sentence } from '../../text/sentence.ts';
import type { SelectedExam } from '../exam-selection.ts';
import { examMoves, hasWindow, isTimeValue, type MovedWindow, type Replaced, sessionsOf, type TimeMove } from './exam-moves.ts';
import { changesExam, type PlanItem } from './period-plan.ts';

/** `moves`: where students have a window of their own. */
export type Moving = {
  items: readonly PlanItem[];
  moves: Map<PlanItem, readonly TimeMove[]>;
  readings: Map<string, Reading>;
};

const timeFields = ['start_time', 'end_time'] as const;

/** The items with their students; one whose windows cannot be moved along is held back. */
export async function withStudents(
  context: Context,
  client: Client,
  items: readonly PlanItem[],
  run: Parameters<typeof movedInPart>[1],
): Promise<Moving> {
  const moves = new Map<PlanItem, readonly TimeMove[]>();
  const readings = new Map<string, Reading>();
  const moved = items.flatMap((item) =>
    item.exam && Object.keys(timesOf(item)).length > 0 ? [[item.exam.id, item.exam.shown] as const] : [],
  );
  const inPart = moved.length > 0 ? await movedInPart(context, run, new Map(moved)) : new Map<string, string>();
  const all = await client.pacer.map(items, async (item) => {
    const { exam } = item;
    const times = timesOf(item);
    if (!exam || Object.keys(times).length === 0) return item;
    const begun = exam.start !== undefined && exam.start <= context.host.now() ? heldBegun(item, context.zone()) : undefined;
    if (begun && (times.start_time || hasEnded(exam, context.host.now()))) return { ...item, held: begun };
    const before = inPart.get(exam.id);
    if (before !== undefined) return { ...item, held: heldInPart(item, before) };
    const reading = await readStudents(context, exam.id);
    readings.set(exam.id, reading);
    try {
      const { open, mailed } = await sessionsOf(client, reading);
      const concerned = open.map(({ opens, closes, ...session }) => ({
        ...session,
        ...(opens && times.start_time ? { opens } : {}),
        ...(closes && times.end_time ? { closes } : {}),
      }));
      const own = concerned.filter(hasWindow);
      const found: PlanItem = { ...item, students: { windows: own.length, mailed } };
      const { start_time = null, end_time = null } = exam.shown;
      const kept = Object.fromEntries(Object.entries({ start_time, end_time }).filter(([field]) => !Object.hasOwn(times, field)));
      if (own.length > 0) moves.set(found, examMoves(exam.id, { times, own, moved: movedAlong(context, times), kept }));
      return found;
    } catch (error) {
      if (!(error instanceof CliError) || error.code !== 'invalid_input') throw error;
      return { ...item, held: error };
    }
  });
  return { items: all, moves, readings };
}

function hasEnded({ end }: SelectedExam, now: number): boolean {
  return end !== undefined && end <= now;
}

/** Its students are taking it, or have taken it: a timetable of the next term may have the same keys. */
function heldBegun({ entry, exam }: PlanItem, zone: string): CliError {
  const started = showTime((exam?.start ?? 0) / 1000, zone);
  return new CliError('different', sentence`${capitalised(entry.at)}: exam ${exam?.id} started at ${started}, and is not moved.`, {
    hint: 'Nothing was sent for it. Keep the timetable of another period in a file of its own; another sitting needs a key of its own.',
  });
}

/** Windows that the run before has moved would be moved twice. */
function heldInPart({ entry, exam }: PlanItem, run: string): CliError {
  return new CliError(
    'different',
    sentence`${capitalised(entry.at)}: run ${run} has moved exam ${exam?.id} and its students only in part.`,
    {
      hint: sentence`Nothing was sent for it. Take it back with: proctor-cli ${typedCommand('runs undo', [run])}; then run the same command again.`,
    },
  );
}

/** The times of an exam that change. */
function timesOf(item: PlanItem): Replaced {
  if (!changesExam(item)) return {};
  const changed = item.changes.filter(({ field }) => timeFields.some((time) => time === field));
  return Object.fromEntries(
    changed.flatMap(({ field, from, to }) => (isTimeValue(from) && isTimeValue(to) ? [[field, { old: from, new: to }] as const] : [])),
  );
}

/** An open_time keeps its distance to the start of the exam, and a close_time that to its end, by the clocks of the zone. */
function movedAlong(context: Context, times: Replaced): MovedWindow {
  const { timeZone = 'UTC', dialect } = context.settings();
  return (field, { shown, at }, what) => {
    const anchor = field === 'open_time' ? times.start_time : times.end_time;
    const [from, to] = [instantOf(anchor?.old), instantOf(anchor?.new)];
    try {
      if (from === undefined || to === undefined) throw new InvalidValue('the exam shows no time to count from.');
      return { old: shown, new: formatTime(movedEnd({ start: from, end: at }, to, timeZone), dialect.timeFormat) };
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      throw new CliError('invalid_input', sentence`${what} cannot be moved along: ${error.message}`, {
        hint: 'Set that time, or give the exam another start or end in the timetable.',
      });
    }
  };
}
