/** Version 1.x resets restrictions missing from an update (specification 2.1): all four are sent, and checked. */
import { describe, expect, test } from 'vitest';
import { type Exchange, exchange, get, succeeds } from './exchanges.ts';

const path = '/api/v1/exams/42';
const before = { allow_headphones: false, allow_whiteboard: true, allow_leave_room: false, allow_pen_paper: true };
const after = { ...before, allow_headphones: true };
const read = (fields: object): Exchange => get(path, { id: 42, name: 'Algebra', ...fields });
const write = (method: string, body: object, shown: object = body): Exchange => ({
  method,
  path,
  body,
  reply: [200, { id: 42, ...shown }],
});

describe('changing one restriction', () => {
  test.each([
    ['PATCH', []],
    ['PUT', ['--put']],
  ])('reads the exam, sends all four with %s, and reads it again', async (method, more) => {
    const { code, stdout, stderr } = await exchange(
      ['exams', 'update', '42', '--allow-headphones', ...more, '-o', 'json'],
      [read(before), write(method, after), read(after)],
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ id: 42, name: 'Algebra', ...after });
    expect(stderr).toBe('');
  });

  test.each([undefined, null, 'ja', 2])('is refused before any write where one is shown as %j, and a null is not sent', async (value) => {
    const four = [read({ ...before, allow_pen_paper: value })];
    const { code, stdout, stderr } = await exchange('exams update 42 --allow-headphones', four);
    expect([code, stdout]).toEqual([3, '']);
    expect((await exchange('exams update 42 -F allow_headphones=null', [read(before)])).code).toBe(3);
    expect(stderr).toContain('allow_pen_paper');
    expect(stderr).toContain('--[no-]allow-headphones --[no-]allow-whiteboard --[no-]allow-leave-room --[no-]allow-pen-paper');
  });

  test.each([
    [1, 0],
    ['true', 'false'],
    ['1', '0'],
  ])('is sent as true and false where the service shows %j and %j, and read back in its form', async (yes, no) => {
    const shown = { ...before, allow_headphones: no, allow_whiteboard: yes, allow_leave_room: no, allow_pen_paper: yes };
    const all = { allow_headphones: true, allow_whiteboard: true, allow_leave_room: false, allow_pen_paper: true };
    const after = { ...shown, allow_headphones: yes };
    const line = ['exams', 'update', '42', '--allow-headphones'];
    const { code, stderr } = await exchange(line, [read(shown), write('PATCH', all, after), read(after)]);
    expect([code, stderr]).toEqual([0, '']);
  });

  test('all four given need not be shown', async () => {
    const all = { allow_headphones: true, allow_whiteboard: true, allow_leave_room: true, allow_pen_paper: false };
    const line = 'exams update 42 --allow-headphones --allow-whiteboard --allow-leave-room --no-allow-pen-paper';
    await succeeds(line, [read({}), write('PATCH', all), read(all)]);
  });

  test('fails if the exam is not as it was meant to be afterwards', async () => {
    const reset = { ...after, allow_whiteboard: false };
    const exchanges: Exchange[] = [read(before), write('PATCH', after, {}), { ...read(reset), often: true }];
    const { code, stderr } = await exchange('exams update 42 --allow-headphones', exchanges);
    expect([code, stderr]).toEqual([9, expect.stringContaining('allow_whiteboard is false, not true')]);
  });
});
