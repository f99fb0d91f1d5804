/**
 * `sessions watch`: exams that are looked at again and again, each difference as a row. A failure that passes within a quarter of an hour
 * does not end it. An exam that is deleted leaves the watch, which ends with the last one; one that fails alone keeps its last numbers.
 */
import type { Client } from '../../api/client.ts';
import { backoff, tries } from '../../api/pacer.ts';
import { readRecord } from '../../api/reading.ts';
import type { Context, Result } from '../../command.ts';
import { CliError, orError, orGone } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { examNamed } from '../../model/describe.ts';
import { durationInWords } from '../../model/duration.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { type ExamSelection, type SelectedExam, selectExams, selectedExam } from '../exam-selection.ts';
import { type Change, changesOf, type ExamView, numbersInWords, problemLines, urgencyOf, viewExam } from './exam-view.ts';
import type { WatchMoment } from './watch-screen.ts';

/** `interval`: between two looks; `late`: after which a student who could start needs help; milliseconds. `bell`: rings where more help is needed. */
export type WatchOptions = { interval: number; late: number; untilFinished: boolean; bell: boolean };

/** Without a selection, of the exams that are running. */
export async function watchExams(context: Context, selection: ExamSelection | undefined, options: WatchOptions): Promise<Result> {
  const client = await context.client();
  const now = context.host.now();
  const isRunning = ({ start = now + 1, end = now }: SelectedExam) => start <= now && now < end;
  const found = await selectExams(context, selection ?? {}, { reads: true, all: true, unsure: 'warn' });
  const exams = selection ? found : found.filter(isRunning);
  if (!selection && exams.length === 0) context.say('No exam is running now. To watch another one: proctor-cli sessions watch --exam ID');
  const { columns } = context;
  if (exams.length === 0) return { kind: 'list', rows: [], columns, id: 'session' };
  const leave = new AbortController();
  const moments = watching(context, client, exams, { ...options, leave: leave.signal });
  const drawing = async () => new (await import('./watch-screen.ts')).WatchScreen();
  return { kind: 'live', moments, columns, drawing, stop: () => leave.abort(), id: 'session' };
}

/** Waits after failures that come to this are enough. Milliseconds. */
const awayAtMost = 15 * 60_000;

async function* watching(
  { host, settings }: Context,
  client: Client,
  exams: readonly SelectedExam[],
  { interval, late, untilFinished, bell, leave }: WatchOptions & { leave: AbortSignal },
): AsyncGenerator<WatchMoment> {
  let views = await client.pacer.map(exams, (exam) => viewExam(client, exam, { now: host.now, late }));
  let [wait, away, failures] = [interval, 0, 0];
  let isFailing = false;
  const moment = (rows: readonly Change[], notes: readonly Sentence[], trouble?: Sentence): WatchMoment => {
    return { rows, notes, views, client, profile: settings().profile, nextAt: host.now() + wait, trouble };
  };
  const what = views.length === 1 && views[0] ? `exam ${examNamed(views[0])}` : count(views.length, 'exam');
  const greeting = sentence`Watching ${what}: ${numbersInWords(views)}. Updated every ${durationInWords(interval)}.`;
  yield moment([], [greeting, ...problemLines(views, 'more')]);
  try {
    while (!(untilFinished && views.every(isFinished))) {
      await host.sleep(wait, leave).catch((error: unknown) => {
        if (!leave.aborted) throw error;
      });
      if (leave.aborted) return;
      const before = new Map(views.map((view) => [view.id, view]));
      const { seen, trouble } = await look(client, views, { now: host.now, late });
      const isAway = trouble !== undefined && seen.every((view) => before.get(view.id) === view);
      // Any failure may pass; a token, too, is refused for a while where the service is deployed anew.
      if (isAway && away >= awayAtMost) throw trouble;
      const gone = views.filter(({ id }) => !seen.some((view) => view.id === id));
      const notes = gone.map((view) => sentence`Exam ${examNamed(view)} was deleted, and leaves the watch.`);
      if (!trouble && isFailing) notes.unshift(sentence`The service answers again.`);
      if (trouble && !isFailing) notes.push(sentence`${trouble.message}${isAway ? ' Retrying until the service answers.' : ''}`);
      failures = isAway ? failures + 1 : 0;
      // What all requests wait for is waited for here, where the end of the watch and the person who leaves it end the wait.
      wait = isAway ? Math.max(client.pacer.pause, Math.min(interval, backoff(tries + failures))) : interval;
      away = isAway ? away + wait : 0;
      const rows = seen.flatMap((view) => changesOf(before.get(view.id) ?? view, view));
      [views, isFailing] = [seen, trouble !== undefined];
      yield moment(rows, notes, trouble && sentence`${trouble.message}`);
      const isAlarm = ({ field, from, to }: Change) => field === 'problem' && urgencyOf(to) < urgencyOf(from);
      if (bell && host.stderr.isTTY && rows.some(isAlarm)) await host.stderr.write('\u0007');
    }
    yield moment([], [sentence`Watch finished: ${numbersInWords(views)}.`]);
  } catch (error) {
    // Ctrl-C is how a person ends a watch: what was seen by then is its result.
    if (error !== host.interrupted.reason || (error as CliError).code !== 'interrupted') throw error;
    yield moment([], []);
  }
}

/** Each exam once more, without those that are deleted, and as it was where it fails; throws where all are deleted. */
async function look(client: Client, before: readonly ExamView[], { now, late }: { now(): number; late: number }) {
  const again = async ({ id }: ExamView) => {
    const shown = await readRecord(client, 'exam', id, { quiet: true });
    return viewExam(client, selectedExam(shown, client), { now, late, quiet: true });
  };
  const all = await client.pacer.map(before, (view) => orError(orGone(again(view))));
  const seen = all.flatMap((view, at) => (view instanceof CliError ? (before[at] as ExamView) : (view ?? [])));
  if (seen.length > 0) return { seen, trouble: all.find((view) => view instanceof CliError) };
  throw new CliError('not_found', sentence`Exam ${before.map(examNamed).join('; ')}: it was deleted, which ends the watch.`);
}

/** Whether every student has finished, or can neither start nor continue; without students, whether the exam is over. */
function isFinished({ students, standing }: ExamView): boolean {
  return students.length === 0 ? standing === 'over' : students.every(({ outcome }) => ['finished', 'no_show', 'stuck'].includes(outcome));
}
