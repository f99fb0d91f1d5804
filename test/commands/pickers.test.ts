/** A missing ID is found on a terminal by typing a part of its label; searching changes nothing. */
import { describe, expect, test } from 'vitest';
import { attempt } from '../faults/outcome.ts';
import { also, answer, faultServer, silence } from '../faults/server.ts';
import { interruption } from '../runs/small-office.ts';
import { run, temporaryFolder } from '../support/run.ts';
import { Service } from '../support/service.ts';
import { timeLimit } from '../support/time-limit.ts';
import { embedded, requestsIn, ungated } from './embedded.ts';

const json = (value: unknown) => answer(200, value);

describe('a picker', () => {
  test('of exams shows ID, name and start in the zone of the person, and fetches them once', async () => {
    const { code, stdout, stderr, offered } = await embedded().run('exams get -o id --debug', {
      tty: true,
      answers: ['programming'],
      now: '2026-11-21T10:00:00Z',
      env: { PROCTOR_TIMEZONE: 'Europe/Vienna' },
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '3\n' });
    expect(offered[0]?.[0]).toMatch(/^3 {2}Introduction to Programming, \d{4}-\d\d-\d\d \d\d:\d\d \+01:00$/);
    expect(requestsIn(stderr)).toEqual(['GET /exams', 'GET /exams/3']);
    expect(stderr).toContain('The same command without prompts:\n  proctor-cli --profile sandbox exams get -o id --debug 3\n');
  });

  test('of sessions shows address, name and status, of the exam that was named or picked before', async () => {
    const { code, stderr, offered, questions } = await embedded().run('students show -o json --debug', {
      tty: true,
      answers: ['programming', 'exam_started mehmet'],
    });
    expect([code, questions]).toEqual([0, ['ID or name of the exam (--exam):', "ID of the student's session (--session):"]]);
    expect(offered[1]?.[0]).toMatch(/^\d+ {2}mehmet.ozturk@example.org, Mehmet Öztürk, exam_started, \d+$/);
    expect(requestsIn(stderr).slice(0, 2)).toEqual(['GET /exams', 'GET /exams/3/student_sessions']);
  });

  test('of exams begins with those that run, then has those of today, those to come, and those that are over', async () => {
    const named = { past: '2027-03-01T09', next: '2027-03-05T09', today: '2027-03-03T15', now: '2027-03-03T11' };
    const times = Object.entries(named).map(([name, hour]) => ({ name, start_time: `${hour}:00:00Z`, end_time: `${hour}:59:00Z` }));
    const service = new Service({ exams: times.map((exam, at) => ({ id: at + 1, ...exam })) });
    const { offered } = await service.run('exams get', { tty: true, answers: [''], now: '2027-03-03T11:30:00Z' });
    expect(offered[0]?.map((line) => line.split(/ +|,/)[1])).toEqual(['now', 'today', 'next', 'past']);
  });

  test('stands before a deletion too, whose question follows', async () => {
    const { code, questions } = await ungated().run('exams delete', { tty: true, answers: ['3', '', '3'] });
    expect(code).toBe(0);
    expect(questions).toEqual(['IDs of the exams:', 'Another value, or Enter to finish:', expect.stringMatching(/^Delete exam 3 /)]);
  });

  test('finds several sessions one after the other, among those of all exams', async () => {
    const { code, stdout, stderr, questions, offered, refusals } = await embedded().run('sessions extend -o id --debug', {
      tty: true,
      answers: ['sato', '16', '18', '', '15', '15m'],
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '15\n16\n18\n' });
    expect(questions).toEqual([
      'IDs of the sessions:',
      'Another value, or Enter to finish:',
      'Another value, or Enter to finish:',
      'Another value, or Enter to finish:',
      "Time to add: 30m, +1h30m, or 25% for a share of the exam's length (--by):",
    ]);
    expect(refusals).toEqual([expect.stringContaining('its unit is missing')]);
    expect(offered[0]?.[0]).toMatch(/sato.*, exam 3, Introd/);
    expect(offered[3]?.[0]).toBe('Done: only 15, 16, 18');
    expect(offered[3]?.some((line) => line.includes('sato'))).toBe(false);
    expect(requestsIn(stderr).slice(0, 2)).toEqual(['GET /exams', 'GET /student_sessions']);
    expect(stderr).toContain('proctor-cli --profile sandbox sessions extend -o id --debug --by 15m 15 16 18\n');
  });

  test('asks again where no exam is called so, takes another ID that the service knows, and refuses what the command line refuses', async () => {
    const again = await embedded().run('exams get -o id --debug', { tty: true, answers: ['999', '3'] });
    expect([again.code, again.stdout, again.questions.length]).toEqual([0, '3\n', 2]);
    expect(again.stderr).toContain('No exam has the ID "999".');
    expect(requestsIn(again.stderr)).toEqual(['GET /exams', 'GET /exams/999', 'GET /exams/3']);
    const address = await embedded().run('sessions extend --by 5m', { tty: true, answers: ['nobody@nowhere.example', ''] });
    expect([address.code, address.stderr]).toEqual([3, expect.stringContaining('sessions find nobody@nowhere.example')]);
  });

  test('of profiles and of settings sends no request', async () => {
    const home = temporaryFolder();
    await run(['config', 'set', '--profile', 'vienna', 'baseUrl', 'https://proctor.example'], { home });
    const used = await run(['auth', 'switch'], { home, tty: true, answers: ['proctor.example'] });
    expect(used).toMatchObject({ code: 0, offered: [['vienna  https://proctor.example/api/v1']] });
    const got = await run(['config', 'get'], { home, tty: true, answers: ['limit for one request'] });
    expect(got).toMatchObject({ code: 0, stdout: '30s\n' });
    const secret = await run(['config', 'get'], { home, tty: true, answers: ['token'] });
    expect(secret.offered[0]?.some((line) => line.startsWith('token '))).toBe(false);
  });

  test('of runs shows when and what', async () => {
    const { run: inSandbox } = embedded();
    const imported = await inSandbox('sessions import - --exam 6 --yes -o json', { stdin: 'email\nada@example.org\n' });
    expect(imported.code).toBe(0);
    const shown = await inSandbox('runs show -o json', { tty: true, answers: ['import'] });
    expect(shown.offered[0]?.[0]).toMatch(/^\S+ {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}sessions import FILE --exam 6, /);
    expect(JSON.parse(shown.stdout)).toMatchObject({ steps: [{ line: 2, exam: 6, result: 'done' }] });
  });
});

test.each([
  ['the service fails', answer(503, { message: 'overloaded' }), 'failed to list the exams (503)'],
  ['the service forbids it', answer(403, {}), 'does not allow this token'],
  ['the service never answers', silence, 'no answer within 20 s'],
  ['the answer is no list', answer(200, '<html>', { 'content-type': 'text/html' }), 'HTML instead of JSON'],
])('without a list, the ID is asked for as text, and it says why where %s', async (_when, reaction, why) => {
  const { option, end } = timeLimit();
  const server = await faultServer([reaction === silence ? also(end, silence) : reaction, json({ id: 7 })]);
  const ended = await attempt(`exams get -o id ${option}`, server.origin, { tty: true, answers: ['7'] });
  const { code, stdout, stderr, questions, offered } = ended;
  expect({ code, stdout, questions, offered }).toEqual({ code: 0, stdout: '7\n', questions: ['ID or name of the exam:'], offered: [] });
  expect(stderr).toContain('No suggestions are available. ');
  expect(stderr).toContain(why);
  expect(server.requests()).toEqual(['GET /exams', 'GET /exams/7']);
});

test('Ctrl-C while the list loads exits with 130', async () => {
  const stop = new AbortController();
  const interrupted = () => stop.abort(interruption);
  const server = await faultServer([interrupted]);
  const { code, stdout, questions } = await attempt('exams delete', server.origin, { tty: true, interrupt: stop.signal });
  expect({ code, stdout, questions, sent: server.requests() }).toEqual({ code: 130, stdout: '', questions: [], sent: ['GET /exams'] });
});
