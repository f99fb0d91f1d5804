/**
 * `sessions watch`: exams that are looked at again and again, each difference as a row. A failure that passes within a quarter of an hour
 * does not end it. An exam that is deleted leaves the watch, which ends with the last one; one that fails alone keeps its last numbers.
 */
import type { Client } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import { backoff, tries } from '../../api/pacer.ts';
import type { Context, Result } from '../../command.ts';
import { CliError, isInterruption, orGone } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { examNamed } from '../../model/describe.ts';
import { durationInWords } from '../../model/duration.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { type ExamSelection, type SelectedExam, selectExams, selectedExam } from '../exam-selection.ts';
import { type Change, changesOf, type ExamView, isAlarm, numbersInWords, problemLines, viewExam } from './exam-view.ts';
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
  let failing = '';
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
      const seen = await look(client, views, { now: host.now, late }).catch((error: unknown) => {
        // Any other may pass; a token, too, is refused for a while where the service is deployed anew.
        if (!(error instanceof CliError) || isInterruption(error) || error.code === 'not_found' || away >= awayAtMost) throw error;
        return error;
      });
      if (seen instanceof CliError) {
        failures += 1;
        // What all requests wait for is waited for here, where the end of the watch and the person who leaves it end the wait.
        wait = Math.max(client.pacer.pause, Math.min(interval, backoff(tries + failures)));
        away += wait;
        yield moment([], failures === 1 ? [sentence`${seen.message} Retrying until the service answers.`] : [], sentence`${seen.message}`);
        continue;
      }
      const before = new Map(views.map((view) => [view.id, view]));
      const { trouble } = seen;
      const rows = seen.views.flatMap((view) => changesOf(before.get(view.id) ?? view, view));
      const again = failures > 0 ? [sentence`The service answers again.`] : [];
      const gone = views.filter(({ id }) => !seen.views.some((view) => view.id === id));
      const left = gone.map((view) => sentence`Exam ${examNamed(view)} was deleted, and leaves the watch.`);
      const alone = trouble && trouble.message !== failing ? [sentence`${trouble.message}`] : [];
      [views, wait, away, failures, failing] = [seen.views, interval, 0, 0, trouble?.message ?? ''];
      yield moment(rows, [...again, ...left, ...alone], trouble && sentence`${trouble.message}`);
      if (bell && host.stderr.isTTY && rows.some(isAlarm)) await host.stderr.write('\u0007');
    }
    yield moment([], [sentence`Watch finished: ${numbersInWords(views)}.`]);
  } catch (error) {
    // Ctrl-C is how a person ends a watch: what was seen by then is its result.
    if (error !== host.interrupted.reason || (error as CliError).code !== 'interrupted') throw error;
    yield moment([], []);
  }
}

type Look = { views: ExamView[]; trouble: CliError | undefined };

/** Each exam once more, without those that are deleted, and as it was where it fails alone; throws where all are deleted, or fail. */
async function look(client: Client, before: readonly ExamView[], { now, late }: { now(): number; late: number }): Promise<Look> {
  const failures: CliError[] = [];
  const asBefore = (view: ExamView) => (error: unknown) => {
    if (!(error instanceof CliError) || isInterruption(error)) throw error;
    failures.push(error);
    return view;
  };
  const again = async ({ id }: ExamView) => {
    const shown = await client.get(operations.getExam, { params: { id } }, { quiet: true });
    return viewExam(client, selectedExam(shown, client), { now, late, quiet: true });
  };
  const seen = await client.pacer.map(before, (view) => orGone(again(view)).catch(asBefore(view)));
  const views = seen.flatMap((view) => view ?? []);
  const [trouble] = failures;
  if (trouble && failures.length === views.length) throw trouble;
  if (views.length > 0) return { views, trouble };
  throw new CliError('not_found', sentence`Exam ${before.map(examNamed).join('; ')}: it was deleted, which ends the watch.`);
}

/** Whether every student has finished, or can neither start nor continue; without students, whether the exam is over. */
function isFinished({ students, standing }: ExamView): boolean {
  return students.length === 0 ? standing === 'over' : students.every(({ outcome }) => ['finished', 'no_show', 'stuck'].includes(outcome));
}
