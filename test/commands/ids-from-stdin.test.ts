/** IDs come from stdin where `-` stands for them: for every command that takes several. */
import { describe, expect, test } from 'vitest';
import { flagName } from '../../src/model/shell-quote.ts';
import { allCommands } from '../cli/all-commands.ts';
import { ungated } from './embedded.ts';

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
    for (const stdin of ['37\n38\n', '37\r\n38', '\n  37  \n\n\t38\n\n', '37\n38\n37\n', '\ufeff37\n38\n'])
      expect(await plan(['-'], stdin), JSON.stringify(stdin)).toEqual(typed);
    expect(await plan(['37', '-'], '37\n38\n')).toEqual(typed);
    expect(await plan(['-', '-'], '37\n38\n')).toEqual(typed);
  });

  test('says that there are none, and tells a person that it is waiting for them', async () => {
    for (const stdin of ['', '\n \r\n']) {
      const { code, stdout, stderr } = await service.run([...name.split(' '), '-', ...more, '--yes'], { stdin });
      expect([code, stdout]).toEqual([6, '']);
      expect(stderr).toContain('No IDs on stdin.');
    }
    for (const tty of [true, false]) {
      const { stderr } = await service.run([...name.split(' '), '-', ...more, '--dry-run'], { tty, stdin: '37\n' });
      expect(stderr.includes('Reading from the terminal, one per line; press Ctrl-D to end.')).toBe(tty);
    }
  });
});
