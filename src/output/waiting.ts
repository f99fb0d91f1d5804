/**
 * A sign of life on a terminal: after a second of waiting for the service, a line on stderr counts the seconds; it
 * is removed when the answer arrives or anything else is written.
 */
import type { OutputStream } from '../host/host.ts';

const silentFor = 1000;
const clearLine = '\r\u001b[K';

export type Waiting = {
  /** Waiting begins; what it returns ends it. */
  begin(): () => void;
  /** Clears the line for other output. It comes back if the wait continues. */
  clear(): void;
  /** Shows nothing until what it returns is called: a question or a screen has the terminal. */
  pause(): () => void;
};

/** `plain`: a line once, and nothing is drawn again. */
export function waitingOn(stderr: Pick<OutputStream, 'write'>, plain: () => boolean): Waiting {
  let waits = 0;
  let pauses = 0;
  let since = 0;
  let shown = false;
  let told = false;
  let timer: NodeJS.Timeout | undefined;
  const write = (text: string) => void stderr.write(text).catch(() => {});
  const clear = () => {
    if (!shown) return;
    shown = false;
    write(clearLine);
  };
  const show = () => {
    if (pauses > 0) return;
    if (plain()) {
      if (!told) write('Waiting for the service.\n');
      told = true;
      return;
    }
    shown = true;
    write(`${clearLine}Waiting for the service, ${Math.round((performance.now() - since) / 1000)} s`);
  };
  const once = (act: () => void) => {
    let done = false;
    return () => {
      if (!done) act();
      done = true;
    };
  };
  return {
    begin() {
      waits += 1;
      if (waits === 1) {
        since = performance.now();
        timer = setInterval(show, silentFor).unref();
      }
      return once(() => {
        waits -= 1;
        if (waits > 0) return;
        clearInterval(timer);
        clear();
      });
    },
    clear,
    pause() {
      pauses += 1;
      clear();
      return once(() => {
        pauses -= 1;
      });
    },
  };
}
