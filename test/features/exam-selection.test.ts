/** Exams are selected alike in every command: by ID, start and name, which narrow each other. */
import { describe, expect, test } from 'vitest';
import type { Client } from '../../src/api/client.ts';
import type { Operation } from '../../src/api/operations.ts';
import { Pacer } from '../../src/api/pacer.ts';
import type { RequestInput } from '../../src/api/request.ts';
import { CliError } from '../../src/errors.ts';
import { type ExamSelection, examIdOf, type SelectedExam, selectExams } from '../../src/features/exam-selection.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { Service } from '../support/service.ts';

const exams: JsonObject[] = [
  { id: 4, name: 'Histoire de l’Art', start_time: '2027-02-03T08:00:00Z', end_time: '2027-02-03T10:00:00Z' },
  { id: 1, name: 'Lineare  Algebra I', start_time: '2027-02-01T08:00:00Z', end_time: '2027-02-01T10:00:00Z' },
  { id: 2, name: 'Lineare Algebra II', start_time: null, end_time: null },
  { id: 3, name: null, start_time: '2027-02-02T08:00:00Z', end_time: null },
];

/** The selection of an institute's exams, with what was asked of the service and told to the user. */
async function selected(selection: ExamSelection, listing = exams) {
  const requests: string[] = [];
  const said: string[] = [];
  const client = {
    dialect: { examNameKey: 'name' },
    pacer: new Pacer({ now: Date.now, sleep: async () => {} }),
    async get({ path }: Operation, { params }: RequestInput) {
      requests.push(`GET ${path} ${params?.id}`);
      const exam = listing.find(({ id }) => String(id) === params?.id);
      if (!exam) throw new CliError('not_found', 'The service has no such exam.');
      return exam;
    },
    async list({ path }: Operation) {
      requests.push(`GET ${path}`);
      return listing;
    },
  };
  const say = (text: string) => said.push(text);
  const context = { client: async () => client as unknown as Client, say, warn: say, zone: () => 'UTC' } as unknown as Parameters<
    typeof selectExams
  >[0];
  type Found = { ids: string[]; chosen: readonly SelectedExam[]; code?: string; message?: string; hint?: string };
  const found = await selectExams(context, selection).then(
    (chosen): Found => ({ ids: chosen.map(({ id }) => id), chosen }),
    ({ code, message, hint }: CliError): Found => ({ ids: [], chosen: [], code, message, hint }),
  );
  return { ...found, requests, said: said.join('\n') };
}

const at = (text: string) => Date.parse(text);

describe('a selection', () => {
  test('by ID reads each exam once, and no list', async () => {
    const { ids, requests, chosen } = await selected({ exam: ['3', '1', '3'] });
    expect(ids).toEqual(['1', '3']);
    expect(requests).toEqual(['GET /exams/:id 3', 'GET /exams/:id 1']);
    expect(chosen[0]).toMatchObject({ id: '1', name: 'Lineare  Algebra I', start: at('2027-02-01T08:00Z'), end: at('2027-02-01T10:00Z') });
    expect(chosen[1]).toMatchObject({ name: undefined, end: undefined, shown: exams[3] });
  });

  test('by start and name reads the list once; both ends are included', async () => {
    const day = { from: at('2027-02-01T08:00Z'), until: at('2027-02-02T08:00Z') };
    const { ids, requests } = await selected(day);
    expect({ ids, requests }).toEqual({ ids: ['1', '3'], requests: ['GET /exams'] });
  });

  test('ignores case, accents and runs of blanks in a name', async () => {
    expect((await selected({ name: ' LINEARE algebra ' })).ids).toEqual(['1', '2']);
    expect((await selected({ name: 'dé l’árt' })).ids).toEqual(['4']);
    expect((await selected({ name: 'algebra lineare' })).code).toBe('nothing_selected');
  });

  test('is narrowed by each option that is given', async () => {
    expect((await selected({ exam: ['1', '4'], name: 'algebra' })).ids).toEqual(['1']);
    expect((await selected({ exam: ['1', '4'], from: at('2027-02-02T00:00Z') })).ids).toEqual(['4']);
  });

  test('by start names the exams without one, as far as the name matches', async () => {
    expect((await selected({ from: 0 })).said).toContain('Left out, because the service shows no start: exam 2.');
    expect((await selected({ from: 0, name: 'histoire' })).said).not.toContain('Left out');
  });

  test('comes in the order of the starts, whatever the order of the list', async () => {
    expect((await selected({ name: 'i' })).ids).toEqual(['1', '4', '2']);
  });

  test('tells ID, name and start of each exam, and counts the rest of a long list', async () => {
    const { said } = await selected({ from: 0 });
    expect(said).toContain(
      'Selected: 3 exams.\n  exam 1 (Lineare  Algebra I, 2027-02-01 08:00 +00:00)\n  exam 3 (2027-02-02 08:00 +00:00)\n',
    );
    const many = Array.from({ length: 45 }, (_, index) => ({ id: index, name: `Exam ${index}` }));
    expect((await selected({ name: 'exam' }, many)).said.split('\n').slice(-2)).toEqual(['  exam 19 (Exam 19)', '… and 25 more.']);
    // What was typed need not be told.
    expect((await selected({ exam: ['1'] })).said).toBe('');
  });

  test('of nothing that exists says what was asked for and how many exams were searched', async () => {
    const { code, message } = await selected({ name: "Bob's", from: at('2027-02-01T00:00Z') });
    expect({ code, message }).toEqual({
      code: 'nothing_selected',
      message: `No exam matches --from 2027-02-01 00:00 +00:00 --name 'Bob'\\''s' (4 exams searched).`,
    });
  });

  test('names an ID that the list lacks', async () => {
    const { code, message } = await selected({ exam: ['algbera-1'], name: 'x' }, [{ id: 'algebra-1' }]);
    expect({ code, message }).toEqual({ code: 'not_found', message: 'Exam algbera-1 is not in the list of exams.' });
  });

  test('shows each exam once that a list of several pages shows twice', async () => {
    expect((await selected({ name: 'algebra' }, [...exams, ...exams])).ids).toEqual(['1', '2']);
  });

  test.each([
    [{}, 'usage'],
    [{ exam: [] }, 'usage'],
    [{ name: ' ' }, 'invalid_input'],
    [{ from: 2, until: 1 }, 'invalid_input'],
  ])('that cannot be meant is refused before any request: %o', async (selection, code) => {
    expect(await selected(selection)).toMatchObject({ code, requests: [] });
  });

  test('of an exam without an ID is refused', async () => {
    expect(await selected({ name: 'x' }, [{ name: 'x' }])).toMatchObject({ code: 'bad_answer' });
  });
});

describe('an exam is named', () => {
  const service = () => new Service({ exams: [...exams, { id: 5, name: 'Histoire' }, { id: 6, name: 'HISTOIRE' }] as never });

  test('by its whole name, where one exam has it', async () => {
    const served = service();
    expect((await served.run(['exams', 'get', 'lineare algebra i', '-o', 'id'])).stdout).toBe('1\n');
    expect(served.requests()).toEqual(['GET /exams/lineare%20algebra%20i', 'GET /exams', 'GET /exams/1']);
  });

  test('by its ID, also where another exam has that name', async () => {
    const client = { get: async () => ({ id: 'b' }) } as unknown as Client;
    expect(await examIdOf(client, 'b', 'UTC')).toBe('b');
  });

  test('not by a name that two have: both are named', async () => {
    const { code, stderr } = await service().run(['sessions', 'list', '--exam', 'Histoire', '--timezone', 'UTC']);
    expect([code, stderr]).toEqual([6, expect.stringContaining('2 exams are called "Histoire": exam 5 (Histoire), exam 6 (HISTOIRE).')]);
  });

  test('not by a part of a name, and to be deleted by its ID only', async () => {
    const served = service();
    expect((await served.run(['exams', 'get', 'lineare'])).code).toBe(6);
    expect((await served.run(['exams', 'delete', 'Lineare Algebra II', '--yes'])).code).toBe(6);
    expect(served.requests().filter((each) => !each.startsWith('GET'))).toEqual([]);
  });
});
