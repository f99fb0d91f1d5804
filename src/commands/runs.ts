/** What was done from here: each command that wrote is a run. */
import { type Column, type Command, type Context, defineCommand, type Result } from '../command.ts';
import { InvalidValue } from '../model/invalid-value.ts';
import { sentence } from '../text/sentence.ts';
import type { Words } from './courses.ts';

const runColumns: readonly Column[] = [
  { key: 'run' },
  { key: 'when', as: 'time' },
  { key: 'command' },
  { key: 'exam' },
  { key: 'state' },
  { key: 'done', detail: true },
  { key: 'failed', detail: true },
  { key: 'who', detail: true },
];

const stepColumns: readonly Column[] = [
  { key: 'line' },
  { key: 'does' },
  { key: 'exam' },
  { key: 'session' },
  { key: 'email' },
  { key: 'result', identifies: true },
  { key: 'reason' },
];

type OfRun = Words & Pick<Command, 'name' | 'effect' | 'takes'> & { act(context: Context, id: string): Promise<Result> };

/** A command about one run that shows its steps. */
function ofRun({ act, ...course }: OfRun) {
  const args = { run: { description: 'ID of the run, from runs list', complete: 'runs' } } as const;
  return defineCommand({ ...course, args, columns: stepColumns, run: (context, { run }) => act(context, run) });
}

const list = defineCommand({
  name: 'runs list',
  summary: 'List what was done from here, latest first',
  details:
    "A run is one command that changed the service, from this machine or, with a team's database, from any machine of the team. It is open while the outcome of a step is unknown, or a step is still to be sent; partial when it has ended and something was not done; undone when another run took it back; otherwise finished (N done). In commands, words such as ADDRESS stand for values that may be personal. From 100 columns on it shows who it was; else: --columns when,who,command. A run belongs to the service at which it was made: only there is it resumed, undone or closed.",
  effect: 'local',
  flags: {
    open: { type: 'boolean', description: 'only runs that are open' },
    since: {
      type: 'time',
      day: 'start',
      description: 'only runs with something recorded since this time or day, such as yesterday',
    },
    exam: {
      type: 'text',
      value: 'id',
      description: 'only runs with a step about this exam',
    },
    allServices: { type: 'boolean', description: 'runs at all services, each with its service' },
  },
  columns: runColumns,
  async run(context, { open = false, since, exam, allServices = false }) {
    if (exam?.trim() === '') throw new InvalidValue('--exam is empty.', 'Give a value, or leave out --exam.');
    const { listRuns } = await import('../features/runs/recorded-runs.ts');
    return listRuns(context, allServices, { since, exam, states: open ? ['open'] : undefined });
  },
  examples: {
    'proctor-cli runs list --since yesterday --timezone Europe/Vienna': 'what was done yesterday and today, latest first',
    'proctor-cli runs list --open -o json': 'the open runs for a script',
    'proctor-cli runs list --all-services': 'also those of other profiles, each with its service',
  },
});

const show = ofRun({
  name: 'runs show',
  summary: 'Show the steps of a run, each with its state',
  details: 'As JSON, it is one object: the run as in runs list, numbers by state, and the steps.',
  effect: 'local',
  act: async (...of) => (await import('../features/runs/recorded-runs.ts')).showRun(...of),
  examples: { 'proctor-cli runs show 20261121T104057-2e8521': 'each step and its state' },
});

const resume = ofRun({
  name: 'runs resume',
  summary: 'Finish a run that was stopped, or try again what it did not do',
  details:
    'Looks up the requests whose outcome is unknown. Then a deletion, a move, a clone or a change of times goes on: what was not sent is sent. Any other run is ended, and the command for the rest is printed. If the run has ended, what failed is tried again, unless it may have been carried out. An import is resumed by its own command, because it needs its file.',
  effect: 'write',
  takes: true,
  act: async (...of) => (await import('../features/runs/resume.ts')).resumeNamed(...of),
  examples: {
    'proctor-cli runs resume 20261121T104057-2e8521 --yes': 'finish it without a question',
  },
});

const undo = ofRun({
  name: 'runs undo',
  summary: 'Take back what a run did',
  details:
    'Restores times and fields that the service still shows as the run set them, puts back students whom it moved, and deletes students and exams that the run created, as long as they show all that it saw of them last and nobody has begun. An open run is ended first. What was changed since, and what cannot be taken back (deletions, mails), stays and is named: the status is 9, or 11 if nothing else was left to do.',
  effect: 'destroy',
  takes: true,
  act: async (...of) => (await import('../features/runs/undo.ts')).undoNamed(...of),
  examples: {
    'proctor-cli runs undo 20261121T104057-2e8521 --yes': 'take it back',
    'proctor-cli runs undo 20261121T104057-2e8521 --dry-run': 'the requests that would take it back',
  },
});

const close = ofRun({
  name: 'runs close',
  summary: 'Check once more what was done, then mark a run as ended',
  details:
    'Nothing is sent. What stays unknown is printed, and no command waits for it any more: check it first, because the same student can then be created again.',
  effect: 'local',
  act: async (...of) => (await import('../features/runs/resume.ts')).closeNamed(...of),
  examples: { 'proctor-cli runs close 20261121T104057-2e8521': 'once you have looked yourself' },
});

const forget = defineCommand({
  name: 'runs forget',
  summary: 'Erase what the runs have recorded of a student or an exam',
  details:
    'Erases from the bytes of the database, too; in that of a team, only the owner of its tables can. Undo and resume no longer know what is erased. Nothing is erased while a run about it is unfinished.',
  effect: 'destroy',
  flags: {
    student: {
      type: 'text',
      value: 'address',
      description: 'the student with this address',
    },
    exam: {
      type: 'text',
      value: 'id',
      description: 'everything about this exam, at the service in force',
    },
  },
  oneOf: ['student', 'exam'],
  columns: [{ key: 'runs' }, { key: 'records' }],
  async run(context, { student, exam }) {
    const what = student ?? `exam ${exam ?? ''}`;
    if (context.globals.dryRun) {
      context.say(sentence`All records of ${what} would be erased.`);
      return { kind: 'nothing' };
    }
    await context.confirm(() => sentence`Erase all records of ${what}?`);
    const { forget: erase } = await import('../features/runs/recorded-runs.ts');
    return erase(context, student === undefined ? { exam: exam ?? '' } : { student });
  },
  examples: {
    'proctor-cli runs forget --student ada@example.org --yes': 'when a student asks for erasure',
  },
});

export const commands = [list, show, resume, undo, close, forget];
