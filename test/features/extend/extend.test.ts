/** sessions extend: the students, the questions and the messages. */
import { describe, expect, test } from 'vitest';
import { startSandbox } from '../../../src/sandbox/index.ts';
import type { Data } from '../../commands/embedded.ts';
import { run, temporaryFolder } from '../../support/run.ts';
import { extending, later, type Moved, started } from './extending.ts';

const vienna = '--timezone Europe/Vienna';

describe('One session', () => {
  test('is extended from its close time, without a prompt, and told with old and new', async () => {
    const service = extending();
    await service.closing('37', '2027-03-28T01:30:00+01:00');
    const { code, stdout, stderr, questions } = await service.run(`sessions extend 37 --by 60m ${vienna} -o csv`, { tty: true });
    expect({ code, questions }).toEqual({ code: 0, questions: [] });
    expect(stderr).toContain('session 37');
    expect(stderr).toContain('2027-03-28 01:30 +01:00 → 2027-03-28 03:30 +02:00');
    expect(stdout).toContain('2027-03-28T00:30:00Z,2027-03-28T01:30:00Z,extended');
    expect(service.closeTime('37')).toBe('2027-03-28T01:30:00Z');
  });

  test('without a time of its own is extended from the end of its exam', async () => {
    const service = extending();
    const { end_time } = service.exam(6);
    const rows = await service.json<Moved[]>('sessions extend 37 --by +30m');
    expect(rows).toEqual([{ session: 37, email: expect.anything(), from: null, to: later(end_time, 30), result: 'extended' }]);
    expect(service.closeTime('37')).toBe(later(end_time, 30));
    expect(service.exam(6).end_time).toBe(end_time);
  });

  test('that goes beyond the end of the exam is told that the exam does not', async () => {
    const service = extending();
    const { stderr } = await service.run('sessions extend 37 --by 30m');
    expect(stderr).toContain('Exam 6 still ends before the new close time of 1 session');
    const [, line = '', end] = /to move its end: proctor-cli --profile sandbox (exams update 6 --end (\S+))\n/.exec(stderr) ?? [];
    expect(Date.parse(end ?? '')).toBe(Date.parse(String(service.closeTime('37'))));
    await service.run(line);
    expect(service.exam(6).end_time).toBe(service.closeTime('37'));
  });

  test('by a share gets that share of its window', async () => {
    const service = extending();
    const { start_time, end_time } = service.exam(6);
    const minutes = (Date.parse(String(end_time)) - Date.parse(String(start_time))) / 60_000;
    await service.json('sessions extend 37 --by 25%');
    expect(service.closeTime('37')).toBe(later(end_time, minutes / 4));
  });

  test('that has finished is refused by name, and nothing is sent', async () => {
    const service = extending();
    const before = service.everything();
    const { code, stderr } = await service.run('sessions extend 3 --by 30m');
    expect(code).toBe(3);
    expect(stderr).toContain('Session 3 cannot be extended: it has finished the exam.');
    expect(service.everything()).toEqual(before);
  });

  test('that is not found is a plain failure, and no change', async () => {
    const service = extending();
    expect((await service.run('sessions extend 999 --by 30m')).code).toBe(6);
    expect(await service.runs()).toEqual([]);
  });

  test('whose exam has no end is named, with the reason', async () => {
    const service = extending();
    const exam = (await service.json('api POST /exams -F name=Open')).id;
    const { id } = await service.json(`sessions create --exam ${exam} --email ada@example.org`);
    const { code, stderr } = await service.run(`sessions extend ${id} --by 30m`);
    expect(code).toBe(3);
    expect(stderr).toContain(`Session ${id} cannot be extended: it has no close_time, and its exam shows no end_time.`);
    expect(stderr).toContain(`sessions update ${id} --close-time`);
  });

  test('whose window is over is extended from now, which is said', async () => {
    const service = extending();
    await service.closing('37', '2027-01-01T10:00Z');
    // The exam is over too: a mistyped ID would reopen it.
    expect((await service.run('sessions extend 37 --by 15m', { now: '2027-01-01T12:00:00Z' })).code).toBe(2);
    const { code, stderr } = await service.run('sessions extend 37 --by 15m --yes', { now: '2027-01-01T12:00:00Z' });
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/The close time of 1 session \(37 \S+@\S+\) has passed: it is extended from now\./);
    expect(stderr).not.toContain('in the past');
    expect(service.closeTime('37')).toBe('2027-01-01T12:15:00Z');
  });
});

describe('Several sessions', () => {
  test('are all extended or none, so that the command can be corrected and run again', async () => {
    const service = extending();
    const before = service.everything();
    const { code, stderr } = await service.run('sessions extend 21 999 3 22 --by 10m -o json');
    expect(code).toBe(6);
    const { error } = JSON.parse(stderr);
    expect(error.message).toMatch(/^2 of 4 sessions cannot be extended: 999, 3\. /);
    expect(error.items).toMatchObject([{ id: 999, code: 'not_found' }, { id: 3 }]);
    expect(service.everything()).toEqual(before);
    expect((await service.run('sessions extend 21 22 --by 10m')).code).toBe(0);
  });

  test('come from stdin, one a line', async () => {
    const service = extending();
    const { code, stdout } = await service.run('sessions extend - --by 10m -o id', { stdin: '21\n22\n' });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '21\n22\n' });
  });
});

describe('The sessions of an exam', () => {
  const line = 'sessions extend --exam 3 --status exam_started --by 10m';

  test('are extended after a question that says how many and where', async () => {
    const service = extending();
    for (const id of started) await service.closing(id, '2127-03-01T10:00Z');
    const { code, questions } = await service.run(line, { tty: true, answers: [true] });
    expect(code).toBe(0);
    expect(questions).toEqual([
      expect.stringMatching(
        /^Extend 5 sessions \(21 \S+@\S+, .+ and 2 more\) of exam 3 \(.+, 20\d\d-.+\) by 10m at http:\S+ \(profile sandbox\)\?$/,
      ),
    ]);
    expect(started.map(service.closeTime)).toEqual(started.map(() => '2127-03-01T10:10:00Z'));
  });

  test('may be none, which is no failure', async () => {
    const { code, stdout, stderr } = await extending().run('sessions extend --exam 6 --status exam_started --by 10m -o json');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '[]\n' });
    expect(stderr).toContain('No sessions to extend.');
  });

  test('without a status are all that have not finished', async () => {
    const service = extending();
    const rows = await service.json<Moved[]>('sessions extend --exam 3 --by 10m --yes');
    const all = await service.json<{ id: number; status: string }[]>('sessions list --exam 3');
    const open = all.filter(({ status }) => status !== 'exam_finished').map(({ id }) => id);
    expect(rows.map(({ session }) => session)).toEqual(open);
    expect(open.length).toBeLessThan(all.length);
  });

  test('are not touched without a yes', async () => {
    const service = extending();
    const before = service.everything();
    expect((await service.run(line, { tty: true, answers: [false] })).code).toBe(130);
    const { code, stderr } = await service.run(line);
    expect(code).toBe(2);
    expect(stderr).toContain('--yes');
    expect(service.everything()).toEqual(before);
    expect(await service.runs()).toEqual([]);
  });

  test('are planned with --dry-run: told as usual, printed as requests, nothing is sent, asked or recorded', async () => {
    const service = extending();
    const before = service.everything();
    const { code, stdout, stderr } = await service.run(`${line} --dry-run -o json`, { tty: true });
    expect(code).toBe(0);
    expect(JSON.parse(stdout).map(({ method, url }: Data) => [method, String(url).split('/').at(-1)])).toEqual(
      started.map((id) => ['PATCH', id]),
    );
    expect(stderr.match(/To extend: session/g)).toHaveLength(started.length);
    expect(service.everything()).toEqual(before);
    expect(await service.runs()).toEqual([]);
  });
});

describe('Twice by accident', () => {
  test('is asked about, with the run that did it first', async () => {
    const service = extending();
    await service.json('sessions extend 37 --by 30m');
    const [{ run } = {}] = await service.runs();
    const extended = service.closeTime('37');
    const alone = await service.run('sessions extend 37 --by 30m');
    expect(alone.code).toBe(2);
    expect(alone.stderr).toMatch(new RegExp(`Already extended by run ${run} at .*: session 37\\. Confirmation required`));
    const declined = await service.run('sessions extend 37 --by 30m', { tty: true, answers: [false] });
    expect({ code: declined.code, asked: declined.questions.length }).toEqual({ code: 130, asked: 1 });
    expect(service.closeTime('37')).toBe(extended);
    expect((await service.run('sessions extend 37 --by 30m', { tty: true, answers: [true] })).code).toBe(0);
    expect(service.closeTime('37')).toBe(later(extended, 30));
  });

  test('is asked about although another client has set another time since, and not once the first was undone', async () => {
    const service = extending();
    await service.json('sessions extend 37 38 --by 30m');
    const [{ run } = {}] = await service.runs();
    await service.closing('37', '2027-03-01T10:00Z');
    expect((await service.run('sessions extend 37 --by 30m')).code).toBe(2);
    await service.json('sessions extend 37 --by 30m --yes');
    expect((await service.run(`runs undo ${run} --yes`)).code).toBe(9);
    await service.json('sessions extend 38 --by 30m');
  });

  test('is named by the run of another command, and where that run is still open', async () => {
    const service = extending();
    await service.json('sessions extend 37 38 --by 30m');
    const { code, stderr } = await service.run('sessions extend 38 --by 10m');
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/Already extended by run \S+ at .*: session 38\./) });
  });

  test('is not to extend the session of the same ID at another service', async () => {
    const service = extending();
    await service.closing('37', '2027-03-01T10:00Z');
    await service.json('sessions extend 37 --by 30m');
    const other = await startSandbox({ folder: temporaryFolder() });
    const elsewhere = { home: service.home, env: { PROCTOR_BASE_URL: other.baseUrl, PROCTOR_TOKEN: other.token } };
    expect((await run(['sessions', 'update', '37', '--close-time', '2027-03-01T10:30Z'], elsewhere)).code).toBe(0);
    expect((await run(['sessions', 'extend', '37', '--by', '30m'], elsewhere)).code).toBe(0);
    await other.close();
  });

  test('more than 24 hours may be a slip of the hand, and is asked about', async () => {
    const service = extending();
    expect((await service.run('sessions extend 37 --by 24h1m')).code).toBe(2);
    expect((await service.run('sessions extend 37 --by 24h')).code).toBe(0);
  });
});

describe('Refused as it is typed', () => {
  test.each([
    ['sessions extend --by 30m', 2, /Missing: ids or --exam\./],
    ['sessions extend 21 --exam 3 --by 30m --yes', 2, /Give either ids or --exam, not both\./],
    ['sessions extend 21 --status exam_started --by 30m', 2, /--status/],
    ['sessions extend 21', 2, /--by/],
    ['sessions extend --exam 3 --status exam_finished --by 30m --yes', 3, /have finished/],
    ['sessions extend --exam 3 --status mail_send --by 30m --yes', 3, /mail_sent/],
    ['sessions extend 21 --by -30m', 3, /shorten the time/],
    ['sessions extend 21 --by 0%', 3, /change nothing/],
    ['sessions extend 21 --by 30', 3, /unit is missing/],
    ['sessions extend a/b --by 30m', 3, /slash/],
    ['sessions extend --exam 999 --by 30m --yes', 6, /999/],
  ])('%s', async (line, status, why) => {
    const service = extending();
    const before = service.everything();
    const { code, stdout, stderr } = await service.run(line);
    expect({ code, stdout }).toEqual({ code: status, stdout: '' });
    expect(stderr).toMatch(why);
    expect(service.everything()).toEqual(before);
  });
});

describe('A colleague', () => {
  const asked = 'sessions extend 37 38 --by 25h';

  test('who moves the exam between question and yes costs no student a minute: it is shown and asked again', async () => {
    const service = extending();
    const { end_time } = service.exam(6);
    const moved = later(end_time, 60);
    const moves = async () => {
      await service.json(`exams update 6 --end ${moved}`);
      return true;
    };
    const { code, questions, stderr } = await service.run(asked, { tty: true, answers: [moves, true] });
    expect(code, stderr).toBe(0);
    expect(questions).toHaveLength(2);
    expect(stderr).toContain('has changed, and now sends');
    expect(service.closeTime('37')).toBe(later(moved, 25 * 60));
  });

  test('who only does something else in the exam causes no second question', async () => {
    const service = extending();
    const other = async () => {
      await service.closing('39', '2127-03-01T10:00Z');
      return true;
    };
    const { code, questions } = await service.run(asked, { tty: true, answers: [other] });
    expect({ code, asked: questions.length }).toEqual({ code: 0, asked: 1 });
  });
});
