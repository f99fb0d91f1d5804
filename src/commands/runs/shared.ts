/** What was done from here: each command that wrote is a run. */
import { type Column, type Command, type Context, defineCommand, type Result } from '../../command.ts';
import type { Words } from '../shared.ts';

const stepColumns: readonly Column[] = [
  { key: 'line' },
  { key: 'does' },
  { key: 'exam' },
  { key: 'session' },
  { key: 'email' },
  { key: 'result', identifies: true },
  { key: 'reason' },
];

type RunCommand = Words & Pick<Command, 'name' | 'effect' | 'takes' | 'yields'> & { act(context: Context, id: string): Promise<Result> };

/** A command about one run that shows its steps. */
export function runCommand({ act, ...course }: RunCommand) {
  const args = { run: { description: 'ID of the run, from runs list', complete: 'runs' } } as const;
  return defineCommand({ ...course, args, columns: stepColumns, run: (context, { run }) => act(context, run) });
}
