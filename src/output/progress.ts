/**
 * Progress on stderr: a bar on a terminal, a line every few seconds in a log, with the rate and the time left. It
 * never writes to stdout and never fails the command.
 */
import type { OutputStream } from '../host/host.ts';

/** How far something has come. */
export type Progress = { tick(done: boolean): void; end(): void };

/** `clear`: removes the bar for other output, until it is drawn again. */
export type ShownProgress = Progress & { clear(): void };

const barWidth = 24;
const clearLine = '\r\u001b[K';
/** Milliseconds between two drawings of the bar, and between two lines of a log. */
const redrawAfter = 100;
const lineAfter = 5_000;

/** `plain` on a terminal: lines, as in a log. */
type Counting = { now(): number; total: number; plain: boolean };

export function progressOn(stderr: OutputStream, { now, total, plain }: Counting): ShownProgress {
  const drawn = stderr.isTTY && !plain;
  const started = now();
  let done = 0;
  let failed = 0;
  let shownAt = started;
  let isOnLine = false;
  let tickedAt = started;
  const pace = () => {
    const seconds = Math.max((now() - started) / 1000, 0.001);
    const rate = (done + failed) / seconds;
    // While nothing ends, as during a wait for a listing, the rate so far does not tell how long the rest takes.
    const known = rate > 0 && now() - tickedAt < lineAfter;
    return { rate: rate.toFixed(rate < 10 ? 1 : 0), left: known ? Math.round((total - done - failed) / rate) : undefined };
  };
  const write = (line: string) => void stderr.write(line).catch(() => {});
  const draw = () => {
    shownAt = now();
    const { rate, left } = pace();
    if (!drawn) {
      const rest = left === undefined ? '' : `, ${inWords(left)} left`;
      return write(`${done + failed} of ${total} done, ${failed} failed, ${rate}/s${rest}.\n`);
    }
    const filled = total === 0 ? barWidth : Math.round(((done + failed) / total) * barWidth);
    const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled);
    const rest = left === undefined ? '-' : clock(left);
    isOnLine = true;
    write(`${clearLine}${bar} ${done + failed}/${total} · ${failed} failed · ${rate}/s · ${rest}`);
  };
  const timer = setInterval(() => now() - shownAt >= lineAfter && draw(), lineAfter);
  timer.unref();
  return {
    tick(ok) {
      if (ok) done += 1;
      else failed += 1;
      tickedAt = now();
      if (now() - shownAt >= (drawn ? redrawAfter : lineAfter)) draw();
    },
    clear() {
      if (isOnLine) write(clearLine);
      isOnLine = false;
    },
    end() {
      clearInterval(timer);
      if (!drawn || total === 0) return;
      draw();
      write('\n');
    },
  };
}

/** Whole seconds as minutes and seconds. */
function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

function inWords(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
