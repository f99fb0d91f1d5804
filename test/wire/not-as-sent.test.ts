/** Successes that are none, or not the whole: what was sent against what the service shows. */
import { describe, expect, test } from 'vitest';
import { created, type Exchange, exchange, get, patch, post } from './exchanges.ts';

const close = '2027-02-01T10:00:00Z';
const later = '2027-02-01T11:00:00Z';
const now = '2027-01-01T00:00:00Z';

describe('A create', () => {
  /** `own`: what it shows itself, where the list shows other values than were sent. */
  const create = (line: string, sent: object, answered: object, read = answered, own?: object) => {
    const exchanges = created(post('/exams/42/student_sessions', sent, answered), read);
    return exchange(line, own ? [...exchanges, get('/student_sessions/7', own)] : exchanges, { now });
  };
  const line = `sessions create --exam 42 --email Ada@example.org --name Ada --close-time ${close} -F seat=12`;
  const sent = { email: 'Ada@example.org', name: 'Ada', close_time: close, seat: 12 };

  test.each([
    ['the same instant in another spelling', { close_time: '2027-02-01T11:00:00+01:00' }],
    ['the address in lower case', { email: 'ada@example.org' }],
    ['a number as text', { seat: '12' }],
    ['fields of its own', { room: 'A', status: 'registered' }],
  ])('that is shown with %s is done.', async (_, other) => {
    const { code, stdout, stderr } = await create(`${line} -o id`, sent, { ...sent, id: 7, ...other });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '7\n', stderr: '' });
  });

  test('that is shown with nothing but the ID and the times is done, and what is not shown is named.', async () => {
    const bare = { ...sent, id: 7, email: undefined, name: undefined, seat: undefined };
    const { code, stdout, stderr } = await create(`${line} -o id`, sent, bare);
    expect([code, stdout, stderr]).toEqual([0, '7\n', expect.stringMatching(/does not show email, name, seat of student session 7/)]);
  });

  test.each([
    ['a rounded time', { close_time: '2027-02-01T09:00:00Z' }, 'close_time is 2027-02-01 09:00 +00:00, not 2027-02-01 10:00 +00:00'],
    ['another name', { name: 'Ida' }, 'name is "Ida", not "Ada"'],
    ['no name', { name: null }, 'name is empty, not "Ada"'],
    ['another value of a field of its own', { seat: 13 }, 'seat is 13, not 12'],
  ])('that is shown with %s is partly done: the resource and its ID are printed.', async (_, other, difference) => {
    const whole = { ...sent, id: 7, ...other };
    const one = await create(`${line} -o id`, sent, { ...sent, id: 7 }, whole, whole);
    expect({ code: one.code, stdout: one.stdout }).toEqual({ code: 9, stdout: '7\n' });
    expect(one.stderr).toBe(
      `error: Student session 7 was created, but differs from what was sent: ${difference}.\nhint: Do not create it again. Look at it: proctor-cli sessions get 7\n`,
    );
    const json = await create(`${line} -o json`, sent, { ...sent, id: 7 }, whole, whole);
    expect(JSON.parse(json.stdout)).toEqual(whole);
    expect(JSON.parse(json.stderr).error).toMatchObject({ code: 'partly_done', exit: 9 });
  });

  test.each([
    ['a name that is cut', { name: 'A' }],
    ['a rounded time', { close_time: '2027-02-01T09:00:00Z' }],
  ])('that its list alone shows with %s is done.', async (_, other) => {
    const whole = { ...sent, id: 7 };
    expect(await create(`${line} -o id`, sent, whole, { ...whole, ...other }, whole)).toMatchObject({ code: 0, stdout: '7\n', stderr: '' });
  });

  test('of an exam that is shown altered is named as an exam.', async () => {
    const body = { start_time: close, end_time: later };
    const altered = { ...body, id: 'a b', end_time: '2027-02-01T12:00:00Z' };
    const exchanges = [get('/exams', []), post('/exams', body, altered), get('/exams', [altered]), get('/exams/a%20b', altered)];
    const { code, stdout, stderr } = await exchange(`exams create --start ${close} --end ${later} -o id`, exchanges, { now });
    expect([code, stdout]).toEqual([9, 'a b\n']);
    expect(stderr).toContain('Exam a b was created, but differs from what was sent: end_time is');
    expect(stderr).toContain("proctor-cli exams get 'a b'");
  });

  test('of a clone that comes back altered gets its proctors all the same.', async () => {
    const source = { id: 1, start_time: close, end_time: later };
    const body = { end_time: '2027-03-01T11:00:00Z', start_time: '2027-03-01T10:00:00Z' };
    const altered = { ...body, id: 2, end_time: later };
    const proctors = [{ id: 4 }];
    const exchanges = [
      ...[get('/exams/1', source), get('/exams/1/proctor_pool', proctors), get('/exams', [source]), post('/exams', body, altered)],
      ...[
        get('/exams', [source, altered]),
        get('/exams/2', altered),
        get('/exams/2/proctor_pool', []),
        post('/exams/2/proctor_pool', { proctors: [4] }, proctors, 200),
        get('/exams/2/proctor_pool', proctors),
      ],
    ];
    const { code, stdout } = await exchange('exams clone 1 --start 2027-03-01T10:00:00Z -o id', exchanges, { now });
    expect([code, stdout]).toEqual([9, '2\n']);
  });
});

describe('An update', () => {
  const path = '/student_sessions/7';
  const hint = 'sessions update 7 -F pin_hint=x';
  /** `reads`: the answers to the reads after it. */
  const update = (
    reply: unknown,
    reads: object[],
    line = `sessions update 7 --close-time ${close}`,
    body: object = { close_time: close },
  ) =>
    exchange(line, [
      ...('close_time' in body ? Array(2).fill(get(path, { id: 7, exam_id: 3, close_time: later })) : [get(path, { id: 7, exam_id: 3 })]),
      { ...patch(path, body, reply), bare: true } as const,
      ...reads.map((shown): Exchange => ({ ...get(path, shown), ...(reads.length === 1 ? { often: true } : {}) })),
    ]);

  test.each([
    ['neither ID nor fields', {}],
    ['what was sent', { id: 7, close_time: close }],
    ['another time', { id: 7, close_time: later }],
    ['the ID alone', { id: 7 }],
    ['{"code":403}', { code: 403 }],
  ])('counts as done only if a read shows it, whatever its answer says: %s', async (_, reply) => {
    const other = await update(reply, [{ id: 7, close_time: later }]);
    expect({ code: other.code, stdout: other.stdout }).toEqual({ code: 7, stdout: '' });
    expect(other.stderr).toContain(
      'error: The service accepted the request, but shows otherwise: close_time is 2027-02-01 11:00 +00:00, not 2027-02-01 10:00 +00:00.\nhint: Check it before you retry: proctor-cli sessions get 7\n',
    );
    const done = await update(reply, [{ id: 7, close_time: close }], `sessions update 7 --close-time ${close} -o json`);
    expect({ code: done.code, rows: JSON.parse(done.stdout) }).toMatchObject({ code: 0, rows: [{ session: 7, result: 'updated' }] });
  });

  test('of a field that the specification does not name is compared as well.', async () => {
    const line = 'sessions update 7 -F exam_id=4';
    const { code, stderr } = await update({ id: 7, exam_id: 3 }, [{ id: 7, exam_id: 3 }], line, { exam_id: 4 });
    expect(code).toBe(7);
    expect(stderr).toContain('exam_id is 3, not 4');
  });

  test.each([
    { id: 7 },
    {},
    { message: 'Nothing was changed.' },
    { ok: 'perhaps' },
    { id: 7, deleted: false, sent: false, accepted: false },
    { id: 7, status: 'rejected', error: null },
    { student: { id: 7, state: 'invalid', code: 401 } },
    { success: true, errors: [] },
    { ok: true, errors: {}, error: '' },
  ])('of a field that the service never shows is done, and a note says so: %j.', async (reply) => {
    const { code, stderr } = await update(reply, [{ id: 7 }], hint, { pin_hint: 'x' });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'The service does not show pin_hint of student session 7, so it is unknown whether that is as it was sent.\n',
    });
  });

  test.each([
    { success: false, message: 'The exam is locked.' },
    { ok: false, id: 7, message: 'The exam is locked.' },
    { error: { message: 'The exam is locked.' } },
  ])('of a field that the service never shows is not applied, if the answer says no: %j.', async (reply) => {
    const { code, stderr } = await update(reply, [{ id: 7 }], hint, { pin_hint: 'x' });
    expect(code).toBe(7);
    expect(stderr).toMatch(/was not carried out: (error\.message: )?The exam is locked\./);
  });
});
