import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Row } from '../../src/command.ts';
import { ClosedPipe } from '../../src/host/host.ts';
import { anyRow, dangerous, list, one, paper, sessionColumns, show, terminal } from './paper.ts';

/** A value after a JSON round trip: -0 becomes 0, nothing else changes. */
const throughJson = (value: unknown) => JSON.parse(JSON.stringify(value));

describe.each(['json', 'ndjson'] as const)('%s', (format) => {
  test('is exactly what the service sent, for every value, in a pipe and on a terminal', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyRow, { maxLength: 5 }), fc.boolean(), async (rows, tty) => {
        const { text } = await show(list(rows), format, tty ? terminal() : paper(), { showSecrets: true });
        const shown = format === 'json' ? JSON.parse(text) : text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
        expect(shown).toEqual(throughJson(rows));
        expect(text).not.toMatch(dangerous);
      }),
    );
  });
});

describe('json', () => {
  test('is an array for a list and an object for one resource, compact in a pipe', async () => {
    expect((await show(list([{ id: 1 }, { id: 2, x: [null] }]), 'json')).text).toBe('[{"id":1},{"id":2,"x":[null]}]\n');
    expect((await show(one({ id: 1, unknown: { deep: true } }, sessionColumns), 'json')).text).toBe('{"id":1,"unknown":{"deep":true}}\n');
  });

  test('is indented on a terminal', async () => {
    const rows = [{ id: 1, tags: ['a', 'b\nc'] }, { id: 2 }];
    expect((await show(list(rows), 'json', terminal())).text).toBe(`${JSON.stringify(rows, null, 2)}\n`);
    expect((await show(one(rows[0] as Row), 'json', terminal())).text).toBe(`${JSON.stringify(rows[0], null, 2)}\n`);
  });
});

describe('ndjson', () => {
  test('is one line for one resource and none for an empty list', async () => {
    expect((await show(one({ id: 7n, name: 'x' }), 'ndjson', terminal())).text).toBe('{"id":7,"name":"x"}\n');
    expect((await show(list([]), 'ndjson')).text).toBe('');
  });

  test('shows a row before the next one comes from a slow source', async () => {
    let seen = (_text: string) => {};
    const stdout = paper({ write: async (text) => seen(text) });
    async function* slow() {
      for (const id of [1, 2, 3]) {
        const arrived = new Promise<string>((resolve) => {
          seen = resolve;
        });
        yield { id };
        expect(await arrived).toBe(`{"id":${id}}\n`);
      }
    }
    await show(list(slow()), 'ndjson', stdout);
  });

  test.each(['\u007f', '\u009b', '\u202e'])('escapes a hidden character at any place of a long text: %j', async (hidden) => {
    const escaped = `\\u${hidden.charCodeAt(0).toString(16).padStart(4, '0')}`;
    for (const length of [0, 1000, 65_500, 65_536, 200_000]) {
      const { text } = await show(list([{ name: `${'a'.repeat(length)}${hidden}b` }]), 'ndjson');
      expect(text.slice(-20)).toContain(`${escaped}b`);
      expect(text).not.toContain(hidden);
    }
  });

  test('takes few writes for many rows, of whole lines', async () => {
    const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, name: 'Ann' }));
    const { writes, text } = await show(list(rows), 'ndjson');
    expect(text.split('\n').length).toBe(20_001);
    expect(writes.length).toBeLessThan(50);
    expect(Math.max(...writes.map((write) => write.length))).toBeLessThan(70_000);
    expect(writes.every((write) => write.endsWith('\n'))).toBe(true);
  });

  test('waits for a slow reader before it asks the source for more', async () => {
    let given = 0;
    function* source() {
      for (; given < 50_000; given++) yield { id: given, name: 'x'.repeat(100) };
    }
    let reading = false;
    const stdout = paper({
      async write() {
        reading = true;
        const before = given;
        await new Promise(setImmediate);
        expect(given).toBe(before);
        reading = false;
      },
    });
    await show(list(source()), 'ndjson', stdout);
    expect([given, reading]).toEqual([50_000, false]);
  });

  test('closes its source when the reader has gone, and says so', async () => {
    let closed = false;
    async function* endless() {
      try {
        for (let id = 0; ; id++) yield { id, name: 'x'.repeat(1000) };
      } finally {
        closed = true;
      }
    }
    const stdout = paper({ write: () => Promise.reject(new ClosedPipe()) });
    await expect(show(list(endless()), 'ndjson', stdout)).rejects.toThrow(ClosedPipe);
    expect(closed).toBe(true);
  });
});

describe('id', () => {
  test('is one ID a line, every digit of it', async () => {
    expect((await show(list([{ id: 1 }, { id: 'a-b' }, { id: 2n ** 63n }]), 'id')).text).toBe('1\na-b\n9223372036854775808\n');
    expect((await show(one({ id: 0 }), 'id')).text).toBe('0\n');
    expect((await show(list([]), 'id')).text).toBe('');
  });

  test('is not what --columns names', async () => {
    expect((await show(list([{ id: 'x', email: 'a@example.org' }]), 'id', paper(), { columns: 'email' })).text).toBe('x\n');
  });

  test('is the value that stands alone where there is one', async () => {
    expect((await show(one({ token: 'abc' }, [], 'token'), 'id', paper(), { showSecrets: true })).text).toBe('abc\n');
  });

  test.each([undefined, null, '', {}, [1], true])('names the row that has no ID: %j', async (id) => {
    const stdout = paper();
    const failure = show(list([{ id: 1 }, { id }]), 'id', stdout);
    await expect(failure).rejects.toMatchObject({ code: 'bad_answer', message: 'Row 2 has no ID of one line in the field id.' });
    expect(stdout.writes).toEqual([]);
  });

  test.each(['1\n2', '1\u0000', '1\r', 'x\u202ey', '1\u2028'])('refuses an ID that would read as something else: %j', async (id) => {
    await expect(show(list([{ id }]), 'id')).rejects.toMatchObject({ code: 'bad_answer', message: expect.not.stringContaining(id) });
  });
});
