/** `sessions watch`: looks at exams again and again, each difference a row. */
import type { Client } from '../../api/client.ts';
import { readRecord } from '../../api/reading.ts';
import type { Context, Result } from '../../command.ts';
import { CliError, orElse, orGone } from '../../errors.ts';
import { examNamed } from '../../model/describe.ts';
import { durationInWords } from '../../model/duration.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { type ExamSelection, type SelectedExam, selectExams, selectedExam } from '../exam-selection.ts';
import { changesOf, type ExamView, examsNamed, numbersInWords, problemLines, urgencyOf, type ViewChange, viewExam } from './exam-view.ts';
import type { WatchMoment } from './watch-screen.ts';

/** `interval`, `late`: milliseconds. */
type WatchOptions = {
  interval: number;
  late: number;
  untilFinished: boolean;
  bell: boolean;
};

export async function watchExams(context: Context, selection: ExamSelection | undefined, options: WatchOptions): Promise<Result> {
  const client = await context.client();
  const now = context.host.now();
  const isRunning = ({ start = now + 1, end = now }: SelectedExam) => start <= now && now < end;
  const found = await selectExams(context, selection ?? {}, { reads: true, all: true, unsure: 'warn' });
  const exams = selection ? found : found.filter(isRunning);
  const { columns } = context;
  if (exams.length === 0) {
    client.refuseDoubt('an exam is running');
    if (!selection) context.say('No exam is running now. To watch another one: proctor-cli sessions watch --exam ID');
    return { kind: 'list', rows: [], columns, id: 'session' };
  }
  const leave = new AbortController();
  const moments = watching(context, client, exams, { ...options, leave: leave.signal });
  const drawing = async () => new (await import('./watch-screen.ts')).WatchScreen();
  return {
    kind: 'live',
    moments,
    columns,
    drawing,
    stop: () => leave.abort(),
    id: 'session',
  };
}

/** After failed looks. Milliseconds. */
const longestAway = 15 * 60_000;

async function* watching(
  { host, settings }: Context,
  client: Client,
  exams: readonly SelectedExam[],
  { interval, late, untilFinished, bell, leave }: WatchOptions & { leave: AbortSignal },
): AsyncGenerator<WatchMoment> {
  let views = await client.pacer.map(exams, (exam) => viewExam(client, exam, host, late));
  let [wait, away, isFailing] = [interval, 0, false];
  const moment = (rows: readonly ViewChange[], notes: readonly Sentence[], trouble?: Sentence) => ({
    rows,
    notes,
    views,
    client,
    profile: settings().profile,
    nextAt: host.now() + wait,
    trouble,
  });
  const isAlarm = ({ field, from, to }: ViewChange) => field === 'problem' && urgencyOf(to) < urgencyOf(from);
  const every = durationInWords(interval);
  const greeting = sentence`Watching ${examsNamed(views)}: ${numbersInWords(views)}. Updated every ${every}.`;
  yield moment([], [greeting, ...problemLines(views)]);
  try {
    while (!(untilFinished && views.every(isFinished))) {
      await host.sleep(wait, leave).catch((error: unknown) => {
        if (!leave.aborted) throw error;
      });
      if (leave.aborted) return;
      const before = new Map(views.map((view) => [view.id, view]));
      const { seen, trouble } = await refreshViews(client, views, host, late);
      const isAway = trouble !== undefined && seen.every((view) => before.get(view.id) === view);
      // Any failure may pass: even a token is refused while the service is deployed anew.
      if (isAway && away >= longestAway) throw trouble;
      const gone = views.filter(({ id }) => !seen.some((view) => view.id === id));
      const notes = gone.map((view) => sentence`Exam ${examNamed(view)} was deleted, and is no longer watched.`);
      if (!trouble && isFailing) notes.unshift(sentence`The service answers again.`);
      const retrying = isAway ? ' Retrying until the service answers.' : '';
      if (trouble && !isFailing) notes.push(sentence`${trouble.message}${retrying}`);
      // The pause that the service asks for is waited for here, where the person can leave.
      wait = Math.max(client.pacer.pause, interval);
      away = isAway ? away + wait : 0;
      const rows = seen.flatMap((view) => changesOf(before.get(view.id) ?? view, view));
      views = seen;
      isFailing = trouble !== undefined;
      yield moment(rows, notes, trouble && sentence`${trouble.message}`);
      if (bell && host.stderr.isTTY && rows.some(isAlarm)) await host.stderr.write('\u0007');
    }
    yield moment([], [sentence`Watch finished: ${numbersInWords(views)}.`]);
  } catch (error) {
    // Ctrl-C is how a person ends a watch: what was seen by then is its result.
    const isLeft = error === host.interrupted.reason && (error as CliError).code === 'interrupted';
    if (!isLeft) throw error;
    yield moment([], []);
  }
}

/** Reads each exam again; an exam stays as it was if that fails. Throws if all are deleted. */
async function refreshViews(client: Client, before: readonly ExamView[], host: Context['host'], late: number) {
  const again = async ({ id }: ExamView) => {
    const shown = await readRecord(client, 'exam', id, { quiet: true });
    return viewExam(client, selectedExam(shown, client), host, late, true);
  };
  let trouble: CliError | undefined;
  const asBefore = (view: ExamView) => (error: CliError) => {
    trouble ??= error;
    return view;
  };
  const all = await client.pacer.map(before, (view) => orElse(orGone(again(view)), asBefore(view)));
  const seen = all.filter((view) => view !== undefined);
  if (seen.length > 0) return { seen, trouble };
  throw new CliError('not_found', sentence`The watch ends: exam ${before.map(examNamed).join('; ')} was deleted.`);
}

function isFinished({ students, standing }: ExamView): boolean {
  if (students.length === 0) return standing === 'over';
  return students.every(({ outcome }) => ['finished', 'no_show', 'stuck'].includes(outcome));
}
