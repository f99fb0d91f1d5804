import { describe, expect, test } from 'vitest';
import { list, one, paper, show } from './paper.ts';

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
    await expect(failure).rejects.toMatchObject({ code: 'bad_answer', message: 'Row 2 has no ID in the field id.' });
    expect(stdout.writes).toEqual([]);
  });

  test.each(['1\n2', '1\u0000', '1\r', 'x\u202ey', '1\u2028'])('refuses an ID that would read as something else: %j', async (id) => {
    await expect(show(list([{ id }]), 'id')).rejects.toMatchObject({ code: 'bad_answer', message: expect.not.stringContaining(id) });
  });
});
