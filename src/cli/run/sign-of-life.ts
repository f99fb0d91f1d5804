/**
 * The host of a command that shows on stderr that it is waiting for the service: the sign is gone before
 * anything is written, and stays away while a question or a screen has the terminal.
 */
import type { Host, OutputStream, Prompts } from '../../host/host.ts';
import type { Waiting } from '../../output/waiting.ts';

/** `waiting` is undefined where there is no such sign; `plain` chooses the questions. */
export function withSignOfLife(world: Host, waiting: Waiting | undefined, plain: () => boolean): Host {
  return {
    ...world,
    stdout: cleared(world.stdout, waiting),
    stderr: cleared(world.stderr, waiting),
    get prompts() {
      return pausing(plain() ? world.plainPrompts : world.prompts, waiting);
    },
    screen(events) {
      const resume = waiting?.pause();
      const screen = world.screen(events);
      const release = () => {
        screen.release();
        resume?.();
      };
      return new Proxy(screen, { get: (own, key) => (key === 'release' ? release : Reflect.get(own, key)) });
    },
  };
}

/** A stream that removes the sign of life before each write. */
function cleared(stream: OutputStream, waiting: Waiting | undefined): OutputStream {
  if (!waiting) return stream;
  return {
    isTTY: stream.isTTY,
    get columns() {
      return stream.columns;
    },
    write(text) {
      waiting.clear();
      return stream.write(text);
    },
    ...(stream.assertOpen ? { assertOpen: () => stream.assertOpen?.() } : {}),
  };
}

/** Prompts that turn the sign of life off while they use the terminal. */
function pausing(prompts: Prompts, waiting: Waiting | undefined): Prompts {
  if (!waiting) return prompts;
  const during = async <T>(ask: () => Promise<T>): Promise<T> => {
    const resume = waiting.pause();
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
