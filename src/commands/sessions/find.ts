import { defineCommand } from '../../command.ts';
import { sessionColumns } from './shared.ts';

export const command = defineCommand({
  name: 'sessions find',
  summary: 'Find a student in all exams',
  details:
    "Case, accents and order do not matter, nor do blanks, hyphens and leading zeros of a number (such as a matriculation number). Students of running exams and of today's exams come first. For a single student it prints the commands to help with. START FROM and START BY are the times between which the student may start; in brackets they are the exam's own. If no student is found, the list is empty and the status 0.",
  effect: 'read',
  args: {
    text: { description: 'parts of the address or name, or the whole ID or number', variadic: true },
  },
  columns: sessionColumns,
  async run(context, { text }) {
    const { findSessions } = await import('../../features/monitoring/find.ts');
    return findSessions(context, text.join(' '));
  },
  examples: {
    'proctor-cli sessions find nguyen': 'status, window and exam of each student of this name',
    'proctor-cli sessions find 05007919': 'the same by a matriculation number',
  },
});
