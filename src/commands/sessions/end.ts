import { defineCommand } from '../../command.ts';
import { endExamRefused } from '../../features/crud/typed-path.ts';
import { oneSession } from './shared.ts';

export const command = defineCommand({
  name: 'sessions end',
  summary: "End a student's exam (the service removed this operation)",
  effect: 'write',
  args: oneSession,
  async run() {
    throw endExamRefused();
  },
  examples: {},
});
