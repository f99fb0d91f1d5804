/**
 * What stands on stderr: messages, broken at words, and the last line while a command is at work. On a terminal it
 * is drawn over itself, and removed for other output; elsewhere progress is a line every few seconds.
 */
import type { OutputStream } from '../host/host.ts';
import { durationInWords } from '../model/duration.ts';

export type Progress = { tick(done: boolean): void; end(): void };

export type ProgressLine = ReturnType<typeof progressLine>;

const clearLine = '\r\u001b[K';
const barWidth = 24;
const second = 1000;
/** Milliseconds between two drawings, and between two lines of a log. */
const [redrawAfter, lineAfter] = [100, 5 * second];

type ProgressCount = {
  total: number;
  done: number;
  failed: number;
  since: number;
  tickedAt: number;
};

type StderrUse = { isDrawn(): boolean; tellsWaiting(): boolean; isForProgram(): boolean };

export function progressLine(stderr: Pick<OutputStream, 'write'>, { isDrawn, tellsWaiting, isForProgram }: StderrUse) {
  // `told`: how many had ended when a line of a log last said so.
  let [waits, pauses, since, shownAt, told] = [0, 0, 0, 0, 0];
  let isShown = false;
  let count: ProgressCount | undefined;
  let timer: NodeJS.Timeout | undefined;
  const write = (text: string) => void stderr.write(text).catch(() => {});
  const clear = () => {
    if (isShown) write(clearLine);
    isShown = false;
  };
  const show = (after = isDrawn() ? redrawAfter : lineAfter) => {
    const now = performance.now();
    if (pauses > 0 || now - shownAt < after) return;
    shownAt = now;
    if (isDrawn()) {
      isShown = true;
      const waiting = `Waiting for the service, ${Math.round((now - since) / second)} s`;
      write(clearLine + (count ? `${barOf(count)} ${progressInWords(count)}` : waiting));
    } else if (count && told !== count.done + count.failed) {
      const { total, done, failed } = count;
      told = done + failed;
      write(isForProgram() ? `${JSON.stringify({ progress: { total, done, failed } })}\n` : `${progressInWords(count)}.\n`);
    }
  };
  const begin = () => {
    timer ??= setInterval(show, second).unref();
    return performance.now();
  };
  const end = () => {
    if (waits > 0 || count) return;
    clearInterval(timer);
    timer = undefined;
    clear();
  };
  return {
    /** Lasts until what it returns is called. */
    waiting() {
      if (!tellsWaiting()) return () => {};
      const now = begin();
      if (waits === 0) since = now;
      waits += 1;
      return () => {
        waits -= 1;
        end();
      };
    },
    progress(total: number): Progress {
      shownAt = begin();
      told = 0;
      const own = { total, done: 0, failed: 0, since: shownAt, tickedAt: shownAt };
      count = own;
      return {
        tick(done) {
          own[done ? 'done' : 'failed'] += 1;
          own.tickedAt = performance.now();
          show();
        },
        end() {
          if (isDrawn() && total > 0) {
            show(0);
            write('\n');
          }
          isShown = false;
          count = undefined;
          end();
        },
      };
    },
    /** The line comes back while its reason lasts. */
    clear,
    /** Lasts as long: a question or a screen has the terminal. */
    pause() {
      pauses += 1;
      clear();
      return () => {
        pauses -= 1;
      };
    },
  };
}

function barOf({ total, done, failed }: ProgressCount): string {
  const filled = Math.round(((done + failed) / Math.max(total, 1)) * barWidth);
  return '█'.repeat(filled) + '░'.repeat(barWidth - filled);
}

/** While nothing ends, the pace so far does not tell how long the rest takes. */
function progressInWords({ total, done, failed, since, tickedAt }: ProgressCount): string {
  const [now, ended] = [performance.now(), done + failed];
  const left = ((total - ended) / ended) * (now - since);
  const parts = [`${done} of ${total} requests done`];
  if (failed > 0) parts.push(`${failed} failed`);
  if (ended > 0 && ended < total && now - tickedAt < lineAfter) parts.push(`${durationInWords(left)} left`);
  return parts.join(', ');
}

/** A command in a message, of this program or of the shell, up to the end of its sentence. */
const begun = /\bproctor-cli (?=[a-z-])|\b(?:export|set) (?="?\w+=)|\bunset (?=[A-Z])|\$env:|\bRemove-Item |\b(?:mv|move) (?=\S+ \S+$)/;
const commands = new RegExp(`((?:${begun.source})(?:'[^']*'|[^';,.)]|[;,.)](?! |$))*[;,.)]? ?)`);
const unbreakable = /(?:(?:error|warning|hint):\s+)?\S+(?:\s+(?:error|warning|hint):)*\s*|\s+/g;

/** Foreign words never begin a line as a label of ours; a command, to be pasted, stays whole. */
export function wrapped(text: string, width: number): string {
  const lines = text.split('\n');
  return lines.map((line) => (roomFor(line) <= width ? line : wrappedLine(line, width))).join('\n');
}

function wrappedLine(line: string, width: number): string {
  const lines = [''];
  const isCommand = (index: number) => index % 2 === 1;
  const parts = line.split(commands).flatMap((part, index) => (isCommand(index) ? [part] : (part.match(unbreakable) ?? [])));
  for (const part of parts) {
    const last = lines.pop() ?? '';
    if (last.trim() === '' || roomFor((last + part).trimEnd()) <= width) lines.push(last + part);
    else lines.push(last, part);
  }
  return lines.map((each) => each.trimEnd()).join('\n');
}

/** Characters that may take two columns. */
const beyondLatin = /[^\x20-\x7e\xa1-\xac\xae-\u02ff\u0391-\u03a1\u03a3-\u0482\u048a-\u052f\u2010-\u2027]/g;

/** An upper bound of the columns that a text takes; exact if it is the length of the text. */
export function roomFor(text: string): number {
  return text.length + (text.match(beyondLatin)?.length ?? 0);
}
