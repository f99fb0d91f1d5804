import { poolCommand } from './shared.ts';

export const command = poolCommand('proctors add', 'Add proctors to exams', {
  'proctor-cli proctors add 4 5 --exam 2': 'let users 4 and 5 proctor exam 2',
  'proctor-cli proctors add joao.pereira@staff.example.org --exam 6 --institute 1': 'the same by address',
});
