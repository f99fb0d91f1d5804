import { operations } from '../../api/operations.ts';
import { createCommand } from '../shared.ts';
import { columns, fields } from './shared.ts';

export const command = createCommand({
  name: 'exams create',
  summary: 'Create an exam',
  operation: operations.createExam,
  columns,
  fields,
  needs: ['start', 'end'],
  what: 'an exam with this name and start',
  examples: {
    'proctor-cli exams create --name "Linear Algebra" --start "tomorrow 09:00" --end 2h --allow-pen-paper --timezone Europe/Vienna':
      'two hours tomorrow morning, with pen and paper; config set timezone sets the zone once',
  },
});
