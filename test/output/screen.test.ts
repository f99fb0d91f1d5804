/** A full screen for a live result: drawn calmly, and always restored. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ScreenEvents } from '../../src/host/host.ts';
import { showDrawn } from '../../src/output/canvas.ts';
import { formatRules } from '../../src/output/formats.ts';
import type { Artist, Live, Snapshot, View } from '../../src/output/result.ts';
import { sentence } from '../../src/text/sentence.ts';
import { terminal as paper, usual } from './paper.ts';

type Shown = Snapshot & { lines: string[] };

/** Draws the lines of a moment, and leaves at q. */
const artist: Artist<Shown> = {
  draw: ({ lines }, { columns, rows }) => Array.from({ length: rows }, (_, at) => (lines[at] ?? '').slice(0, columns)),
  key: (key) => key === 'q',
};

/** What became of the terminal and of the source while these moments came, each drawn before the next one. */
async function shown(moments: (screen: { columns: number; rows: number; events?: ScreenEvents }) => Generator<Shown>, isGone = false) {
  const [written, notes]: [string[], string[]] = [[], []];
  let [released, stops] = [0, 0];
  const fake: Parameters<typeof moments>[0] = { columns: 60, rows: 2 };
  const stdout = paper();
  const screen = (events: ScreenEvents) =>
    Object.assign(fake, {
      events,
      async write(text: string) {
        if (isGone) throw new Error('the terminal is gone');
        written.push(text.replaceAll('\u001b', '␛'));
      },
      release: () => (released += 1),
    });
  async function* source() {
    for (const moment of moments(fake)) {
      yield moment;
      await turn();
    }
  }
  const common = { format: formatRules.table, showSecrets: false, timeZone: 'UTC', color: false, plain: false } as const;
  const view: View = { ...usual, ...common, masked: (text) => text, stdout, note: (text) => void notes.push(text) };
  const live = { kind: 'live', moments: source(), columns: [], drawing: async () => artist, stop: () => (stops += 1) } as unknown as Live;
  const failure = await showDrawn(live, view, { screen: async (events) => screen(events), now: () => 0 }).catch(
    (error: Error) => error.message,
  );
  return { failure, written, released, stops, notes, left: stdout.writes.join('') };
}

const moment = (lines: string[], note?: string): Shown => ({ rows: [], lines, notes: note === undefined ? [] : [sentence`${note}`] });

test('a picture is written line by line over the last one, and not again where it is the same; another size is drawn anew', async () => {
  const { written, failure } = await shown(function* (screen) {
    screen.columns = 6;
    yield moment(['Optics']);
    yield moment(['Optics', 'The network is gone.']);
    yield moment(['Optics', 'The network is gone.']);
    Object.assign(screen, { columns: 3, rows: 1 }).events?.resize();
    yield moment(['Optics']);
    screen.events?.key('q');
  });
  expect(failure).toBe(undefined);
  expect(written).toEqual(['␛[1;1H␛[2KOptics␛[2;1H␛[2K', '␛[1;1H␛[2KOptics␛[2;1H␛[2KThe ne', '␛[1;1H␛[2KOpt']);
});

test.each([
  ['when there is no more, with the last word', { notes: ['That was all.'] }, undefined, false],
  ['with what it showed last, when it ends with an error', { failure: 'token refused', left: 'Optics\n' }, 'token refused', false],
  ['when the terminal fails', { failure: 'the terminal is gone', left: 'Optics\n' }, undefined, true],
] as const)('the terminal is given back, and the source stopped, %s', async (_when, ending, error, isGone) => {
  const { written, ...outcome } = await shown(function* () {
    yield moment(['Optics'], 'Watching.');
    yield moment(['Optics'], 'That was all.');
    if (error !== undefined) throw new Error(error);
  }, isGone);
  expect(outcome).toEqual({ failure: undefined, left: '', notes: [], ...ending, released: 1, stops: 1 });
  expect(written.length).toBe(isGone ? 0 : 1);
});

test('a result that fails at once never takes the terminal', async () => {
  // biome-ignore lint/correctness/useYield: nothing comes before the failure.
  const outcome = await shown(function* () {
    throw new Error('no such exam');
  });
  expect(outcome).toMatchObject({ failure: 'no such exam', released: 0, left: '' });
});
