/** Takes the whole terminal over and restores it: however the process ends, and while it is suspended. */

export type Screen = {
  columns: number;
  rows: number;
  /** Unchanged, with control sequences. Throws like an output stream. */
  write(text: string): Promise<void>;
  /** Brings back what was on the terminal before. */
  release(): void;
};

export type ScreenEvents = {
  /** Ctrl-C is not reported: it interrupts. */
  key(key: string): void;
  resize(): void;
};

const escapeCode = '\u001b';
/** The alternate screen without a cursor, and back to the usual one. */
const enterScreen = `${escapeCode}[?1049h${escapeCode}[?25l`;
const leaveScreen = `${escapeCode}[?25h${escapeCode}[?1049l`;
/** A sequence such as that of an arrow, or a character. */
const keys = new RegExp(String.raw`${escapeCode}\[[\d;]*[A-Za-z~]|${escapeCode}O[A-Za-z]|[\s\S]`, 'gu');

type Owner = { interrupt(): void; write(text: string): Promise<void> };

export function takeScreen({ key, resize }: ScreenEvents, { interrupt, write }: Owner): Screen {
  const { stdin, stdout } = process;
  const pressed = (bytes: Buffer) => {
    for (const each of bytes.toString().match(keys) ?? []) {
      if (each === '\u0003') interrupt();
      else if (each === '\u001a' && process.platform !== 'win32') suspend();
      else key(each);
    }
  };
  const take = () => {
    // Keys come as they are pressed, Ctrl-C and Ctrl-Z among them.
    if (stdin.isTTY) stdin.setRawMode(true).on('data', pressed).resume();
    stdout.write(enterScreen);
    taken = true;
  };
  const giveBack = () => {
    if (!taken) return;
    taken = false;
    if (stdin.isTTY) stdin.off('data', pressed).setRawMode(false).pause();
    stdout.write(leaveScreen);
  };
  const suspend = () => {
    giveBack();
    // Stops the whole job, as the terminal would, unless no shell could resume it.
    process.kill(0, 'SIGTSTP');
    setTimeout(retake, 10);
  };
  const retake = () => {
    if (released) return;
    giveBack();
    take();
    resize();
  };
  let taken = false;
  let released = false;
  const release = () => {
    released = true;
    process.off('exit', release);
    process.off('SIGCONT', retake);
    stdout.off('resize', resize);
    giveBack();
  };
  process.on('exit', release);
  process.on('SIGCONT', retake);
  stdout.on('resize', resize);
  take();
  return {
    // A terminal that knows no size says 0.
    get columns() {
      return stdout.columns || 80;
    },
    get rows() {
      return stdout.rows || 24;
    },
    // While suspended, output would appear among the lines of the shell.
    write: async (text) => (taken ? write(text) : undefined),
    release,
  };
}
