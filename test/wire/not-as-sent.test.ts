/** Successes that are none, or not the whole: what was sent against what the service shows. */
import { describe, expect, test } from 'vitest';
import { type Exchange, exchange } from './exchanges.ts';

const api = '/api/v1';
const close = '2027-02-01T10:00:00Z';
const later = '2027-02-01T11:00:00Z';
const args = (line: string) => line.split(' ');
const now = '2027-01-01T00:00:00Z';

describe('A create', () => {
  const create = (line: string, sent: object, shown: object, more: Exchange[] = []) =>
    exchange(
      args(line),
      [{ method: 'POST', path: `${api}/exams/42/student_sessions`, body: sent, reply: [201, shown] } as Exchange, ...more],
      { now },
    );
  const line = `sessions create --exam 42 --email Ada@example.org --name Ada --close-time ${close} -F seat=12`;
  const sent = { email: 'Ada@example.org', name: 'Ada', close_time: close, seat: 12 };

  test.each([
    ['the same instant in another spelling', { close_time: '2027-02-01T11:00:00+01:00' }],
    ['the address in lower case', { email: 'ada@example.org' }],
    ['a number as text', { seat: '12' }],
    ['fields of its own', { room: 'A', status: 'registered' }],
    ['nothing but the ID', { email: undefined, name: undefined, close_time: undefined, seat: undefined }],
  ])('that comes back with %s is done.', async (_, shown) => {
    const { code, stdout, stderr } = await create(`${line} -o id`, sent, { ...sent, id: 7, ...shown });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '7\n', stderr: '' });
  });

  test.each([
    ['a rounded time', { close_time: '2027-02-01T09:00:00Z' }, 'close_time is 2027-02-01 09:00 +00:00, not 2027-02-01 10:00 +00:00'],
    ['another name', { name: 'Ida' }, 'name is "Ida", not "Ada"'],
    ['no name', { name: null }, 'name is null, not "Ada"'],
    ['another value of a field of its own', { seat: 13 }, 'seat is 13, not 12'],
  ])('that comes back with %s is partly done: the resource and its ID are printed.', async (_, shown, difference) => {
    const whole = { ...sent, id: 7, ...shown };
    const one = await create(`${line} -o id`, sent, whole);
    expect({ code: one.code, stdout: one.stdout }).toEqual({ code: 9, stdout: '7\n' });
    expect(one.stderr).toBe(
      `error: Student session 7 was created, but differs from what was sent: ${difference}.\nhint: Do not create it again. To change it: proctor-cli sessions update 7\n`,
    );
    const json = await create(`${line} -o json`, sent, whole);
    expect(JSON.parse(json.stdout)).toEqual(whole);
    expect(JSON.parse(json.stderr).error).toMatchObject({ code: 'partly_done', exit: 9 });
  });

  test('of an exam that comes back altered is named as an exam.', async () => {
    const body = { start_time: close, end_time: later };
    const reply: [number, unknown] = [201, { ...body, id: 'a b', end_time: '2027-02-01T12:00:00Z' }];
    const { code, stdout, stderr } = await exchange(
      args(`exams create --start ${close} --end ${later} -o id`),
      [{ method: 'POST', path: `${api}/exams`, body, reply }],
      { now },
    );
    expect({ code, stdout }).toEqual({ code: 9, stdout: 'a b\n' });
    expect(stderr).toContain('Exam a b was created, but differs from what was sent: end_time is');
    expect(stderr).toContain("proctor-cli exams update 'a b'");
  });

  test('of a clone that comes back altered gets its proctors all the same.', async () => {
    const source = { id: 1, start_time: close, end_time: later };
    const body = { end_time: '2027-03-01T11:00:00Z', start_time: '2027-03-01T10:00:00Z' };
    const { code, stdout } = await exchange(
      args('exams clone 1 --start 2027-03-01T10:00:00Z -o id'),
      [
        { method: 'GET', path: `${api}/exams/1`, reply: [200, source] },
        { method: 'GET', path: `${api}/exams/1/proctor_pool`, reply: [200, [{ id: 4 }]] },
        { method: 'GET', path: `${api}/exams`, reply: [200, [source]] },
        { method: 'POST', path: `${api}/exams`, body, reply: [201, { ...body, id: 2, end_time: later }] },
        { method: 'POST', path: `${api}/exams/2/proctor_pool`, body: { proctors: [4] }, reply: [200, [{ id: 4 }]] },
        { method: 'GET', path: `${api}/exams/2`, reply: [200, { ...body, id: 2, end_time: later }] },
        { method: 'GET', path: `${api}/exams/2/proctor_pool`, reply: [200, [{ id: 4 }]] },
      ],
      { now },
    );
    expect({ code, stdout }).toEqual({ code: 9, stdout: '2\n' });
  });
});

describe('An update', () => {
  const update = (
    reply: unknown,
    look: Exchange['reply'],
    line = `sessions update 7 --close-time ${close}`,
    body: object = { close_time: close },
  ) =>
    exchange(args(line), [
      { method: 'PATCH', path: `${api}/student_sessions/7`, body, bare: true, reply: [200, reply] },
      ...(look ? [{ method: 'GET', path: `${api}/student_sessions/7`, reply: look }] : []),
    ]);

  test('whose answer shows the values sent is done, without a read.', async () => {
    expect((await update({ id: 7, close_time: close }, undefined)).code).toBe(0);
  });

  test.each([
    ['{"success":false}', { success: false }],
    ['neither ID nor fields', {}],
    ['another time', { id: 7, close_time: later }],
    ['the ID alone', { id: 7 }],
    ['{"code":403}', { code: 403 }],
    ['{"data":{"ok":false}}', { data: { ok: false } }],
  ])('answered with %s is looked up: not applied, if that shows another value.', async (_, reply) => {
    const { code, stdout, stderr } = await update(reply, [200, { id: 7, close_time: later }]);
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' });
    expect(stderr).toBe(
      `error: The service accepted the request for student session 7 (200), but did not carry it out: close_time is 2027-02-01 11:00 +00:00, not 2027-02-01 10:00 +00:00.\nhint: Check it before you retry: proctor-cli sessions get 7\n`,
    );
  });

  test.each([
    ['{"success":false}', { success: false }],
    ['neither ID nor fields', {}],
    ['another time', { id: 7, close_time: later }],
  ])('answered with %s is looked up: done, if that shows what was sent, which is printed.', async (_, reply) => {
    const { code, stdout } = await update(reply, [200, { id: 7, close_time: close }], `sessions update 7 --close-time ${close} -o json`);
    expect({ code, row: JSON.parse(stdout) }).toEqual({ code: 0, row: { id: 7, close_time: close } });
  });

  test('of a field that the specification does not name is compared as well.', async () => {
    const { code, stderr } = await update({ id: 7, exam_id: 3 }, [200, { id: 7, exam_id: 3 }], 'sessions update 7 -F exam_id=4', {
      exam_id: 4,
    });
    expect(code).toBe(7);
    expect(stderr).toContain('exam_id is 3, not 4');
  });

  test('of a field that the service never shows is done, and a note says so.', async () => {
    const { code, stderr } = await update({ id: 7 }, [200, { id: 7 }], 'sessions update 7 -F pin_hint=x', { pin_hint: 'x' });
    expect(code).toBe(0);
    expect(stderr).toBe('The service does not show pin_hint of student session 7, so it is unknown whether the update changed that.\n');
  });

  test.each([{ success: false }, { ok: false, id: 7 }, { error: { message: 'locked' } }])(
    'of a field that the service never shows is not applied, if the answer says no: %j.',
    async (reply) => {
      const { code } = await update(reply, [200, { id: 7 }], 'sessions update 7 -F pin_hint=x', { pin_hint: 'x' });
      expect(code).toBe(7);
    },
  );

  test.each([
    { id: 7, deleted: false, sent: false, accepted: false },
    { id: 7, status: 'rejected', error: null },
    { student: { id: 7, state: 'invalid', code: 401 } },
    { success: true, errors: [] },
    { ok: true, errors: {}, error: '' },
  ])('of a field that the service never shows is done, if the answer %j only sounds like a no.', async (reply) => {
    const { code, stderr } = await update(reply, [200, { id: 7 }], 'sessions update 7 -F pin_hint=x', { pin_hint: 'x' });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('it is unknown whether the update changed that') });
  });

  test.each([{}, { message: 'Nothing was changed.' }, { ok: 'perhaps' }, { success: true, errors: ['pin_hint: ignored'] }])(
    'of a field that the service never shows is unknown, if the answer %j is not the resource.',
    async (reply) => {
      const { code, stderr } = await update(reply, [200, { id: 7 }], 'sessions update 7 -F pin_hint=x', { pin_hint: 'x' });
      expect(code).toBe(10);
      expect(stderr).toContain('neither its answer nor student session 7 shows pin_hint.');
    },
  );

  test('is not applied with the reason that the service gives.', async () => {
    const reply = { success: false, message: 'The exam is locked.' };
    const { stderr } = await update(reply, [200, { id: 7 }], 'sessions update 7 -F pin_hint=x', { pin_hint: 'x' });
    expect(stderr).toContain('but did not carry it out: The exam is locked.\n');
  });

  test.each([
    [{ success: false }, 10],
    [{ id: 7, close_time: later }, 7],
  ])('answered with %j that cannot be looked up ends with the truth that is left: %i.', async (reply, status) => {
    const { code, stderr } = await update(reply, [403, { message: 'no' }]);
    expect(code).toBe(status);
    expect(stderr).toContain('proctor-cli sessions get 7');
  });
});

describe('A deletion', () => {
  const remove = (reply: Exchange['reply'], look: Exchange['reply']) =>
    exchange(args('sessions delete 7 --yes -o json'), [
      { method: 'DELETE', path: `${api}/student_sessions/7`, ...(reply ? { reply } : {}) },
      ...(look ? [{ method: 'GET', path: `${api}/student_sessions/7`, reply: look }] : []),
    ]);

  test('answered without a body is done, without a read.', async () => {
    expect((await remove([204], undefined)).code).toBe(0);
  });

  test.each([
    [{ id: 7, status: 'registered' }],
    [{ success: false }],
    [{ error: 'the exam is running' }],
    [{ status: 'failed' }],
    [{ id: 7, deleted: false }],
    [false],
    [[{ success: false }]],
    [{ data: { success: false } }],
    [{ deleted: 0 }],
    [{}],
    [{ message: 'Deleted.' }],
    ['no'],
  ])('answered with %j is looked up: not applied while the session is there, done once it is not.', async (body) => {
    const there = await remove([200, body], [200, { id: 7, status: 'registered' }]);
    expect(there.code).toBe(7);
    expect(JSON.parse(there.stderr).error.message).toContain('student session 7 (200), but did not carry it out: it still exists');
    expect(await remove([200, body], [404])).toMatchObject({ code: 0, stdout: expect.stringContaining('"deleted"') });
    expect((await remove([200, body], [403])).code).toBe(10);
  });
});

describe('A write that no read of one resource can settle', () => {
  test.each([
    ['exams send-emails 42 --yes', 'POST', '/exams/42/send_emails', undefined, 'sessions list --exam 42'],
    ['proctors add 4 --exam 42', 'POST', '/exams/42/proctor_pool', { proctors: [4] }, 'proctors list --exam 42'],
    ['proctors remove 4 --exam 42', 'DELETE', '/exams/42/proctor_pool', { proctors: [4] }, 'proctors list --exam 42'],
  ])('goes by the word of the service: %s.', async (line, method, path, body, look) => {
    const one = { method, path: api + path, ...(body ? { body } : {}) };
    for (const no of [{ success: false }, { success: 0 }, { ok: 'false', message: 'locked' }, { error: 'locked' }]) {
      const refused = await exchange(args(line), [{ ...one, reply: [200, no] }]);
      expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 7, stdout: '' });
      expect(refused.stderr).toContain('but its answer says that it was not carried out');
      expect(refused.stderr).toContain(`proctor-cli ${look}`);
    }
    expect((await exchange(args(line), [{ ...one, reply: [200, { success: true }] }])).code).toBe(0);
  });

  test.each([
    [{ error: null }],
    [{ errors: [] }],
    [{ errors: {}, error: '' }],
    [{ error_count: 0 }],
    [{ success: 'no', sent: false, code: 403 }],
    [{ sent: 0, failed: 0 }],
    [{ result: 'ok', warnings: ['one mailbox is full'] }],
    [{ message: 'No changes' }],
    [{ status: 'queued' }],
    ['no mails were waiting'],
  ])('is done, if the answer %j only sounds like a no.', async (reply) => {
    const sent = await exchange(args('exams send-emails 42 --yes'), [
      { method: 'POST', path: `${api}/exams/42/send_emails`, reply: [200, reply] },
    ]);
    expect(sent.code).toBe(0);
  });

  test.each([[{ errors: ['x@example.org: no mailbox'] }], [{ success: true, error: 'x@example.org: no mailbox' }]])(
    'is unknown, and not undone, if the answer %j says both yes and no.',
    async (reply) => {
      const sent = await exchange(args('exams send-emails 42 --yes'), [
        { method: 'POST', path: `${api}/exams/42/send_emails`, reply: [200, reply] },
      ]);
      expect({ code: sent.code, stderr: sent.stderr }).toEqual({
        code: 10,
        stderr: expect.stringContaining('(200), but its answer says that not all of it was carried out: x@example.org: no mailbox'),
      });
      expect(sent.stderr).toContain('proctor-cli sessions list --exam 42');
    },
  );

  test.each([
    ['add', 'POST', [{ id: 9, user: { id: 4 } }], [{ id: 5 }], 'the pool does not show 4'],
    ['remove', 'DELETE', [{ id: 5 }], [{ email: 'x@example.org', id: 4 }], 'the pool still shows 4'],
  ])('is looked up in the pool where the answer is not the pool: proctors %s.', async (verb, method, done, other, said) => {
    const changed = (reply: unknown, ...look: [Exchange['reply']] | []) =>
      exchange(args(`proctors ${verb} 4 --exam 42`), [
        { method, path: `${api}/exams/42/proctor_pool`, body: { proctors: [4] }, reply: [200, reply] },
        ...look.map((reply) => ({ method: 'GET', path: `${api}/exams/42/proctor_pool`, reply }) as Exchange),
      ]);
    expect((await changed(done)).code).toBe(0);
    for (const reply of [{}, { message: 'Thank you.' }, { success: true, errors: ['4 has another role'] }, other]) {
      expect((await changed(reply, [200, done])).code).toBe(0);
      const left = await changed(reply, [200, other]);
      expect({ code: left.code, stdout: left.stdout }).toEqual({ code: 7, stdout: '' });
      expect(left.stderr).toContain(said);
      expect((await changed(reply, [403, {}])).code).toBe(10);
    }
  });
});

describe('A create that is answered with a no', () => {
  const create = (reply: Exchange['reply'], list: unknown) =>
    exchange(args('students add --exam 42 --email ada@example.org'), [
      { method: 'POST', path: `${api}/exams/42/add_student`, body: { email: 'ada@example.org' }, reply } as Exchange,
      { method: 'GET', path: `${api}/exams/42/student_sessions`, reply: [200, list] },
    ]);

  test.each([[200], [201]])('(%i) is looked up: not applied while the list does not show the student.', async (status) => {
    const { code, stderr } = await create([status, { success: false, message: 'The exam is full.' }], []);
    expect(code).toBe(7);
    expect(stderr).toContain(
      `The service accepted the request to add the student to exam 42 (${status}), but its answer says that it was not carried out: The exam is full. The list of exam 42 does not show ada@example.org.`,
    );
  });

  test('is unknown if the list shows a student with this address.', async () => {
    const { code, stderr } = await create([200, { error: 'no' }], [{ id: 5, email: 'Ada@example.org' }]);
    expect(code).toBe(10);
    expect(stderr).toContain('The list of exam 42 shows 1 session with ada@example.org.');
  });
});
