/** Lists of exams and sessions: filters, order, how many rows are printed and read, and a selection that matches none. */
import { describe, expect, test } from 'vitest';
import { attempt } from '../faults/outcome.ts';
import { answer, faultServer, type Reaction } from '../faults/server.ts';
import type { World } from '../support/run.ts';
import { embedded, requestsIn } from './embedded.ts';

const lines = (text: string) => text.trimEnd().split('\n');
const json = (value: unknown, headers: Record<string, string> = {}) => answer(200, value, headers);

/** A line against a service that answers so. */
async function against(line: string, reactions: readonly Reaction[], world: World = {}) {
  const server = await faultServer(reactions);
  return { ...(await attempt(line, server.origin, world)), requests: server.requests() };
}

const exams = [
  { id: 1, name: 'Algebra', start_time: '2027-02-01T08:00:00Z' },
  { id: 2, name: 'Bühnenkunde', start_time: '2027-02-01T22:30:00Z' },
  { id: 3, name: 'algebra II', start_time: '2027-02-02T08:00:00Z' },
  { id: 4, name: 'Algebra III', start_time: null },
];

describe('exams list', () => {
  const listed = async (options: string, world?: World) => {
    const { stdout, ...rest } = await against(`exams list -o id ${options}`, [json(exams)], world);
    return { ids: stdout.trim() === '' ? [] : lines(stdout), ...rest };
  };

  test('selects by start, as calendar days of the current zone, and by name', async () => {
    expect((await listed('--from 2027-02-01 --until 2027-02-01 --timezone UTC')).ids).toEqual(['1', '2']);
    expect((await listed('--until 2027-02-01 --timezone Europe/Vienna')).ids).toEqual(['1', '2']);
    expect((await listed('--until 2027-02-01 --timezone Asia/Tokyo')).ids).toEqual(['1']);
    expect((await listed('--from 2027-02-02T08:00Z')).ids).toEqual(['3']);
    expect((await listed('--name ALGEBRA')).ids).toEqual(['1', '3', '4']);
    expect((await listed('--name buhnen')).ids).toEqual(['2']);
    expect((await listed('--name buehnen')).ids).toEqual(['2']);
    expect(await listed('--name physics')).toMatchObject({ code: 0, ids: [], stderr: '' });
  });

  test.each([
    ['--from 2027-02-01', 3, 'no zone is set'],
    ['--from 2027-02-30 --timezone UTC', 3, 'there is no such day'],
    ['--from someday', 3, 'is not a time'],
    ['--from tomorrow', 3, 'no zone is set'],
    ['--from 2027-02-02T08:00Z --until 2027-02-01T08:00Z', 3, '--until (2027-02-01 08:00 +00:00) is before --from'],
    ['--name=', 2, '--name is empty'],
    ['--limit 0', 2, '--limit takes a whole number'],
    ['--sort ,', 2, '--sort names no field'],
  ])('refuses %s before any request', async (options, status, message) => {
    const { code, stderr, requests } = await listed(options);
    expect({ code, requests }).toEqual({ code: status, requests: [] });
    expect(stderr).toContain(message);
  });

  test('sorts by a field, in either direction, and by several', async () => {
    expect((await listed('--sort name')).ids).toEqual(['1', '3', '4', '2']);
    expect((await listed('--sort start_time')).ids).toEqual(['1', '2', '3', '4']);
    expect((await listed('--sort -start_time --limit 2')).ids).toEqual(['3', '2']);
    expect((await listed('--sort=-start_time,name')).ids).toEqual(['3', '2', '1', '4']);
    expect((await listed('--sort -name --name algebra --limit 2')).ids).toEqual(['4', '3']);
  });

  test('refuses to sort by a field that no row has, with the nearest', async () => {
    const { code, stdout, stderr } = await against('exams list --sort nmae -o json', [json(exams)]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('--sort does not know \\"nmae\\": no row has such a field.');
    expect(stderr).toContain('Did you mean name?');
    expect((await against('exams list --sort strat_time', [json(exams)])).stderr).toContain('Did you mean start_time?');
    // Whether a field exists does not depend on what the filter leaves.
    expect((await against('exams list --sort nmae --name physics', [json(exams)])).code).toBe(2);
    expect((await against('exams list --sort nmae', [json([])])).code).toBe(0);
  });
});

describe('sessions list', () => {
  test('shows the exam of each session, as far as there is room', async () => {
    const { stdout, stderr } = await embedded().run('sessions list --limit 9 --debug');
    expect(lines(stdout)[0]).toMatch(/ EXAM ID$/);
    expect(lines(stdout)[9]).toMatch(/ 2$/);
    expect(requestsIn(stderr)).toEqual(['GET /student_sessions', 'GET /exams']);
  });

  test('reads no further than --limit asks, unless it has to be sorted', async () => {
    const page = (at: number) => json([{ id: at }, { id: at + 1 }], { link: `</api/v1/student_sessions?page=${at}>; rel="next"` });
    const pages = [page(1), page(3), page(5), json([{ id: 7 }])];
    expect((await against('sessions list --limit 3 -o id', pages)).requests).toHaveLength(2);
    expect((await against('sessions list --limit 2 -o json', pages)).requests).toHaveLength(1);
    const sorted = await against('sessions list --limit 2 --sort -id -o id', pages);
    expect({ requests: sorted.requests.length, stdout: sorted.stdout }).toEqual({ requests: 4, stdout: '7\n6\n' });
  });

  test('prints each page as it comes, with a filter and a limit, until it has to be sorted', async () => {
    const first = answer(200, [{ id: 1, status: 'registered' }], { link: '<?page=2>; rel="next"' });
    const refused = answer(403, { message: 'no' });
    const line = 'sessions list --exam 1 --status registered -o ndjson --limit 5';
    const { code, stdout } = await against(line, [first, refused]);
    expect({ code, stdout }).toEqual({ code: 4, stdout: '{"id":1,"status":"registered"}\n' });
    expect(await against(`${line} --sort id`, [first, refused])).toMatchObject({ code: 4, stdout: '' });
    // The row that was asked for has arrived.
    expect(await against('sessions list --exam 1 -o json --limit 1', [first])).toMatchObject({
      code: 0,
      stdout: '[{"id":1,"status":"registered"}]\n',
    });
  });
});

const none = '--name nothing-like-it';

test.each(['exams list', 'exams report', 'sessions watch'])('%s prints an empty list, says why, and succeeds', async (command) => {
  const service = embedded();
  expect(await service.run(`${command} ${none} -o json`)).toMatchObject({ code: 0, stdout: '[]\n' });
  const shown = await service.run(`${command} ${none} --timezone UTC`);
  expect([shown.code, shown.stderr]).toEqual([0, command === 'exams list' ? '' : expect.stringContaining(`No exam matches ${none}.`)]);
});

test.each([
  ...['preflight', 'exams shift --by 7d', 'exams delay --by 15m', 'exams send-emails', 'proctors add 4', 'proctors remove 4'],
  ...['accommodations apply test/demo/accommodations.csv', 'accommodations apply test/demo/accommodations.csv --check'],
])('%s fails: a misspelt name must not look like success', async (command) => {
  const { code, stdout, stderr } = await embedded().run(`${command} ${none} --yes -o json --timezone UTC`);
  expect([code, stdout]).toEqual([6, '']);
  expect(JSON.parse(stderr)).toMatchObject({
    error: { code: 'nothing_selected', message: `No exam matches ${none}.` },
  });
});
