import { describe, expect, test } from 'vitest';
import { commandWords, runTokenCommand } from '../../src/config/token-command.ts';
import { realHost } from '../../src/host/process.ts';
import { world } from './world.ts';

describe('the words of a token command', () => {
  test.each([
    ['vault read token', ['vault', 'read', 'token']],
    ['  vault   read\ttoken ', ['vault', 'read', 'token']],
    ['vault "a b" \'c d\'', ['vault', 'a b', 'c d']],
    ['vault --path="a b"/c', ['vault', '--path=a b/c']],
    ['vault ""', ['vault', '']],
    ['vault "it\'s"', ['vault', "it's"]],
    ['vault $HOME `id` ; rm * | x \\n', ['vault', '$HOME', '`id`', ';', 'rm', '*', '|', 'x', '\\n']],
    ['["vault", "a \\"b\\" c", ""]', ['vault', 'a "b" c', '']],
  ])('%s', (text, words) => {
    expect(commandWords(text)).toEqual(words);
  });

  test.each(['', '   ', '""', '[]', '["vault"', '["vault", 7]', 'vault "open', "vault 'open", 'vault a\0b'])('%j is refused', (text) => {
    expect(() => commandWords(text)).toThrow(expect.objectContaining({ name: 'InvalidValue' }));
  });
});

describe('the token command', () => {
  const printing = (text: string) => world({ execute: async () => text });

  test.each(['tok\n', 'tok', 'tok\r\nmore\n'])('gives the first line of %j', async (printed) => {
    expect(await runTokenCommand(printing(printed), 'vault', 'p')).toBe('tok');
  });

  test.each(['', '\n', '\ntok'])('that prints %j has given no token', async (printed) => {
    await expect(runTokenCommand(printing(printed), 'vault', 'p')).rejects.toMatchObject({
      code: 'not_logged_in',
      message: expect.stringContaining('printed nothing'),
    });
  });

  const real = realHost();
  const node = (script: string) => JSON.stringify([process.execPath, '-e', script]);

  test('is run without a shell', async () => {
    expect(await runTokenCommand(real, JSON.stringify([process.execPath, '-p', 'process.argv[1]', '$HOME;`id`']), 'p')).toBe('$HOME;`id`');
  });

  test('that fails is named with its exit status, and nothing that it printed', async () => {
    const failure = await runTokenCommand(real, node('console.log("s3cret"); process.exit(7)'), 'p').catch((error) => error);
    expect(failure).toMatchObject({
      code: 'not_logged_in',
      exit: 4,
      message: expect.stringMatching(/profile p failed: .*node.* exited with 7/),
    });
    expect(failure.cause).toBeUndefined();
    expect(failure.message + failure.hint).not.toContain('s3cret');
  });

  test('that prints without end is ended, with a bound', async () => {
    const printing = node('process.stdout.on("error", () => {}); setInterval(() => process.stdout.write("s3cret".repeat(10000)), 1)');
    const failure = await runTokenCommand(real, printing, 'p').catch((error) => error);
    expect(failure.message).toContain('printed more than 64 KiB');
    expect(failure.message).not.toContain('s3cret'.repeat(100));
  });

  test.skipIf(process.platform === 'win32')('may leave a program behind that holds its output open', async () => {
    const keeper = 'sleep 600 & echo $!';
    const pid = Number(await runTokenCommand(real, JSON.stringify(['sh', '-c', keeper]), 'p'));
    expect(process.kill(pid, 'SIGKILL')).toBe(true);
  });

  test('that does not exist is said so', async () => {
    await expect(runTokenCommand(real, 'no-such-program-anywhere', 'p')).rejects.toMatchObject({
      code: 'not_logged_in',
      message: expect.stringContaining('was not found'),
    });
  });
});
