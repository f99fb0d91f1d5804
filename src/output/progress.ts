/**
 * The last line of stderr while a command is at work: after a second how long the service has been waited for, or how far something has come,
 * with the rate and the time left. On a terminal it is drawn over itself, and removed before anything else is written; elsewhere progress
 * is a line every few seconds. It never fails the command.
 */
import type { OutputStream } from '../host/host.ts';
import { durationInWords } from '../model/duration.ts';

/** How far something has come. */
export type Progress = { tick(done: boolean): void; end(): void };

export type ProgressLine = {
  /** The service is waited for, until what it returns is called. */
  waiting(): () => void;
  progress(total: number): Progress;
  /** Removes the line for other output. It comes back while its reason lasts. */
  clear(): void;
  /** Shows nothing until what it returns is called: a question or a screen has the terminal. */
  pause(): () => void;
};

const clearLine = '\r\u001b[K';
const barWidth = 24;
const second = 1000;
/** Milliseconds between two drawings of the bar, and between two lines of a log. */
const redrawAfter = 100;
const lineAfter = 5 * second;

type Count = { total: number; done: number; failed: number; started: number; tickedAt: number; shownAt: number };

/** `isDrawn`: whether the line can be drawn over itself. `tellsWaiting`: progress alone is told elsewhere. */
export function progressLine(
  stderr: Pick<OutputStream, 'write'>,
  { isDrawn, tellsWaiting }: { isDrawn(): boolean; tellsWaiting(): boolean },
): ProgressLine {
  let [waits, pauses, since] = [0, 0, 0];
  let [shown, told] = [false, false];
  let count: Count | undefined;
  let timer: NodeJS.Timeout | undefined;
  const write = (text: string) => void stderr.write(text).catch(() => {});
  const clear = () => {
    if (shown) write(clearLine);
    shown = false;
  };
  const draw = () => {
    if (pauses > 0) return;
    if (count) count.shownAt = performance.now();
    if (isDrawn()) {
      shown = true;
      write(clearLine + (count ? barOf(count) : `Waiting for the service, ${Math.round((performance.now() - since) / second)} s`));
    } else if (count) write(`${inWords(count)}\n`);
    else if (!told) {
      told = true;
      write('Waiting for the service.\n');
    }
  };
  const begin = () => {
    timer ??= setInterval(() => isDue(count, isDrawn() ? second : lineAfter) && draw(), second).unref();
  };
  const end = () => {
    if (waits > 0 || count) return;
    clearInterval(timer);
    timer = undefined;
    clear();
  };
  return {
    waiting() {
      if (!tellsWaiting()) return () => {};
      if (waits === 0) since = performance.now();
      waits += 1;
      begin();
      return once(() => {
        waits -= 1;
        end();
      });
    },
    progress(total) {
      const now = performance.now();
      const own: Count = { total, done: 0, failed: 0, started: now, tickedAt: now, shownAt: now };
      count = own;
      begin();
      return {
        tick(done) {
          if (done) own.done += 1;
          else own.failed += 1;
          own.tickedAt = performance.now();
          if (isDue(own, isDrawn() ? redrawAfter : lineAfter)) draw();
        },
        end() {
          if (isDrawn() && total > 0) {
            draw();
            write('\n');
          }
          shown = false;
          count = undefined;
          end();
        },
      };
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

function isDue(count: Count | undefined, after: number): boolean {
  return !count || performance.now() - count.shownAt >= after;
}

function once(act: () => void): () => void {
  let done = false;
  return () => {
    if (!done) act();
    done = true;
  };
}

function barOf(count: Count): string {
  const { total, done, failed } = count;
  const filled = total === 0 ? barWidth : Math.round(((done + failed) / total) * barWidth);
  const { rate, left = '-' } = paceOf(count);
  return `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)} ${done + failed}/${total} · ${failed} failed · ${rate}/s · ${left}`;
}

function inWords(count: Count): string {
  const { rate, left } = paceOf(count);
  return `${count.done + count.failed} of ${count.total} done, ${count.failed} failed, ${rate}/s${left === undefined ? '' : `, ${left} left`}.`;
}

/** While nothing ends, as during a wait for a listing, the rate so far does not tell how long the rest takes. */
function paceOf({ total, done, failed, started, tickedAt }: Count) {
  const now = performance.now();
  const rate = (done + failed) / Math.max((now - started) / second, 0.001);
  const isKnown = rate > 0 && now - tickedAt < lineAfter;
  const left = isKnown ? { left: durationInWords(((total - done - failed) / rate) * second) } : {};
  return { rate: rate.toFixed(rate < 10 ? 1 : 0), ...left };
}
