/** What people read of runs and of their steps. */
import type { Column } from '../../command.ts';

export const runColumns: readonly Column[] = [
  { key: 'run' },
  { key: 'when', as: 'time' },
  { key: 'command' },
  { key: 'exam' },
  { key: 'state' },
  { key: 'done', detail: true },
  { key: 'failed', detail: true },
  { key: 'who', detail: true },
];

export const stepColumns: readonly Column[] = [
  { key: 'line' },
  { key: 'does' },
  { key: 'exam' },
  { key: 'session' },
  { key: 'email' },
  { key: 'result', identifies: true },
  { key: 'reason' },
];
