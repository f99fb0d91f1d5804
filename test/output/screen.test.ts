/** A full screen for a live result: drawn calmly, and always restored. */
import { describe, expect, test } from 'vitest';
import type { Screen, ScreenEvents } from '../../src/host/host.ts';
import { Secrets } from '../../src/model/secrets.ts';
import type { Artist, Live, Moment } from '../../src/output/result.ts';
import { showDrawn } from '../../src/output/screen.ts';
import type { View } from '../../src/output/view.ts';
import { type Sentence, sentence } from '../../src/text/sentence.ts';
import { terminal as paper } from './paper.ts';

type Shown = Moment & { lines: string[] };

/** Draws the lines of a moment, and leaves at q. */
const artist: Artist<Shown> = {
  draw: ({ lines }, { columns, rows }) => Array.from({ length: rows }, (_, at) => (lines[at] ?? '').slice(0, columns)),
  key: (key) => key === 'q',
};

type Fake = { written: string[]; released: number; events: ScreenEvents | undefined; size: { columns: number; rows: number } };

function show(moments: AsyncIterable<Shown>, failing = false) {
  const fake: Fake = { written: [], released: 0, events: undefined, size: { columns: 60, rows: 6 } };
  const notes: string[] = [];
  const stdout = paper();
  let stops = 0;
  const screen = (events: ScreenEvents): Screen => {
    fake.events = events;
    return {
      get columns() {
        return fake.size.columns;
      },
      get rows() {
        return fake.size.rows;
      },
      async write(text) {
        if (failing) throw new Error('the terminal is gone');
        fake.written.push(text.replaceAll('\u001b', '␛'));
      },
      release() {
        fake.released += 1;
      },
    };
  };
  const view: View = {
    format: 'table',
    showSecrets: false,
    secrets: new Secrets(),
    timeZone: 'UTC',
    color: false,
    plain: false,
    stdout,
    note: (text) => void notes.push(text),
  };
  const stop = () => {
    stops += 1;
  };
  const live = { kind: 'live', moments, columns: [], drawing: async () => artist, stop } as unknown as Live;
  const done = showDrawn(live, artist as Artist, view, { screen, now: () => 0 });
  return { done, fake, notes, stops: () => stops, left: () => stdout.writes.join('') };
}

/** Moments that come when the test lets them. */
function feed() {
  const waiting: ((result: IteratorResult<Shown>) => void)[] = [];
  const rejecting: ((error: unknown) => void)[] = [];
  const moments: AsyncIterable<Shown> = {
    [Symbol.asyncIterator]: () => ({
      next: () =>
        new Promise((resolve, reject) => {
          waiting.push(resolve);
          rejecting.push(reject);
        }),
    }),
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return {
    moments,
    async give(lines: string[], notes: Sentence[] = []) {
      waiting.at(-1)?.({ done: false, value: { rows: [], notes, lines } });
      await turn();
    },
    async end() {
      waiting.at(-1)?.({ done: true, value: undefined });
      await turn();
    },
    async fail(error: Error) {
      rejecting.at(-1)?.(error);
      await turn();
    },
  };
}

test('a picture is written line by line over the last one, and not again where it is the same; another size is drawn anew', async () => {
  const source = feed();
  const { fake, done } = show(source.moments);
  fake.size = { columns: 6, rows: 2 };
  await source.give(['Optics']);
  await source.give(['Optics', 'The network is gone.']);
  await source.give(['Optics', 'The network is gone.']);
  fake.size = { columns: 3, rows: 1 };
  fake.events?.resize();
  expect(fake.written).toEqual(['␛[1;1H␛[2KOptics␛[2;1H␛[2K', '␛[1;1H␛[2KOptics␛[2;1H␛[2KThe ne', '␛[1;1H␛[2KOpt']);
  fake.events?.key('q');
  await done;
});

describe('the terminal is given back, and the source stopped', () => {
  test('when there is no more, with the last word', async () => {
    const source = feed();
    const { fake, done, notes, stops } = show(source.moments);
    await source.give(['Optics'], [sentence`Watching.`]);
    await source.give(['Optics'], [sentence`That was all.`]);
    await source.end();
    await done;
    expect({ released: fake.released, stops: stops(), notes }).toEqual({ released: 1, stops: 1, notes: ['That was all.'] });
  });

  test('with what it showed last, when it ends with an error, and with nothing more else', async () => {
    for (const failing of [true, false]) {
      const source = feed();
      const { fake, done, left, stops } = show(source.moments);
      const outcome = failing ? expect(done).rejects.toThrow('token refused') : done;
      await source.give(['Optics']);
      if (failing) await source.fail(new Error('token refused'));
      else await source.end();
      await outcome;
      expect({ released: fake.released, stops: stops() }).toEqual({ released: 1, stops: 1 });
      if (failing) expect(left()).toBe('Optics\n');
      else expect(left()).toBe('');
    }
  });

  test('when the terminal fails', async () => {
    const source = feed();
    const { fake, done } = show(source.moments, true);
    const outcome = expect(done).rejects.toThrow('the terminal is gone');
    await source.give(['Optics']);
    await outcome;
    expect(fake.released).toBe(1);
  });
});

test('a result that fails at once never takes the terminal', async () => {
  const source = feed();
  const { fake, done } = show(source.moments);
  const outcome = expect(done).rejects.toThrow('no such exam');
  await source.fail(new Error('no such exam'));
  await outcome;
  expect(fake.events).toBe(undefined);
});
