/** Reads what the user names: files, and what a program prints. Nothing at a path can block for ever. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { CliError, systemReason } from '../errors.ts';
import { orNone } from '../model/invalid-value.ts';
import { maskSecretPairs } from '../model/secrets.ts';
import { sentence } from '../text/sentence.ts';
import { type Host, HostFailure, type Limits } from './host.ts';

/** A roster of a hundred thousand students has a tenth of that. Bytes. */
const largestInput = 64 << 20;

/** A file, or stdin for `-`. Throws `invalid_input`. */
export function readInput({ stdin, interrupted }: Pick<Host, 'stdin' | 'interrupted'>, file: string): Promise<Buffer> {
  if (file !== '-') return orUnreadable(file, readInputFile(file, largestInput, interrupted));
  const reading = bytesWithin(largestInput, stdin.bytes()).finally(() => interrupted.throwIfAborted());
  return orUnreadable(file, reading);
}

/** Its text. */
export async function readText(host: Host, file: string): Promise<string> {
  return orUnreadable(file, readInput(host, file).then(textOf));
}

/** The text of a file in UTF-8, or in UTF-16, which PowerShell's `>` writes. Throws `HostFailure`. */
export function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder(markedEncoding(bytes), { fatal: true }).decode(bytes);
  } catch {
    throw new HostFailure('it is not UTF-8 text');
  }
}

/** By the mark of UTF-16. */
export function markedEncoding(bytes: Buffer): 'utf-8' | 'utf-16le' | 'utf-16be' {
  const mark = bytes.toString('hex', 0, 2);
  return mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
}

function orUnreadable<T>(file: string, reading: Promise<T>): Promise<T> {
  return reading.catch((cause: unknown) => {
    if (!(cause instanceof HostFailure)) throw cause;
    const what = sentence`Could not read ${file === '-' ? 'stdin' : maskSecretPairs(file)}: ${cause.message}.`;
    throw new CliError('invalid_input', what, { cause });
  });
}

/** Throws `HostFailure`, also beyond the limit (bytes), or the reason of the signal. */
export async function readInputFile(path: string, limit: number, signal: AbortSignal): Promise<Buffer> {
  const descriptor = opened(path);
  const stats = fstatSync(descriptor);
  try {
    // It closes the descriptor.
    if (stats.isFIFO()) return await bytesWithin(limit, new Socket({ fd: descriptor, writable: false, signal }));
    refuseBeyond(limit, stats.size);
    return readFileSync(descriptor);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof HostFailure ? error : new HostFailure(systemReason(error));
  } finally {
    if (!stats.isFIFO()) closeSync(descriptor);
  }
}

function opened(path: string): number {
  try {
    // Opening a device may have an effect, and a pipe would wait for its writer.
    const stats = statSync(path);
    const { O_RDONLY, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants;
    if (stats.isFile() || stats.isFIFO()) return openSync(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (stats.isDirectory()) throw new Error('it is a folder');
    throw new Error(`it is a ${stats.isSocket() ? 'socket' : 'device'}`);
  } catch (error) {
    throw new HostFailure(systemReason(error));
  }
}

class TooLarge extends HostFailure {}

function refuseBeyond(limit: number, length: number) {
  const most = limit < 1 << 20 ? `${limit >> 10} KiB` : `${limit >> 20} MiB`;
  if (length > limit) throw new TooLarge(sentence`it is larger than ${most}`);
}

/** Throws `HostFailure` as soon as there are more bytes. `parts`: gets what came until then. */
export async function bytesWithin(limit: number, stream: AsyncIterable<Uint8Array>, parts: Uint8Array[] = []): Promise<Buffer> {
  let length = 0;
  for await (const part of stream) {
    parts.push(part);
    length += part.length;
    refuseBeyond(limit, length);
  }
  return Buffer.concat(parts);
}

const mostOutput = 64 << 10;
/** So many parts of what a program writes to stderr are kept, of 64 KiB at most each. */
const mostParts = 16;

/** Runs a program without a shell. Throws `HostFailure`, or the reason of the signal. */
export async function printedBy(file: string, args: readonly string[], limits: Limits, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const { milliseconds, onEnd } = limits;
  // On a terminal it may ask there; elsewhere what it has started ends with it.
  const detached = !isatty(0) && process.platform !== 'win32';
  const child = spawn(file, args, { detached, env: environmentOfChildren(), stdio: ['ignore', 'pipe', 'pipe'] });
  const { pid = 0, stdout, stderr } = child;
  const printed: Buffer[] = [];
  const said: Buffer[] = [];
  stderr.on('data', (part: Buffer) => said.length < mostParts && said.push(part));
  const late = AbortSignal.timeout(milliseconds);
  const either = AbortSignal.any([signal, late]);
  const end = () => {
    // A program that it has started may keep these streams open.
    stdout.destroy();
    stderr.destroy();
    if (pid > 0) orNone(() => process.kill(detached ? -pid : pid, 'SIGKILL'));
  };
  either.addEventListener('abort', end, { once: true });
  try {
    const [bytes, [code, endedBy]] = await Promise.all([bytesWithin(mostOutput, stdout, printed), once(child, 'close')]);
    if (code !== 0) throw new HostFailure(endedBy ? sentence`was ended by ${endedBy}` : sentence`exited with ${code}`);
    return bytes.toString();
  } catch (error) {
    // What it has written to stderr by now is read first.
    await turn();
    end();
    signal.throwIfAborted();
    throw whyNotRun(error as NodeJS.ErrnoException, late.aborted, milliseconds);
  } finally {
    either.removeEventListener('abort', end);
    const cut = said.length < mostParts ? '' : '…';
    onEnd?.({ stdout: Buffer.concat(printed).toString(), stderr: Buffer.concat(said).toString() + cut });
  }
}

/** The environment of other programs: without the token, and without users and passwords of proxies. */
function environmentOfChildren(): NodeJS.ProcessEnv {
  const passed = Object.entries(process.env).filter(([name]) => !/^PROCTOR_TOKEN/i.test(name));
  const withoutUser = (value: string) => value.replace(/^([a-z\d+.-]*:\/\/)?.*@/i, '$1');
  return Object.fromEntries(passed.map(([name, value = '']) => [name, /_proxy$/i.test(name) ? withoutUser(value) : value]));
}

/** The reason of a failure, without what was printed. */
function whyNotRun(error: NodeJS.ErrnoException, isLate: boolean, milliseconds: number): HostFailure {
  if (isLate) return new HostFailure(sentence`took longer than ${milliseconds / 1000} s`);
  if (error instanceof TooLarge) return new HostFailure(sentence`printed more than ${mostOutput >> 10} KiB`);
  if (error instanceof HostFailure) return error;
  const why = { ENOENT: 'was not found', EACCES: 'may not be run' }[error.code ?? ''];
  return new HostFailure(why ?? 'could not be run');
}
