/** Answers that are too deep, too large, too slow or no text: never a fault of ours, and after a write never "again". */
import { describe, expect, test } from 'vitest';
import { held } from '../runs/held-service.ts';
import { attempt, failureOf } from './outcome.ts';
import { answer, bytes, drip, faultServer, type Reaction } from './server.ts';

const deep = (levels: number, inside = '') => '{"a":'.repeat(levels) + (inside || '1') + '}'.repeat(levels);
const create = 'sessions create --exam 1 --email a@example.org -o json';

const unreadable: [string, Reaction][] = [
  ['5,000 levels deep', answer(201, `{"id":7,"extra":${deep(5000)}}`)],
  ['5,000 levels of lists deep', answer(201, `{"id":7,"extra":${'['.repeat(5000)}${']'.repeat(5000)}}`)],
  ['100,000 levels deep with a long number, which takes another way', answer(201, `{"id":12345678901234567890,"extra":${deep(100_000)}}`)],
  ['no UTF-8', bytes('{"id":7,"name":"M\xfcller"}')],
];

describe('an answer that cannot be read', () => {
  test.each(unreadable)('to a write is settled by looking: %s', async (_what, reaction) => {
    const service = await held();
    service.faults = [{ obeyed: false, answers: reaction }];
    const outcome = await service.run(create);
    expect(outcome).toMatchObject({ code: 10, stdout: '' });
    expect(failureOf(outcome).message).not.toContain('proctor-cli:');
    expect(service.writes()).toHaveLength(1);
    const there = await held();
    there.faults = [{ answers: reaction }];
    expect(await there.run(create)).toMatchObject({ code: 0 });
  });

  test.each(unreadable)('to a read is a bad answer: %s', async (_what, reaction) => {
    for (const line of ['sessions get 7 -o json', 'api GET /student_sessions/7 -o json']) {
      const server = await faultServer([reaction]);
      const outcome = await attempt(line, server.origin);
      expect(outcome).toMatchObject({ code: 8, stdout: '' });
      expect(failureOf(outcome)).toMatchObject({ code: 'bad_answer', message: expect.not.stringContaining('proctor-cli:') });
    }
  });

  test('is read to the limit and no further', async () => {
    const server = await faultServer([answer(200, deep(100, '{"id":1}').replace('{"a"', '{"id":7,"a"'))]);
    expect(await attempt('sessions get 7 -o json', server.origin)).toMatchObject({ code: 8 });
    const within = answer(200, `{"id":7,"a":${deep(99)}}`);
    const shown = await Promise.all(
      ['json', 'csv', 'table'].map(async (format) => {
        const server = await faultServer([within]);
        return (await attempt(`sessions get 7 -o ${format}`, server.origin)).code;
      }),
    );
    expect(shown).toEqual([0, 0, 0]);
  });

  test('as the words of a failure does not hide what the failure means', async () => {
    for (const body of [deep(5000), 'x'.repeat(1 << 20)]) {
      const service = await held();
      service.faults = [{ obeyed: false, answers: answer(422, body) }];
      expect((await service.run(create)).code).toBe(7);
    }
  });
});

const megabytes = 64;
/** A body of more than 64 MB, in chunks. */
const huge =
  (begin: string, each: (chunk: number) => string, end: string): Reaction =>
  (socket) => {
    const chunks = Array.from({ length: megabytes + 1 }, (_, chunk) => each(chunk));
    socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n');
    for (const piece of [begin, ...chunks, end]) socket.write(`${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`);
    socket.write('0\r\n\r\n');
  };
const filler = 'x'.repeat(1_000_000);

describe('an answer of more than 64 MB', () => {
  const item = (chunk: number) => `${chunk === 0 ? '' : ','}{"id":${chunk},"note":"${filler}"}`;
  const many = huge('[', item, ']');

  test('is read item by item if it is an array, and not as a whole', async () => {
    const server = await faultServer([many]);
    const { code, stdout } = await attempt('exams list -o ndjson --columns id', server.origin);
    expect([code, stdout.trim().split('\n').length]).toEqual([0, megabytes + 1]);
  });

  test.each<[string, string, Reaction, string]>([
    ['an array in an object', 'exams list -o json', huge('{"exams":[', item, ']}'), 'more than 64 MB that is not an array'],
    ['an object', 'sessions get 7 -o json', huge('{"id":7', (chunk) => `,"note${chunk}":"${filler}"`, '}'), 'more than 64 MB'],
    ['one item', 'exams list -o json', huge('[{"id":1', (chunk) => `,"note${chunk}":"${filler}"`, '}]'), 'an item of more than 16 MB'],
    ['an array that is cut short', 'exams list -o json', huge('[', item, ''), 'cut short or broken'],
    ['an array with something behind it', 'exams list -o json', huge('[', item, '] x'), 'cut short or broken'],
  ])('is refused if it is %s', async (_what, line, reaction, words) => {
    const server = await faultServer([reaction]);
    const outcome = await attempt(line, server.origin);
    expect(outcome).toMatchObject({ code: 8, stdout: '' });
    expect(failureOf(outcome).message).toContain(words);
  });
});

describe('a list with an item that is too deep', () => {
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

  test.each(['json', 'ndjson', 'csv'])('keep every digit as %s', async (format) => {
    const body = `[${numbers.map((number, id) => `{"id":${id},"extra":${number}}`).join(',')}]`;
    const server = await faultServer([answer(200, body)]);
    const { code, stdout } = await attempt(`exams list -o ${format} --columns extra`, server.origin);
    expect(code).toBe(0);
    for (const number of numbers) expect(stdout.split(/[\s,"{}[\]]+|extra|:/)).toContain(number);
  });

  test('keep every digit on their way to the service', async () => {
    for (const number of numbers) {
      for (const [more, stdin] of [
        [['-F', `weight=${number}`], ''],
        [['--body', '-'], `{"weight":${number}}`],
      ] as const) {
        const service = await held();
        await service.run(['exams', 'update', '1', ...more], { stdin });
        expect(service.received.find(({ method }) => method === 'PATCH')?.body).toBe(`{"weight":${number}}`);
      }
    }
  });
});

test('a fault of ours after a write does not advise to write again', async () => {
  const service = await held();
  // An environment that breaks the printing, as a bug would.
  const outcome = await service.run(create, { breakStdout: new TypeError('x is not a function') });
  expect(outcome.code).toBe(10);
  expect(failureOf(outcome)).toMatchObject({
    code: 'outcome_unknown',
    message: expect.stringContaining('The request to add the student to exam 1 had already been sent.'),
    hint: expect.stringContaining('sessions list --exam 1'),
  });
  const read = await faultServer([answer(200, { id: 7 })]);
  expect((await attempt('sessions get 7 -o json', read.origin, { breakStdout: new TypeError('x is not a function') })).code).toBe(1);
});
