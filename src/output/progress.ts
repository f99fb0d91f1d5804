/**
 * How far something has come, on stderr: a bar on a terminal, a line every few seconds in a log, with
 * the rate and the time that is left. It never reaches stdout and never fails the command.
 */
import type { Progress } from '../command.ts';
import type { OutputStream } from '../host.ts';

const barWidth = 24;
/** Milliseconds between two drawings of the bar, and between two lines of a log. */
const redrawAfter = 100;
const lineAfter = 5_000;

export function progressOn(stderr: OutputStream, now: () => number, total: number): Progress {
  const started = now();
  let done = 0;
  let failed = 0;
  let shownAt = started;
  const text = () => {
    const seconds = Math.max((now() - started) / 1000, 0.001);
    const rate = (done + failed) / seconds;
    const left = rate > 0 ? clock((total - done - failed) / rate) : '-';
    return { count: `${done + failed}/${total}`, failed: `${failed} failed`, rate: `${rate.toFixed(rate < 10 ? 1 : 0)}/s`, left };
  };
  const write = (line: string) => void stderr.write(line).catch(() => {});
  const draw = () => {
    shownAt = now();
    const { count, failed: bad, rate, left } = text();
    if (!stderr.isTTY) return write(`${count} rows, ${bad}, ${rate}, ${left} left\n`);
    const filled = total === 0 ? barWidth : Math.round(((done + failed) / total) * barWidth);
    write(`\r\u001b[K${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)} ${count} · ${bad} · ${rate} · ${left}`);
  };
  const timer = setInterval(() => now() - shownAt >= lineAfter && draw(), lineAfter);
  timer.unref();
  return {
    tick(ok) {
      if (ok) done += 1;
      else failed += 1;
      if (now() - shownAt >= (stderr.isTTY ? redrawAfter : lineAfter)) draw();
    },
    end() {
      clearInterval(timer);
      if (!stderr.isTTY || total === 0) return;
      draw();
      write('\n');
    },
  };
}

/** Seconds as minutes and seconds. */
function clock(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
