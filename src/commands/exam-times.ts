/** Exams to another time: `exams shift` for many of them, `exams delay` for the end of one. */
import { type BooleanFlag, defineCommand } from '../command.ts';
import { anyExam, examSelection, selectionOf, someExams } from './exam-selection-flags.ts';

const again = {
  type: 'boolean',
  rare: true,
  description: 'do it once more, although a run has changed them by the same amount within the hour',
} as const satisfies BooleanFlag;

export const shift = defineCommand({
  name: 'exams shift',
  summary: 'Move exams to another day or time, with their students',
  details:
    'Moves start and end, and the open_time and close_time of sessions that have their own. Days and weeks are calendar days in the current time zone: 09:00 stays 09:00 when the clocks change. Hours and minutes are elapsed time. An exam that has started, or with students in the check, is refused. Wherever it is stopped, each student has at least the whole old window or the whole new one; the same command resumes it, and runs undo takes it back.',
  effect: 'write',
  takes: true,
  args: someExams,
  flags: {
    ...examSelection,
    by: {
      type: 'text',
      value: 'amount',
      description: 'how far to move the exams: 7d, 1w, 1d2h, 90m; to an earlier time: -7d',
      check: async (amount) => (await import('../features/times/amount.ts')).parseShift(amount),
    },
    again,
  },
  needs: ['by'],
  anyOf: [...anyExam, 'ids'],
  async run(context, { by, again, ...selection }) {
    const { shiftExams } = await import('../features/times/move-exams.ts');
    return shiftExams(context, { selection: selectionOf(selection), by, again });
  },
  examples: [
    { line: 'proctor-cli exams shift 6 --by 7d --timezone Europe/Vienna --dry-run', description: 'what would move, and to when' },
    { line: 'proctor-cli exams shift 6 --by 1w --timezone Europe/Vienna --yes', description: 'the same time of day, a week later' },
  ],
});

export const delay = defineCommand({
  name: 'exams delay',
  summary: 'Let exams end later, for every student',
  details:
    "Adds the same time to the end of an exam and to each session's own close_time, so that students with extra time keep it. Sessions without one follow the exam; finished sessions are not changed. If it is stopped, the same command resumes it; runs undo takes it back. For a fixed time: exams update ID --end TIME.",
  effect: 'write',
  takes: true,
  args: someExams,
  flags: {
    ...examSelection,
    by: {
      type: 'text',
      value: 'duration',
      description: 'how much later the exams end: 15m, 1h30m',
      check: async (amount) => (await import('../features/times/amount.ts')).parseDelay(amount),
    },
    again,
  },
  needs: ['by'],
  anyOf: [...anyExam, 'ids'],
  async run(context, { by, again, ...selection }) {
    const { delayExams } = await import('../features/times/move-exams.ts');
    return delayExams(context, { selection: selectionOf(selection), by, again });
  },
  examples: [
    { line: 'proctor-cli exams delay 3 --by 15m --dry-run', description: 'what would end later' },
    {
      line: 'proctor-cli exams delay --from now-3h --until now --by 15m --dry-run',
      description: 'what would end later, of all exams that are running',
    },
    { line: 'proctor-cli exams delay 3 --by 15m --yes', description: 'a quarter of an hour more after a fire alarm' },
  ],
});
