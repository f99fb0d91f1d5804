/** How many steps of the latest run are in doubt, as the program itself shows it after it was killed. */
import type { Ended } from './machine.ts';

/** Undefined where there is no run. */
export async function doubtful(run: (words: readonly string[]) => Promise<Ended>): Promise<number | undefined> {
  const listed = await run(['runs', 'list', '-o', 'json']);
  if (listed.code !== 0) return undefined;
  const [latest] = JSON.parse(listed.stdout) as Record<string, unknown>[];
  const id = latest?.run ?? latest?.id;
  if (id === undefined) return undefined;
  const shown = await run(['runs', 'show', String(id), '-o', 'json']);
  return shown.code === 0 ? countOf(JSON.parse(shown.stdout)) : undefined;
}

/** The objects, however deep, whose state or result is that of a request without an answer. */
function countOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + countOf(one), 0);
  if (typeof value !== 'object' || value === null) return 0;
  const { state, result } = value as Record<string, unknown>;
  const mine = [state, result].some((word) => word === 'sending' || word === 'unknown') ? 1 : 0;
  return Object.values(value).reduce<number>((sum, one) => sum + countOf(one), mine);
}
