/** What was done from here: each command that wrote is a run, recorded on this machine or for a team. */
import { type Context, defineCommand } from '../command.ts';
import { CliError } from '../errors.ts';
import { runColumns, stepColumns } from '../features/run-rows.ts';
import { count } from '../model/count.ts';
import { parseAge } from '../model/duration.ts';
import { InvalidValue } from '../model/invalid-value.ts';
import { showTime, writtenAs } from '../model/time.ts';
import { sentence } from '../text/sentence.ts';
import { wholeNumber } from './whole-number.ts';

const run = { description: 'ID of the run, from runs list', complete: 'runs' } as const;

const list = defineCommand({
  name: 'runs list',
  summary: 'List what was done from here, latest first',
  details:
    "A run is one command that changed the service, from this machine or, with a team's database, from any of the team's. It is open while the outcome of one of its steps is unknown or a step is not sent yet; otherwise it is finished.",
  effect: 'local',
  flags: {
    open: { type: 'boolean', description: 'only runs that are open' },
    since: {
      type: 'text',
      value: 'time',
      description: 'only runs of which something was recorded since this time, or in this span until now: 30d, 2h',
    },
    user: {
      type: 'text',
      value: 'who',
      description: 'only runs that USER, USER@MACHINE or the CI job with this address began or took over',
    },
    exam: { type: 'text', value: 'id', description: 'only runs with a step about this exam' },
  },
  columns: runColumns,
  async run(context, { open, since, user, exam }) {
    for (const [flag, text] of Object.entries({ '--user': user, '--exam': exam }))
      if (text?.trim() === '') throw new InvalidValue(sentence`${flag} is empty.`, sentence`Give a value, or leave out ${flag}.`);
    const filter = { since: since === undefined ? undefined : await momentOf(since, context), user, exam };
    const [{ isMeant, summaryOf }, { runRow }] = await Promise.all([import('../runs-before/index.ts'), import('../features/run-rows.ts')]);
    const state = await context.state();
    const rows = [];
    const runs = await state.runs();
    const undone = new Set(runs.flatMap((each) => (each.state === 'open' ? [] : (each.undoOf ?? []))));
    for (const each of runs)
      if ((!open || each.state === 'open') && (await isMeant(state, each, filter)))
        rows.push(runRow(await summaryOf(state, each), undone.has(each.id)));
    return { kind: 'list', rows, columns: runColumns, id: 'run' };
  },
  examples: [
    { line: 'proctor-cli runs list', description: 'who changed what, when, and which runs are open' },
    { line: 'proctor-cli runs list --open -o json', description: 'the open runs for a script' },
    { line: 'proctor-cli runs list --since 7d --user ada', description: 'what a colleague did this week' },
  ],
});

const show = defineCommand({
  name: 'runs show',
  summary: 'Show the steps of a run, each with its state',
  details: 'Also says when another process took the run over, and whose process that was.',
  effect: 'local',
  args: { run },
  columns: stepColumns,
  async run(context, { run: id }) {
    const [{ runNamed, shownSteps, summaryOf, takingsOf }, { runRow, shownStepRow }] = await Promise.all([
      import('../runs-before/index.ts'),
      import('../features/run-rows.ts'),
    ]);
    const known = await runNamed(context, id);
    const state = await context.state();
    const { next } = runRow(await summaryOf(state, known));
    context.say(
      sentence`Run ${known.id}: ${known.command}, ${count(known.steps, 'step')}, ${known.state}.${typeof next === 'string' ? ` Next: ${next}` : ''}`,
    );
    for (const { at, who } of await takingsOf(state, known))
      context.say(sentence`Taken over by ${who} at ${showTime(new Date(at).toISOString(), context.zone())}.`);
    return { kind: 'list', rows: (await shownSteps(state, known)).map(shownStepRow), columns: stepColumns, id: 'session' };
  },
  examples: [{ line: 'proctor-cli runs show 20261121T104057-2e8521', description: 'each step, its line in the file, and its state' }],
});

const resume = defineCommand({
  name: 'runs resume',
  summary: 'Finish a run that was stopped',
  details:
    'Looks up the steps whose outcome is unknown, sends the steps that were not sent, and verifies the result. No request that was carried out is sent again. Repeating the original command does the same; an import can only be resumed that way, because it needs its file.',
  effect: 'write',
  takes: true,
  args: { run },
  flags: {
    resendAbsent: {
      rare: true,
      type: 'boolean',
      description: 'send steps again that were sent without an answer and that two reads do not show',
    },
  },
  columns: stepColumns,
  async run(context, { run: id, resendAbsent }) {
    const { resumeRun } = await import('../features/run-commands.ts');
    return resumeRun(context, id, resendAbsent === true);
  },
  examples: [{ line: 'proctor-cli runs resume 20261121T104057-2e8521 --yes', description: 'finish it without a question' }],
});

const undo = defineCommand({
  name: 'runs undo',
  summary: 'Take back what a run did',
  details:
    'Restores times and fields that the service still shows as the run set them, and deletes the students and exams that the run created, as long as none of them has started. Changes made since, deletions and mails are kept and named, and the status is then 9, also when the command is run again.',
  effect: 'destroy',
  takes: true,
  args: { run },
  columns: stepColumns,
  async run(context, { run: id }) {
    const { undoRun } = await import('../features/run-commands.ts');
    return undoRun(context, id);
  },
  examples: [{ line: 'proctor-cli runs undo 20261121T104057-2e8521 --dry-run', description: 'the requests that would take it back' }],
});

const settle = defineCommand({
  name: 'runs settle',
  summary: 'Settle by hand the steps that no reading can settle',
  details:
    'Looks up what can be looked up, and lists the open steps with the sessions that they may have created. On a terminal it asks about each step. In a script, --line names the line of the file, --created the session that it created, and --absent says that it created none. A session is read before it is accepted.',
  effect: 'local',
  args: { run },
  flags: {
    line: { type: 'text', value: 'n', description: 'line of the file' },
    created: { type: 'text', value: 'id', description: 'the line created this session' },
    absent: { type: 'boolean', description: 'the line created none' },
  },
  columns: [{ key: 'line' }, { key: 'exam' }, { key: 'email' }, { key: 'state', identifies: true }, { key: 'candidates', as: 'list' }],
  async run(context, { run: id, line, created, absent = false }) {
    if (line === undefined ? created !== undefined || absent : (created === undefined) !== absent) {
      throw new CliError('usage', 'Give --line with either --created and the ID of the session, or --absent.', {
        hint: 'See: proctor-cli runs settle --help',
      });
    }
    const { settleRun } = await import('../features/run-commands.ts');
    return settleRun(
      context,
      id,
      line === undefined ? undefined : { line: wholeNumber('--line', line, 1, Number.MAX_SAFE_INTEGER), created },
    );
  },
  examples: [{ line: 'proctor-cli runs settle 20261121T104057-2e8521 --line 3 --created 41', description: 'line 3 created session 41' }],
});

const forget = defineCommand({
  name: 'runs forget',
  summary: 'Erase what the runs have recorded of a student or an exam',
  details:
    'Erased records are removed from the database file itself; undo, resume and settle no longer know them. Steps of open runs whose outcome is unknown are looked up first. If one stays unknown, the records are kept until you settle it with runs settle.',
  effect: 'destroy',
  flags: {
    student: { type: 'text', value: 'address', description: 'the student with this address' },
    exam: { type: 'text', value: 'id', description: 'everything about this exam' },
  },
  oneOf: ['student', 'exam'],
  columns: [{ key: 'runs' }, { key: 'steps' }],
  async run(context, { student, exam }) {
    const what = student ?? `exam ${exam ?? ''}`;
    return context.act({
      steps: student === undefined ? { exam: exam ?? '' } : { student },
      async show() {
        const { place } = await context.state();
        context.say(sentence`All records of ${what} in ${place} would be erased.`);
        return { kind: 'nothing' };
      },
      async perform(forgotten) {
        const state = await context.state();
        await context.confirm(() => sentence`Erase all records of ${what} in ${state.place}?`);
        const { settleAbout, worldOf } = await import('../runs-before/index.ts');
        await settleAbout(state, forgotten, () => worldOf(context));
        const row = await state.forget(forgotten);
        return { kind: 'one', row, columns: [{ key: 'runs' }, { key: 'steps' }], id: null };
      },
    });
  },
  examples: [{ line: 'proctor-cli runs forget --student ada@example.org --yes', description: 'when a student asks for erasure' }],
});

export const runs = [list, show, resume, undo, settle, forget];

const past = 'Write it as YYYY-MM-DDTHH:MM with its offset (+01:00, or Z for UTC), or how long ago it was: 2h, 30d.';

async function momentOf(text: string, { host, time }: Pick<Context, 'host' | 'time'>): Promise<number> {
  const now = host.now();
  const isSpan = /^(\d+ ?([a-z]|$)|$)/i.test(text.trim());
  const moment = isSpan ? now - parseAge(text) : await time(text, { day: 'start' }).catch(inPast);
  if (moment <= now) return moment;
  throw new InvalidValue(sentence`"${text}" is still to come.`, past);
}

/** The same error, without the advice to count from now on. */
function inPast(error: unknown): never {
  throw error instanceof InvalidValue && error.hint === writtenAs ? new InvalidValue(error.message, past) : error;
}
