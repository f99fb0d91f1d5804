import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyRow, dangerous, list, nasty, one, paper, show } from './paper.ts';

describe('markdown', () => {
  test('is a table of the columns', async () => {
    const rows = [
      { id: 1, name: 'Algebra', start_time: '2027-02-01T08:00:00Z', allowed: true },
      { id: 2, name: null, start_time: null, allowed: false },
    ];
    const columns = [
      { key: 'id' },
      { key: 'name' },
      { key: 'start_time', as: 'time' as const },
      { key: 'allowed', as: 'boolean' as const },
    ];
    expect((await show(list(rows, columns), 'markdown')).text).toBe(
      '| ID | Name | Start time | Allowed |\n| --- | --- | --- | --- |\n| 1 | Algebra | 2027-02-01 09:00 +01:00 | yes |\n| 2 |  |  | no |\n',
    );
    expect((await show(list([]), 'markdown')).text).toBe('');
  });

  test('is a table of the fields of one resource', async () => {
    expect((await show(one({ id: 1, name: 'Algebra' }), 'markdown')).text).toBe(
      '| Field | Value |\n| --- | --- |\n| ID | 1 |\n| Name | Algebra |\n',
    );
  });

  test('takes a text for what it is', async () => {
    const { text } = await show(list([{ name: 'a | b\n# <img src=x> [x](y) `c` *d*' }]), 'markdown');
    expect(text.split('\n')[2]).toBe('| a \\| b␊\\# \\<img src=x\\> \\[x\\](y) \\`c\\` \\*d\\* |');
  });

  test.each(Object.entries(nasty))('is safe for a terminal: %s', async (key, value) => {
    expect((await show(one({ [key]: value }), 'markdown')).text).not.toMatch(dangerous);
  });

  test('has a line for each row, whatever the service sent', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyRow, { minLength: 1, maxLength: 4 }), async (rows) => {
        const { text } = await show(list(rows), 'markdown', paper(), { showSecrets: true });
        expect(text).not.toMatch(dangerous);
        expect(text.trimEnd().split('\n')).toHaveLength(rows.length + 2);
      }),
    );
  });
});
