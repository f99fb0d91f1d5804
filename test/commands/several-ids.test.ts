/** Several IDs, on the line or from stdin: each once, each with a result of its own. */
import { describe, expect, test } from 'vitest';
import { flagName } from '../../src/model/shell-quote.ts';
import { allCommands } from '../cli/all-commands.ts';
import { embedded, ungated } from './embedded.ts';

const several = allCommands.filter(({ args }) => Object.values(args ?? {}).some(({ variadic }) => variadic));

test('there are such commands', () => {
  expect(several.map(({ name }) => name)).toEqual(expect.arrayContaining(['exams delete', 'sessions delete', 'proctors add']));
});

describe.each(several)('$name', ({ name, args, needs = [], effect }) => {
  const service = ungated();
  const now = new Date().toISOString();
  /** What else it needs. */
  const more = [
    ...needs.flatMap((key) => [flagName(key), key === 'by' ? '+30m' : '5']),
    ...(name.startsWith('proctors ') ? ['--exam', '5'] : []),
    ...(effect === 'send' ? ['--resend'] : []),
    ...(name === 'sessions update' ? ['--close-time', '2127-02-01T10:00Z'] : []),
  ];
  // Some commands read their exams first: these exist.
  const takesExams = Object.values(args ?? {}).some(({ complete }) => complete === 'exams');
  const named = (text: string) => (takesExams ? text.replaceAll('37', '5').replaceAll('38', '6') : text);
  /** What would be done, about two students who wait for their exam; the service listens on another port each time. */
  const plan = async (ids: string[], stdin = '') => {
    const line = [...name.split(' '), ...ids.map(named), ...more, '--dry-run', '-o', 'json'];
    const { code, stdout } = await service.run(line, { stdin: named(stdin), now });
    return { code, stdout: stdout.replace(/127\.0\.0\.1:\d+/g, 'service') };
  };

  test('takes lines as any system ends them, also beside those of the command line, and each ID once', async () => {
    const typed = await plan(['37', '38']);
    expect(typed.stdout).not.toBe('');
    expect(await plan(['-'], '\ufeff37\r\n\n  37  \n\n\t38\n37')).toEqual(typed);
    expect(await plan(['37', '-'], '37\n38\n')).toEqual(typed);
    expect(await plan(['-', '-'], '37\n38\n')).toEqual(typed);
  });

  test('says that there are none, and tells a person that it is waiting for them', async () => {
    const none = await service.run([...name.split(' '), '-', ...more, '--yes'], { stdin: '\n \r\n' });
    expect([none.code, none.stdout, none.stderr]).toEqual([6, '', expect.stringContaining('No IDs on stdin.')]);
    for (const tty of [true, false]) {
      const { stderr } = await service.run([...name.split(' '), '-', ...more, '--dry-run'], { tty, stdin: '37\n' });
      expect(stderr.includes('Reading from the terminal, one per line; press Ctrl-D to end.')).toBe(tty);
    }
  });
});

test('a missing one does not stop the others', async () => {
  const service = embedded();
  const { code, stdout, stderr } = await service.run('sessions delete 7 999 8 --yes -o json');
  expect(code).toBe(9);
  expect(JSON.parse(stdout)).toEqual([
    { exam: 1, session: 7, email: 'tomas.stastny@example.net', result: 'deleted', reason: null },
    { exam: null, session: 999, email: null, result: 'gone', reason: expect.stringContaining('404') },
    { exam: 1, session: 8, email: null, result: 'deleted', reason: null },
  ]);
  expect(JSON.parse(stderr).error).toMatchObject({
    code: 'partly_done',
    message: expect.stringMatching(/^2 of 3 deleted, 1 failed: .*404/),
  });
  for (const id of [7, 8]) expect((await service.run(`sessions get ${id}`)).code).toBe(6);
});

test('a reader that has gone does not turn a failure into a success', async () => {
  const { code, stderr } = await embedded().run('sessions delete 7 999 --yes', { closeStdoutAfter: 0 });
  expect([code, stderr]).toEqual([9, expect.stringContaining('1 of 2 deleted')]);
});
