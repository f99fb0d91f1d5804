/** Exams are selected alike in every command: by ID, start and name, which narrow each other. */
import { describe, expect, test } from 'vitest';
import { wordsOf } from '../commands/embedded.ts';
import { refused, Service, type ServiceOptions } from '../support/service.ts';

const exams = [
  { id: 4, name: 'Histoire de l’Art', start_time: '2027-02-03T08:00:00Z', end_time: '2027-02-03T10:00:00Z' },
  { id: 1, name: 'Lineare  Algebra I', start_time: '2027-02-01T08:00:00Z', end_time: '2027-02-01T10:00:00Z' },
  { id: 2, name: 'Lineare Algebra II', start_time: null, end_time: null },
  { id: 3, name: null, start_time: '2027-02-02T08:00:00Z', end_time: null },
];

/** The IDs that a command is about, with what was read of exams and told to the user. */
async function selected(options: string, service: ServiceOptions = { exams }) {
  const served = new Service(service);
  const line = ['proctors', 'add', '4', ...wordsOf(options), '--dry-run', '-o', 'json', '--timezone', 'UTC'];
  const { code, stdout, stderr } = await served.run(line);
  const planned = stdout === '' ? [] : (JSON.parse(stdout) as { url: string }[]);
  const ids = planned.map(({ url }) => Number(/exams.(\d+)/.exec(url)?.[1])).join(' ');
  return { code, ids, said: stderr, requests: served.requests().filter((line) => !line.endsWith('proctor_pool')) };
}

describe('a selection', () => {
  test('by ID reads each exam once, and no list', async () => {
    const served = new Service({ exams });
    expect((await served.run('exams export --exam 3 --exam 1 --exam 3 -o id --timezone UTC')).stdout).toBe('1\n3\n');
    expect(served.requests().filter((line) => !line.endsWith('proctor_pool'))).toEqual(['GET /exams/3', 'GET /exams/1']);
  });

  test.each<[what: string, options: string, ids: string, requests: string[]]>([
    ['by start includes both ends', '--from 2027-02-01T08:00Z --until 2027-02-02T08:00Z', '1 3', ['GET /exams']],
    ['ignores case and runs of blanks in a name', '--name "LINEARE algebra"', '1 2', ['GET /exams']],
    ['takes a name with a star for the whole name', '--name "l*algebra i"', '1', ['GET /exams']],
    ['ignores accents in a name', '--name "dé l’árt"', '4', ['GET /exams']],
    ['by ID is narrowed by a name', '--exam 1 --exam 4 --name algebra', '1', ['GET /exams/1', 'GET /exams/4']],
    ['by ID is narrowed by a start', '--exam 1 --exam 4 --from 2027-02-02T00:00Z', '4', ['GET /exams/1', 'GET /exams/4']],
    ['comes in the order of the starts', '--name i', '1 4 2', ['GET /exams']],
  ])('%s: %s', async (_what, options, ids, requests) => {
    expect(await selected(options)).toMatchObject({ code: 0, ids, requests });
  });

  test('by start names the exams without one, as far as they are meant', async () => {
    expect((await selected('--from 2000-01-01')).said).toContain('Left out, because the service shows no start: exam 2.');
    expect((await selected('--from 2000-01-01 --name histoire')).said).not.toContain('Left out');
  });

  test.each([
    ['--name "algebra lineare"', 6, "No exam matches --name 'algebra lineare'."],
    ['--name Bobs --from 2027-02-01T00:00Z', 6, 'No exam matches --from 2027-02-01 00:00 +00:00 --name Bobs.'],
    ['', 2, ''],
    ['--name " "', 2, ''],
    ['--from 2027-02-02T00:00Z --until 2027-02-01T00:00Z', 3, ''],
  ])('that cannot be meant, or means nothing, is refused: %s', async (options, code, says) => {
    const { said, requests, ...ended } = await selected(options);
    expect([ended, requests]).toEqual([{ code, ids: '' }, code === 6 ? ['GET /exams'] : []]);
    expect(JSON.parse(said).error.message).toContain(says);
  });

  test('of an exam without an ID is refused', async () => {
    expect(await selected('--name x', { exams, showing: { as: ({ id: _, ...exam }) => exam } })).toMatchObject({ code: 3 });
  });
});

describe('an exam is named', () => {
  const service = () => new Service({ exams: [...exams, { id: 5, name: 'Histoire' }, { id: 6, name: 'HISTOIRE' }] });

  test('by its whole name, where one exam has it', async () => {
    const served = service();
    expect((await served.run(['exams', 'get', 'lineare algebra i', '-o', 'id'])).stdout).toBe('1\n');
    expect(served.requests()).toEqual(['GET /exams/lineare%20algebra%20i', 'GET /exams', 'GET /exams/1']);
  });

  test('by its name also where the service fails once to say that this is no ID', async () => {
    const served = service();
    served.next('GET', refused(504));
    expect((await served.run(['exams', 'get', 'lineare algebra i', '-o', 'id'])).stdout).toBe('1\n');
  });

  test('not by a name that two have: both are named', async () => {
    const { code, stderr } = await service().run(['sessions', 'list', '--exam', 'Histoire', '--timezone', 'UTC']);
    expect([code, stderr]).toEqual([6, expect.stringContaining('2 exams are called "Histoire": exam 5 (Histoire), exam 6 (HISTOIRE).')]);
  });

  test('not by a part of a name, and to be deleted by its ID only', async () => {
    const served = service();
    expect((await served.run(['exams', 'get', 'lineare'])).code).toBe(6);
    const near = await served.run(['exams', 'get', 'Linear Algebra I']);
    expect([near.code, near.stderr]).toEqual([6, expect.stringContaining('Did you mean "Lineare  Algebra I"?')]);
    for (const others of [[], ['4']]) {
      const { code, stderr } = await served.run(['exams', 'delete', 'lineare algebra II', ...others, '--yes']);
      expect([code, stderr]).toEqual([6, expect.stringMatching(/takes IDs, no names.*\n.*: proctor-cli exams delete 2\n/)]);
    }
    expect(served.requests().filter((each) => !each.startsWith('GET'))).toEqual([]);
  });
});
