/**
 * The host of a command that shows on a line of stderr that it is waiting for the service, or how far it has come: the
 * line is gone before anything else is written, and stays away while a question or a screen has the terminal.
 */
import type { Host, OutputStream, Prompts } from '../../host/host.ts';
import type { Waiting } from '../../output/waiting.ts';

/** The line that is drawn again and again. */
export type DrawnLine = Pick<Waiting, 'clear' | 'pause'>;

/** `plain` chooses the questions. */
export function withSignOfLife(world: Host, line: DrawnLine, plain: () => boolean): Host {
  return {
    ...world,
    stdout: cleared(world.stdout, line),
    stderr: cleared(world.stderr, line),
    get prompts() {
      return pausing(plain() ? world.plainPrompts : world.prompts, line);
    },
    screen(events) {
      const resume = line.pause();
      const screen = world.screen(events);
      const release = () => {
        screen.release();
        resume();
      };
      return new Proxy(screen, { get: (own, key) => (key === 'release' ? release : Reflect.get(own, key)) });
    },
  };
}

/** A stream that removes the line before each write. */
function cleared(stream: OutputStream, line: DrawnLine): OutputStream {
  return {
    isTTY: stream.isTTY,
    get columns() {
      return stream.columns;
    },
    write(text) {
      line.clear();
      return stream.write(text);
    },
  };
}

/** Prompts that keep the line away while they use the terminal. */
function pausing(prompts: Prompts, line: DrawnLine): Prompts {
  const during = async <T>(ask: () => Promise<T>): Promise<T> => {
    const resume = line.pause();
    try {
      return await ask();
    } finally {
      resume();
    }
  };
  return {
    confirm: (...given) => during(() => prompts.confirm(...given)),
    text: (...given) => during(() => prompts.text(...given)),
    password: (...given) => during(() => prompts.password(...given)),
    search: (...given) => during(() => prompts.search(...given)),
    tick: (...given) => during(() => prompts.tick(...given)),
  };
}
