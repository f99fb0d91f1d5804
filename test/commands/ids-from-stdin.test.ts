/** IDs come from stdin where `-` stands for them: for every command that takes several. */
import { describe, expect, test } from 'vitest';
import { flagName } from '../../src/model/shell-quote.ts';
import { allCommands } from '../cli/all-commands.ts';
import { ungated } from './embedded.ts';

const several = allCommands.filter(({ args }) => Object.values(args ?? {}).some(({ variadic }) => variadic));
/** The required values of a command besides its IDs. */
const needed = (command: (typeof several)[number]) => [
  ...(command.needs ?? []).flatMap((key) => [flagName(key), key === 'by' ? '+30m' : '5']),
  ...(command.name.startsWith('proctors ') ? ['--exam', '5'] : []),
  ...(command.effect === 'send' ? ['--resend'] : []),
  ...(command.name === 'sessions update' ? ['--close-time', '2127-02-01T10:00Z'] : []),
];

test('there are such commands', () => {
  expect(several.map(({ name }) => name)).toEqual(expect.arrayContaining(['exams delete', 'sessions delete', 'proctors add']));
});

describe.each(several.map((command) => [command.name, command] as const))('%s', (name, command) => {
  const service = ungated();
  const now = new Date().toISOString();
  const words = (...ids: string[]) => [...name.split(' '), ...ids, ...needed(command)];
  /** The requests that would be sent, about two students who wait for their exam; the service listens on another port each time. */
  const plan = async (given: string[], typed: string) => {
    // Some commands read their exams first: these exist.
    const takesExams = Object.values(command.args ?? {}).some(({ complete }) => complete === 'exams');
    const named = (text: string) => (takesExams ? text.replaceAll('37', '5').replaceAll('38', '6') : text);
    const rows = await service.json([...words(...given.map(named)), '--dry-run'], { stdin: named(typed), now });
    return JSON.parse(JSON.stringify(rows).replace(/127\.0\.0\.1:\d+/g, 'service'));
  };

  test.each([
    ['lines', '37\n38\n'],
    ['lines from Windows, the last one open', '37\r\n38'],
    ['blank lines and spaces', '\n  37  \n\n\t38\n\n'],
    ['an ID twice', '37\n38\n37\n'],
    ['a mark at the beginning', '\ufeff37\n38\n'],
  ])('takes %s', async (_what, stdin) => {
    expect(await plan(['-'], stdin)).toEqual(await plan(['37', '38'], ''));
  });

  test('takes them beside those of the command line, each once', async () => {
    expect(await plan(['37', '-'], '37\n38\n')).toEqual(await plan(['37', '38'], ''));
    expect(await plan(['-', '-'], '37\n38\n')).toEqual(await plan(['37', '38'], ''));
  });

  test.each([
    ['nothing', ''],
    ['blank lines', '\n \r\n'],
  ])('says that there are none in %s', async (_what, stdin) => {
    const { code, stdout, stderr } = await service.run([...words('-'), '--yes'], { stdin });
    expect([code, stdout]).toEqual([6, '']);
    expect(stderr).toContain('No IDs on stdin.');
  });

  test('tells a person that it is waiting for them', async () => {
    const { stderr } = await service.run([...words('-'), '--dry-run'], { tty: true, stdin: '37\n' });
    expect(stderr).toContain('Reading from the terminal, one per line; press Ctrl-D to end.');
    expect((await service.run([...words('-'), '--dry-run'], { stdin: '37\n' })).stderr).not.toContain('terminal');
  });
});
