/**
 * Each kind of command of the built program, killed at each of its requests and commits, once before and once after: then the same
 * command again, and the printed ones, lead to its end.
 */
import { drawKind, namesOf } from '../intents/index.ts';
import type { Kinds } from '../intents/intent.ts';
import { ofProcesses } from './places.ts';
import { builtHere, type Injury } from './process-machine.ts';
import { type Told, tell } from './story.ts';

type Point = Pick<Injury, 'point' | 'when'>;
const points: readonly Point[] = [
  { point: 'arrival' },
  { point: 'answer' },
  { point: 'commit', when: 'before' },
  { point: 'commit', when: 'after' },
];

/** One after the other for a point, as nobody knows how many there are; several points at once. `tells` is called with each story. */
export async function killEach(seed: number, workers: number, kinds: Kinds, tells: (told: Told) => void): Promise<void> {
  const all = namesOf[kinds].flatMap((name) => points.map((point) => ({ name, ...point })));
  const worker = async () => {
    for (let next = all.shift(); next; next = all.shift()) {
      const { name, ...point } = next;
      for (let at = 1; ; at += 1) {
        const place = ofProcesses(seed, {}, builtHere, { ...point, at });
        const told = await tell(`${name}, ${[point.when, point.point, at].filter(Boolean).join(' ')}`, seed, place, kinds, (draw) =>
          drawKind(name, draw),
        );
        if (told.kills === 0) break;
        tells(told);
      }
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
}
