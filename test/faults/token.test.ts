/** The token goes to the service and nowhere else: not after a redirect, not into any output, however long. */
import { describe, expect, test } from 'vitest';
import { ada, serviceWithExam } from '../support/algebra.ts';
import { doneButReplies, refused } from '../support/service.ts';
import { attempt, attemptWith, failureOf, token } from './outcome.ts';
import { answer, faultServer, reset } from './server.ts';

describe('a redirect is never followed', () => {
  const statuses = [301, 302, 303, 307, 308];
  const reads = ['exams list', 'exams get 1', 'api GET /exams'];
  const writes = [
    ...['exams create --start now+1h --end now+2h', 'sessions create --exam 1 --email eve@example.org', 'sessions update 7 --name Eve'],
    ...['sessions delete 7 --yes', 'exams send-emails 1 --yes'],
  ];

  test.each([...reads, ...writes])('no other origin gets a request after a redirect: %s', async (line) => {
    for (const status of statuses) {
      const elsewhere = await faultServer([answer(200, [])]);
      const service = serviceWithExam({ sessions: [ada] });
      const isRead = reads.includes(line);
      service.next(isRead ? 'GET' : 'write', refused(status, undefined, { location: `${elsewhere.origin}/api/v1/exams?token=abc` }));
      const outcome = await service.run(`${line} -o json`);
      // Of a create, nothing is there: it is proven not to have been carried out.
      expect(isRead ? [8] : [7, 8, 10]).toContain(outcome.code);
      expect(failureOf(outcome).message).toContain(`${elsewhere.origin}/api/v1/exams;`);
      expect([outcome.stdout === '' || !isRead, outcome.stderr.includes('abc')]).toEqual([true, false]);
      expect([service.writes().length, isRead ? service.requests().length : 1]).toEqual([isRead ? 0 : 1, 1]);
      expect([service.requests().filter((request) => request.includes('abc')), elsewhere.connections()]).toEqual([[], 0]);
    }
  });

  test.each(['/api/v1/exams/2', 'exams/2', '//127.0.0.1/', ''])('nor within the origin: Location %j', async (location) => {
    const service = serviceWithExam();
    service.next('GET', refused(302, undefined, { location }));
    const outcome = await service.run('exams get 1 -o json');
    expect([failureOf(outcome).code, outcome.code, service.requests().length]).toEqual(['redirected', 8, 1]);
  });
});

test('a request carries the token in its one header, and no cookie comes back', async () => {
  const first = answer(200, [{ id: 1 }], { link: '<?page=2>; rel="next"', 'set-cookie': 'session=abc' });
  const server = await faultServer([first, answer(200, [{ id: 2 }])]);
  await attempt('exams list', server.origin);
  for (const { headers, path } of server.received) {
    expect(headers).toEqual({
      accept: 'application/json',
      'cache-control': 'no-cache',
      authorization: `apiServiceToken ${token}`,
      connection: 'keep-alive',
      host: server.origin.replace('http://', ''),
      'user-agent': 'proctor-cli',
    });
    expect(path).not.toContain(token);
  }
});

describe('the output never shows the token', () => {
  test('--debug shows everything else: request, headers, status, body', async () => {
    const service = serviceWithExam();
    service.next('write', doneButReplies(201, { id: 101, email: 'ada@example.org' }, { 'x-request-id': 'r-17' }));
    const { stderr, stdout } = await service.run('sessions create --exam 1 --email ada@example.org -o json --debug');
    expect(stderr).toContain(`> POST ${service.origin}/api/v1/exams/1/student_sessions`);
    expect(stderr).toContain('authorization: apiServiceToken ********');
    expect(stderr).toContain('content-type: application/json');
    expect(stderr).toContain('{"email":"ada@example.org"}');
    expect(stderr).toMatch(/< 201 after \d+ ms/);
    expect(stderr).toContain('x-request-id: r-17');
    expect(stderr).toContain('"id":101');
    expect(JSON.parse(stdout)).toMatchObject({ id: 101, email: 'ada@example.org' });
  });

  test('--debug masks what stands under a tell-tale key, in requests and in answers, and cookies', async () => {
    const service = serviceWithExam();
    service.next(
      'write',
      doneButReplies(201, { id: 101, pin_code: '4711', nested: [{ secret_key: 'hush-hush' }] }, { 'set-cookie': 'session=crumbs' }),
    );
    const { stderr } = await service.run('sessions create --exam 1 -f password=open-sesame --debug');
    expect(service.written()[0]?.text).toBe('{"password":"open-sesame"}');
    for (const hidden of ['4711', 'hush-hush', 'crumbs', 'open-sesame']) expect(stderr).not.toContain(hidden);
  });

  test.each(['--yes', '--plain', '-o json', '--debug'])('nor the beginning of it, where an address is cut: %s', async (option) => {
    const before = 'https://proctor.example/'.length;
    for (let at = 299 - token.length; at <= 301; at += 1) {
      const location = `https://proctor.example/${'x'.repeat(at - before)}${token}`;
      const { stdout, stderr } = await attemptWith(answer(302, undefined, { location }), `exams list ${option}`);
      expect(`${stdout}${stderr}`, `${at}`).toContain('redirect');
      expect(`${stdout}${stderr}`, `${at}`).not.toMatch(/x[^/]?fault-to/);
    }
  });

  test.each(['exams list', 'exams list -o csv', 'exams list --plain', 'exams get 1'])('nor in a cut cell or message: %s', async (line) => {
    for (let length = 30; length <= 520; length += length === 60 ? 420 : 3) {
      const name = `${'x'.repeat(length)}${token}`;
      for (const reaction of [answer(422, { message: name }), answer(200, line.includes('get') ? { id: 1, name } : [{ id: 1, name }])]) {
        const { stdout, stderr } = await attemptWith(reaction, line, { tty: true, columns: 60 });
        expect(`${stdout}${stderr}`, `${length}`).toContain('xxx');
        expect(`${stdout}${stderr}`, `${length}`).not.toContain('fault-to');
      }
    }
  });

  test('--debug tells of what never came', async () => {
    const { stderr } = await attempt('exams get 1 --debug', (await faultServer([reset, reset, reset])).origin);
    expect(stderr.match(/< nothing after \d+ ms/g)).toHaveLength(3);
  });
});
