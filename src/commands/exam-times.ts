/** Exams to another time: `exams shift` for many of them, `exams delay` for the end of one. */
import { defineCommand } from '../command.ts';
import { anyExam, examSelection, selectionOf, someExams } from './exam-selection-flags.ts';

export const shift = defineCommand({
  name: 'exams shift',
  summary: 'Move exams to another day or time, students included',
  details:
    'Moves start, end, and the open_time and close_time that sessions have of their own. Weeks and days are calendar days in the current time zone: 09:00 stays 09:00 even when the clocks change. Hours and minutes are elapsed time. Exams that have started, or whose students are in the check, and finished sessions are not moved. At every moment, even if the command is stopped, each student has at least the whole old window or the whole new one. If it is stopped, the same command resumes it; runs undo takes it back. Once it has ended, the same command shifts the exams once more, but asks before.',
  effect: 'write',
  takes: true,
  args: someExams,
  flags: {
    ...examSelection,
    by: {
      type: 'text',
      value: 'amount',
      required: true,
      description: 'how far to move the exams: 7d, 1w, 1d2h, 90m; to an earlier time: -7d',
      check: async (amount) => (await import('../features/exam-times/amount.ts')).parseShift(amount),
    },
  },
  anyOf: [...anyExam, 'ids'],
  async run(context, { by, ...selection }) {
    const { shiftExams } = await import('../features/exam-times/shift.ts');
    return shiftExams(context, { selection: selectionOf(selection), by });
  },
  examples: [
    { line: 'proctor-cli exams shift 6 --by 7d --timezone Europe/Vienna --dry-run', description: 'what would move, and to when' },
    { line: 'proctor-cli exams shift 6 --by 1w --timezone Europe/Vienna --yes', description: 'the same time of day, a week later' },
  ],
});

export const delay = defineCommand({
  name: 'exams delay',
  summary: 'Extend a running exam for everyone',
  details:
    'Adds the same elapsed time to the end of an exam and to each close_time that a session has of its own, so that accommodations are kept. Sessions without one follow the exam; finished sessions are not changed. The start is not changed. If it is stopped, or refused for some students, the same command does only what is left; runs undo takes it back. With --to, it can be run any number of times. With --by, the command names each exam that was delayed from here before, and asks; with --yes, it refuses if that was less than an hour ago.',
  effect: 'write',
  takes: true,
  args: someExams,
  flags: {
    ...examSelection,
    by: {
      type: 'text',
      value: 'duration',
      description: 'how much later the exams end: 15m, 1h30m',
      check: async (amount) => (await import('../features/exam-times/amount.ts')).parseDelay(amount),
    },
    to: { type: 'time', clock: 'today', description: 'new end of the exams, instead of --by: 11:15, or a time with its date' },
  },
  anyOf: [...anyExam, 'ids'],
  oneOf: ['by', 'to'],
  async run(context, { by, to, ...selection }) {
    const { delayExams } = await import('../features/exam-times/delay.ts');
    return delayExams(context, { selection: selectionOf(selection), by, to });
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
