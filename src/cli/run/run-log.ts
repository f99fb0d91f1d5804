/**
 * The log of one run: its start, what happens on the wire, each decision, its exit. Opened before anything is sent,
 * and loaded only where a log is set. A log that fails later ends with one warning, and the command continues: a lost
 * record is not worth an import that stops in the middle.
 */
import type { Context } from '../../command.ts';
import type { Settings } from '../../config/settings.ts';
import { CliError } from '../../errors.ts';
import type { LogRecord } from '../../host/host.ts';
import { flagName } from '../../model/shell-quote.ts';
import type { LogFile } from '../../state/log-file.ts';
import { sentence } from '../../text/sentence.ts';
import { version } from '../../text/version.ts';
import type { Invocation } from '../parse/program.ts';

/** The version of the records; a field that is removed or gets another type makes it the next. */
const logVersion = 1;

export class RunLog {
  readonly #context: Context;
  readonly #startedAt: number;
  #invocation: Invocation | undefined;
  #opening: Promise<void> | undefined;
  #file: LogFile | undefined;
  #path = '';
  /** What all records of the run have in common. */
  #common: { invocation: string; trace_id?: string } = { invocation: '' };
  #failure: CliError | undefined;
  #ended = false;

  constructor(context: Context) {
    this.#context = context;
    this.#startedAt = context.host.now();
  }

  /** What runs; without it, nothing is logged. */
  begin(invocation: Invocation): void {
    this.#invocation = invocation;
  }

  /** Opens the log that is set, and records the start, once. Throws `output_failed`. */
  open(log: Settings['log']): Promise<void> {
    this.#opening ??= this.#open(log);
    return this.#opening;
  }

  /** How the run ends. */
  failed(failure: CliError): void {
    this.#failure = failure;
  }

  /** Records the exit, once. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    const { exit, code = null } = this.#failure ?? { exit: 0 };
    this.#write({ event: 'exit', exit, code, duration: this.#context.host.now() - this.#startedAt });
  }

  /** Records the exit and closes the log. A command for the service is logged even if it ended before its first request. */
  async close(): Promise<void> {
    if (this.#invocation && this.#invocation.command.effect !== 'local' && !this.#opening) {
      await this.open(this.#setting()).catch((error: Error) => {
        // The doctor has said it.
        if (this.#failure?.code !== 'output_failed') this.#context.warn(sentence`warning: ${error.message}`);
      });
    }
    this.end();
    // The outcome of the command stands.
    await this.#file?.close().catch(() => {});
  }

  /** The process ends before the command has: a second signal does that. */
  #cut() {
    const { reason } = this.#context.host.interrupted;
    if (reason instanceof CliError) this.#failure ??= reason;
    this.end();
  }

  /** A broken configuration, which is what such a command may have ended for, names no log. */
  #setting(): Settings['log'] {
    try {
      return this.#context.settings().log;
    } catch {
      return undefined;
    }
  }

  async #open(log: Settings['log']) {
    const invocation = this.#invocation;
    if (!invocation || !log) return;
    const { host } = this.#context;
    const [{ LogFile }, { traceContextOf }, { whyNotWritten }, { randomUUID }] = await Promise.all([
      import('../../state/log-file.ts'),
      import('../../api/trace-context.ts'),
      import('../../state/why-not-written.ts'),
      import('node:crypto'),
    ]);
    const { trace } = traceContextOf(host.env);
    this.#path = log.path;
    this.#common = { invocation: randomUUID(), ...(trace ? { trace_id: trace.traceId } : {}) };
    this.#why = whyNotWritten;
    try {
      this.#file = new LogFile({
        path: log.path,
        bytes: log.bytes,
        host,
        notRotated: (error) => this.#warn('is full and cannot be continued in a new file', error, 'It keeps growing.'),
      });
      const { node, platform, pid } = host;
      const options = optionsOf(invocation);
      this.#add({ event: 'start', command: invocation.command.name, options, program: version, node, platform, pid }, this.#startedAt);
    } catch (error) {
      this.#file = undefined;
      throw new CliError('output_failed', sentence`The log ${log.path} (${log.source}) cannot be written: ${whyNotWritten(error)}.`, {
        hint: 'Nothing was sent. Name another file with --log-file FILE; --log-file /dev/null turns the log off.',
        cause: error,
      });
    }
    host.log = (record) => this.#write(record);
    host.onExit?.(() => this.#cut());
  }

  #why: (error: unknown) => string = String;

  #warn(what: string, error: unknown, then: string) {
    // An interruption ends the wait for another process that has the log.
    if (this.#context.host.interrupted.aborted && error instanceof CliError) return;
    this.#context.warn(sentence`warning: The log ${this.#path} ${what}: ${this.#why(error)}. ${then}`);
  }

  #write(record: LogRecord) {
    try {
      this.#add(record, this.#context.host.now());
    } catch (error) {
      void this.#file?.close().catch(() => {});
      this.#file = undefined;
      this.#warn('can no longer be written', error, 'The command continues without it.');
    }
  }

  #add({ event, ...record }: LogRecord, at: number) {
    const line = { version: logVersion, time: new Date(at).toISOString(), event, ...this.#common, ...record };
    this.#file?.write(JSON.stringify(this.#context.secrets.maskedIn(line)));
  }
}

/** The names of the options that were typed: a value may be a secret, or about a person. */
function optionsOf({ flags, raw, globals }: Invocation): string[] {
  const { noInput, noColor, ...named } = globals;
  const typed = [
    ...Object.entries(flags),
    ...Object.entries({ field: raw.typed.length > 0, rawField: raw.text.length > 0, body: raw.body !== undefined }),
    ...Object.entries(named),
  ];
  // Without a word of its own, a boolean flag of a command is absent, not false.
  const names = typed.flatMap(([key, value]) => {
    if (value === undefined || (value === false && !Object.hasOwn(flags, key))) return [];
    return [value === false ? flagName(key).replace('--', '--no-') : flagName(key)];
  });
  return [...names, ...(noInput ? ['--no-input'] : []), ...(noColor ? ['--no-color'] : [])];
}
