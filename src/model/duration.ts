/**
 * Durations as people write them: whole numbers with units, the largest first (`30s`, `1h30m`).
 * A number without a unit is refused: nobody can tell seconds from minutes.
 */
import { InvalidValue } from './invalid-value.ts';

const shape = /^(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+)s)?(?:(\d+)ms)?$/i;
const milliseconds = [3_600_000, 60_000, 1000, 1];

/** Milliseconds of a duration such as `1500ms`, `30s`, `2m` or `1h30m`. Throws `InvalidValue`. */
export function parseDuration(text: string): number {
  const hint = 'Write it as a number with its unit: 1500ms, 30s, 2m or 1h30m.';
  const parts = text === '' ? null : shape.exec(text);
  if (!parts) throw new InvalidValue(`"${text}" is not a duration${/^\d+$/.test(text) ? ': its unit is missing' : ''}.`, hint);
  const total = milliseconds.reduce((sum, unit, index) => sum + Number(parts[index + 1] ?? 0) * unit, 0);
  if (!Number.isSafeInteger(total)) throw new InvalidValue(`The duration "${text}" is too long.`, hint);
  return total;
}
