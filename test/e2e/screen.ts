/** A program on a terminal: that of util-linux's `script`, or one drawn by tmux, where the test sees the screen as a user does. */
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/run.ts';
import { ended, type Options, start } from './program.ts';

export const withoutScreen = spawnSync('tmux', ['-V']).error !== undefined;
export const withoutTerminal = process.platform !== 'linux' || spawnSync('script', ['--version']).error !== undefined;

/** A line of a shell on a terminal of `script`; escape shows as ␛. */
export function onTerminal(line: string, options: Options = {}) {
  const child = start('script', ['-qefc', line, '/dev/null'], options);
  const end = ended(child);
  const closed = once(child, 'close');
  let shown = '';
  let seen = 0;
  child.stdout.on('data', (text: string) => {
    shown += text.replaceAll('\u001b', '␛');
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return {
    end,
    shown: () => shown,
    type: (keys: string) => child.stdin.write(keys),
    kill: () => child.kill('SIGKILL'),
    /** The group of the pattern, once it appears after the last match in what is shown, or in a `part` of that. */
    async sees(pattern: RegExp, part = (text: string) => text): Promise<string> {
      for (;;) {
        const found = pattern.exec(part(shown.slice(seen)));
        if (found) {
          seen = part(shown) === shown ? seen + found.index + found[0].length : shown.length;
          return found[1] ?? '';
        }
        if (child.exitCode !== null || child.signalCode !== null) throw new Error(`It has ended and never showed ${pattern}:\n${shown}`);
        await Promise.race([once(child.stdout, 'data'), closed]);
      }
    },
  };
}

export type Screen = {
  /** Types text as it is. */
  type(text: string): void;
  /** Presses keys by their names: Tab, Enter, C-c. */
  press(...keys: string[]): void;
  text(): string;
  /** The same with its colours, as escape sequences. */
  colored(): string;
  /** The same, with each line that was wrapped as one. */
  lines(): string[];
  /** The screen as soon as it matches the pattern. Throws its content after 15 s, or so many milliseconds. */
  shows(pattern: RegExp, patience?: number): Promise<string>;
  close(): void;
};

export function openScreen(command: string, env: Record<string, string>, { columns = 110, rows = 40 } = {}): Screen {
  const server = join(temporaryFolder(), 'tmux');
  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-S', server, '-f', '/dev/null', ...args], {
      env: { TERM: 'xterm-256color', LANG: 'C.UTF-8', ...env },
      encoding: 'utf8',
    });
  tmux('new-session', '-d', '-x', String(columns), '-y', String(rows), command);
  const text = () => tmux('capture-pane', '-p').trimEnd();
  return {
    text,
    colored: () => tmux('capture-pane', '-e', '-p').trimEnd(),
    lines: () =>
      tmux('capture-pane', '-p', '-J')
        .trimEnd()
        .split('\n')
        .map((line) => line.trimEnd()),
    type: (words) => void tmux('send-keys', '-l', words),
    press: (...keys) => void tmux('send-keys', ...keys),
    async shows(pattern, patience = 300_000) {
      const enough = Date.now() + patience;
      for (;;) {
        const seen = text();
        if (pattern.test(seen)) return seen;
        if (Date.now() > enough) throw new Error(`The screen never showed ${pattern}:\n${seen}`);
        await setTimeout(30);
      }
    },
    close: () => void spawnSync('tmux', ['-S', server, 'kill-server']),
  };
}
