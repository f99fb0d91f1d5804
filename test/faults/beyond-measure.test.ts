/** Answers that are too deep, too large, too slow or no text: never a fault of ours, and after a write never "again". */
import { describe, expect, test } from 'vitest';
import { homeWith } from '../features/doctor/examined.ts';
import { attempt, failureOf } from './outcome.ts';
import { answer, bytes, drip, faultServer, type Reaction } from './server.ts';

const deep = (levels: number, inside = '') => '{"a":'.repeat(levels) + (inside || '1') + '}'.repeat(levels);
const create = 'sessions create --exam 1 --email a@example.org -o json';

const unreadable: [string, Reaction][] = [
  ['5,000 levels deep', answer(201, `{"id":7,"extra":${deep(5000)}}`)],
  ['5,000 levels of lists deep', answer(201, `{"id":7,"extra":${'['.repeat(5000)}${']'.repeat(5000)}}`)],
  ['100,000 levels deep with a long number, which takes another way', answer(201, `{"id":12345678901234567890,"extra":${deep(100_000)}}`)],
  ['larger than what is read', answer(201, { id: 7, extra: 'x'.repeat(2000) })],
  ['no UTF-8', bytes('{"id":7,"name":"M\xfcller"}')],
];

describe('an answer that cannot be read', () => {
  test.each(unreadable)('to a write makes its outcome unknown, and the hint names the read: %s', async (_what, reaction) => {
    const server = await faultServer([reaction]);
    const home = await homeWith(['dialect.largestObject', '1kB']);
    const raised = _what.startsWith('larger') ? { home } : {};
    const outcome = await attempt(create, server.origin, raised);
    expect(outcome).toMatchObject({ code: 10, stdout: '' });
    const { message, hint } = failureOf(outcome);
    expect(message).toMatch(/It was most likely carried out\.$/);
    expect(hint).toBe('Before you run the command again, check with: proctor-cli sessions list --exam 1');
    // Reading the exam sends no write.
    expect(server.received.filter(({ method }) => method !== 'GET')).toHaveLength(1);
  });

  test.each(unreadable)('to a read is a bad answer: %s', async (what, reaction) => {
    const world = what.startsWith('larger') ? { home: await homeWith(['dialect.largestObject', '1kB']) } : {};
    for (const line of ['sessions get 7 -o json', 'api GET /student_sessions/7 -o json']) {
      const server = await faultServer([reaction]);
      const outcome = await attempt(line, server.origin, world);
      expect(outcome).toMatchObject({ code: 8, stdout: '' });
      expect(failureOf(outcome)).toMatchObject({ code: 'bad_answer', message: expect.not.stringContaining('proctor-cli:') });
    }
  });

  test('names the setting of the limit that it is beyond', async () => {
    const server = await faultServer([answer(200, { id: 7, extra: 'x'.repeat(2000) })]);
    const outcome = await attempt('sessions get 7 -o json', server.origin, { home: await homeWith(['dialect.largestObject', '1kB']) });
    expect(failureOf(outcome).hint).toContain('config set dialect.largestObject SIZE');
  });

  test('is read to the limit and no further', async () => {
    const server = await faultServer([answer(200, deep(100, '{"id":1}').replace('{"a"', '{"id":7,"a"'))]);
    expect(await attempt('sessions get 7 -o json', server.origin)).toMatchObject({ code: 8 });
    const within = answer(200, `{"id":7,"a":${deep(99)}}`);
    const shown = await Promise.all(
      ['json', 'yaml', 'csv', 'table'].map(async (format) => {
        const server = await faultServer([within]);
        return (await attempt(`sessions get 7 -o ${format}`, server.origin)).code;
      }),
    );
    expect(shown).toEqual([0, 0, 0, 0]);
  });

  test('as the words of a failure does not hide what the failure means', async () => {
    for (const body of [deep(5000), 'x'.repeat(1 << 20)]) {
      const server = await faultServer([answer(422, body)]);
      expect((await attempt(create, server.origin)).code).toBe(7);
    }
  });
});

describe('a list of which one part is beyond its limit', () => {
  const limits = () => homeWith(['dialect.largestHead', '1kB'], ['dialect.largestItem', '2kB']);
  const long = 'x'.repeat(20_000);

  test.each<[string, unknown, string]>([
    ['what stands before it', { note: long, exams: [{ id: 1 }] }, 'largestHead'],
    ['what stands behind it', { exams: [{ id: 1 }], note: long }, 'largestHead'],
    ['an item', [{ id: 1 }, { id: 2, note: long }], 'largestItem'],
    ['an item in a wrapper', { exams: [{ id: 1, note: long }] }, 'largestItem'],
  ])('fails and names the setting: %s', async (_what, body, key) => {
    const server = await faultServer([answer(200, body)]);
    const outcome = await attempt('exams list -o json', server.origin, { home: await limits() });
    expect([outcome.code, outcome.stdout.length]).toEqual([8, 0]);
    expect(failureOf(outcome).hint).toContain(`dialect.${key}`);
  });

  test('an item nested too deeply fails as one', async () => {
    for (const body of [`[{"id":1,"a":${deep(5000)}}]`, `{"exams":[{"id":1,"a":${deep(5000)}}]}`, `{"meta":${deep(5000)},"exams":[]}`]) {
      const server = await faultServer([answer(200, body)]);
      const outcome = await attempt('exams list -o json', server.origin);
      expect(outcome).toMatchObject({ code: 8, stdout: '' });
      expect(failureOf(outcome).message).toContain('nested more than 100 levels deep');
    }
  });
});

describe('the time limit', () => {
  const byByte = (body: string) => drip(200, [...body], 20);

  test('is one for the whole of an object, however its bytes drip', async () => {
    const dripping = byByte(JSON.stringify({ id: 7, name: 'x'.repeat(400) }));
    const server = await faultServer([dripping, dripping, dripping]);
    const outcome = await attempt('sessions get 7 -o json --timeout 500ms', server.origin);
    expect(outcome).toMatchObject({ code: 8, stdout: '' });
    expect(failureOf(outcome)).toMatchObject({ code: 'timeout', message: expect.stringContaining('no whole answer within 0.5 s') });
  });

  test('of a list begins anew with each item', async () => {
    const items = Array.from({ length: 8 }, (_, index) => `${index === 0 ? '[' : ','}{"id":${index}}`);
    const slow = drip(
      200,
      [...items, ',', ']'].map((piece, at) => (at === 8 ? ',{"id":8}' : piece)),
      200,
    );
    const server = await faultServer([slow]);
    expect(await attempt('exams list -o id --timeout 1500ms', server.origin)).toMatchObject({ code: 0 });
  });

  test('of a list ends it where bytes come and no items', async () => {
    const dripping = byByte(`[{"id":1,"note":"${'x'.repeat(400)}"}]`);
    const server = await faultServer([dripping, dripping, dripping]);
    expect(failureOf(await attempt('exams list -o json --timeout 500ms', server.origin)).code).toBe('timeout');
  });
});

describe('numbers', () => {
  const numbers = ['1e400', '-1e400', '1e-400', '12345678901234567.25', '0.1234567890123456789', '12345678901234567890', '1.5', '0.1'];

  test.each(['json', 'ndjson', 'yaml', 'csv'])('keep every digit as %s', async (format) => {
    const body = `[${numbers.map((number, id) => `{"id":${id},"extra":${number}}`).join(',')}]`;
    const server = await faultServer([answer(200, body)]);
    const { code, stdout } = await attempt(`exams list -o ${format} --columns extra`, server.origin);
    expect(code).toBe(0);
    for (const number of numbers) expect(stdout.split(/[\s,"{}[\]]+|extra|:/)).toContain(number);
  });

  test('keep every digit on their way to the service', async () => {
    for (const number of numbers) {
      const server = await faultServer([answer(200, { id: 1 })]);
      await attempt(['exams', 'update', '1', '-F', `weight=${number}`], server.origin);
      expect(server.received[0]?.body).toBe(`{"weight":${number}}`);
      const filed = await faultServer([answer(200, { id: 1 })]);
      await attempt(['exams', 'update', '1', '--body', '-'], filed.origin, { stdin: `{"weight":${number}}` });
      expect(filed.received[0]?.body).toBe(`{"weight":${number}}`);
    }
  });
});

test('a fault of ours after a write does not advise to write again', async () => {
  const server = await faultServer([answer(201, { id: 7 })]);
  // An environment that breaks the printing, as a bug would.
  const outcome = await attempt(create, server.origin, { breakStdout: new TypeError('x is not a function') });
  expect(outcome.code).toBe(10);
  expect(failureOf(outcome)).toMatchObject({
    code: 'outcome_unknown',
    message: expect.stringContaining('The request to add the student to exam 1 had already been sent.'),
    hint: expect.stringContaining('sessions list --exam 1'),
  });
  const read = await faultServer([answer(200, { id: 7 })]);
  expect((await attempt('sessions get 7 -o json', read.origin, { breakStdout: new TypeError('x is not a function') })).code).toBe(1);
});
