import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { anyRow, dangerous, failing, list, nasty, one, paper, show } from './paper.ts';

const read = (text: string, version: '1.1' | '1.2' = '1.2') => parse(text, { intAsBigInt: false, version, maxAliasCount: 0 });

describe('yaml', () => {
  test('is a sequence for a list and a mapping for one resource', async () => {
    expect((await show(list([{ id: 1, tags: ['a'] }, { id: 2 }]), 'yaml')).text).toBe('- id: 1\n  tags:\n    - a\n- id: 2\n');
    expect((await show(one({ id: 1, x: null }), 'yaml')).text).toBe('id: 1\nx: null\n');
    expect((await show(list([]), 'yaml')).text).toBe('[]\n');
  });

  test('keeps every digit', async () => {
    expect((await show(one({ id: 2n ** 63n }), 'yaml')).text).toBe('id: 9223372036854775808\n');
  });

  test('means the same to readers of YAML 1.1: Norway is no boolean', async () => {
    const row = { country: 'NO', answer: 'yes', time: '12:30:00', date: '2026-11-21', octal: '0777', null: '~' };
    expect(read((await show(one(row), 'yaml')).text, '1.1')).toEqual(row);
  });

  test.each(Object.entries(nasty))('is exact and safe for a terminal: %s', async (key, value) => {
    const row = { [key]: value, [value]: key };
    const { text } = await show(one(row), 'yaml');
    expect(text).not.toMatch(dangerous);
    expect(text.isWellFormed()).toBe(true);
    expect(read(text)).toEqual(row);
  });

  test('is what the service sent, whatever it sent', async () => {
    const ofPlainKeys = anyRow.filter((row) => !JSON.stringify(row).includes('__proto__'));
    await fc.assert(
      fc.asyncProperty(fc.array(ofPlainKeys, { maxLength: 4 }), async (rows) => {
        const { text } = await show(list(rows), 'yaml', paper(), { showSecrets: true });
        expect(read(text)).toEqual(rows);
        expect(text).not.toMatch(dangerous);
      }),
    );
  });

  test('writes nothing when the list fails partway', async () => {
    const stdout = paper();
    await expect(show(list(failing([{ id: 1 }])), 'yaml', stdout)).rejects.toThrow('the service hung up');
    expect(stdout.writes).toEqual([]);
  });
});
