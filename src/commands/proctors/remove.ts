import { poolCommand } from './shared.ts';

export const command = poolCommand('proctors remove', 'Remove proctors from exams', {
  'proctor-cli proctors remove 3 --exam 1': 'user 3 no longer proctors exam 1',
});
