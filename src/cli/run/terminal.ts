/**
 * The one exit: whatever is printed, drawn or asked passes here, and none of the secrets that this process knows gets through, in any spelling.
 * Only what a command was asked to reveal does, on stdout. The line of progress is gone before anything else, and stays away while a
 * question or a screen has the terminal. Messages are wrapped at words to the terminal, and their command lines can be pasted.
 */
import { styleText } from 'node:util';
import type { Globals } from '../../command.ts';
import { nouns } from '../../commands/index.ts';
import { parseBaseUrl } from '../../config/profile-settings.ts';
import type { CliError } from '../../errors.ts';
import { type Host, inCI, type OutputStream, type World } from '../../host/host.ts';
import { orNone } from '../../model/invalid-value.ts';
import { stringifyJson } from '../../model/json.ts';
import type { Secrets } from '../../model/secrets.ts';
import { typedOption } from '../../model/shell-quote.ts';
import { type ProgressLine, progressLine, wrapped } from '../../output/stderr.ts';
import { escapeHidden, spoken, visible } from '../../text/characters.ts';

type Given = Pick<Globals, 'plain' | 'profile' | 'baseUrl'> & Partial<Pick<Globals, 'noColor' | 'quiet' | 'debug'>>;

export class Terminal {
  /** The world, as everything else sees it. */
  readonly host: Host;
  readonly secrets: Secrets;
  readonly line: ProgressLine;
  /** The options of every command that were typed; until the command is known, nothing was. */
  given: Given;
  /** Whether a program reads the outcome: a failure is one line of JSON, and it has stderr to itself. */
  isForProgram: boolean;
  readonly #world: World;
  #held: string[] | undefined = [];

  constructor(world: World, secrets: Secrets) {
    this.#world = world;
    this.secrets = secrets;
    this.given = { plain: world.env.TERM === 'dumb' };
    this.isForProgram = isForProgram(typedFormat(world));
    const isDrawn = () => world.stderr.isTTY && !this.given.plain && !inCI(world);
    const tellsWaiting = () => isDrawn() && !this.given.quiet && !this.given.debug;
    this.line = progressLine(world.stderr, { isDrawn, tellsWaiting });
    secrets.use(world.env.PROCTOR_TOKEN ?? '');
    // A password typed into an address is refused, and not repeated; that of a proxy is not told either.
    for (const word of world.argv) secrets.knowAddress(word.replace(/^--[\w-]+=/, ''));
    for (const [name, value] of Object.entries(world.env)) if (/_(proxy|url)$/i.test(name)) secrets.knowAddress(value);
    const shown = (text: string) => (secrets.revealed ? text : secrets.masked(text));
    const terminal = this;
    this.host = {
      ...world,
      stdout: this.#through(world.stdout, shown),
      stderr: this.#through(world.stderr, (text) => secrets.masked(text)),
      async questions() {
        const { questionsFor } = await import('../prompt/questions.ts');
        return questionsFor(world, { secrets, line: terminal.line, isPlain: terminal.given.plain });
      },
      screen: async (events) => {
        const resume = this.line.pause();
        const screen = await world.screen(events);
        return changed(screen, {
          write: (text) => screen.write(shown(text)),
          release() {
            screen.release();
            resume();
          },
        });
      },
    };
  }

  /** Tells a person something; beside a program only after `release`. */
  say(text: string): void {
    if (this.#held && this.isForProgram) this.#held.push(text);
    else void this.host.stderr.write(`${this.#laidOut(text)}\n`).catch(() => {});
  }

  /** Writes the messages that were held back: the command has not failed. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const text of held) this.say(text);
  }

  trace(lines: string): void {
    void this.host.stderr.write(`${lines.split('\n').map(visible).join('\n')}\n`).catch(() => {});
  }

  /** How an error reaches a person, or a program: a sentence and a hint, or one line of JSON. `stack`: of a bug, for --debug. */
  async fail({ code, message, hint, status, exit, items }: CliError, stack = ''): Promise<number> {
    const fields = { code, message, hint: this.#addressed(hint), status: status ?? null, exit, items };
    const words = `error: ${message}\n${hint === '' ? '' : `hint: ${hint}\n`}${this.host.argv.includes('--debug') ? stack : ''}`.trimEnd();
    const text = this.isForProgram ? escapeHidden(stringifyJson({ error: fields })) : this.#laidOut(words);
    await this.host.stderr.write(`${text}\n`).catch(() => {});
    return exit;
  }

  /** A profile of the environment may be that of this line alone. */
  #addressed(text: string): string {
    return addressed(text, { profile: this.#world.env.PROCTOR_PROFILE || undefined, ...this.given });
  }

  #laidOut(text: string): string {
    const { stderr } = this.#world;
    const { plain } = this.given;
    const lines = this.#addressed(text).split('\n').map(visible).join('\n');
    const fitted = stderr.isTTY && stderr.columns && !plain ? wrapped(lines, stderr.columns) : lines;
    const colored = wantsColor(this.#world, stderr, this.given) ? fitted.replace(/^(error|warning|hint):/gm, inColor) : fitted;
    return plain ? spoken(colored) : colored;
  }

  /** Whole lines are written: a value is never split between two writes. */
  #through(stream: OutputStream, shown: (text: string) => string): OutputStream {
    const write = (text: string) => {
      this.line.clear();
      return stream.write(shown(text));
    };
    return changed(stream, { write });
  }
}

/** The same thing but for what is given: what it tells of the terminal at a moment goes on to be true. */
function changed<T extends object>(thing: T, by: Partial<T>): T {
  return Object.assign(Object.create(thing), by);
}

/** Colours are for terminals, and where they are asked for. */
export function wantsColor(
  { env }: Pick<Host, 'env'>,
  stream: OutputStream,
  { noColor, plain }: { noColor?: boolean; plain: boolean },
): boolean {
  const { NO_COLOR, FORCE_COLOR } = env;
  if (noColor || NO_COLOR) return false;
  return FORCE_COLOR ? FORCE_COLOR !== '0' && FORCE_COLOR !== 'false' : stream.isTTY && !plain;
}

export function isForProgram(format = ''): boolean {
  return format === 'json' || format === 'ndjson';
}

/** The format as far as the raw arguments tell it: parsing them may be what fails. */
function typedFormat({ argv, env }: World): string | undefined {
  const joined = argv.map((word, index) => (word === '-o' || word === '--output' ? `=${argv[index + 1]}` : word));
  const given = joined.map((word) => /^(?:--output|-o)?=(.+)$|^-o(.+)$/.exec(word)).findLast((match) => match);
  return given?.[1] ?? given?.[2] ?? env.PROCTOR_OUTPUT;
}

const colors = { error: 'red', warning: 'yellow', hint: 'cyan' } as const;
const inColor = (label: string, word: keyof typeof colors) => styleText(['bold', colors[word]], label, { validateStream: false });

/** Commands that do not depend on the profile. */
const local = 'auth switch|sandbox|completion';

/** The text, with the profile and the address of this line in each command line that names none itself. */
export function addressed(text: string, { profile, baseUrl }: { [K in 'profile' | 'baseUrl']?: string | undefined }): string {
  // An invalid address is not repeated: it helps in no command and may contain a password.
  const usable = baseUrl !== undefined && orNone(() => parseBaseUrl(baseUrl)) ? baseUrl : undefined;
  const given = Object.entries({ '--profile': profile, '--base-url': usable });
  const command = new RegExp(`\\bproctor-cli (?=(?:${nouns.map(({ name }) => name).join('|')})\\b)(?!(?:${local})\\b)(?=(.*))`, 'g');
  return text.replace(command, (words, rest: string) => {
    const [own = ''] = rest.split(' -- ');
    const lacking = given.flatMap(([option, value]) =>
      value === undefined || own.includes(` ${option}`) ? [] : [typedOption(option, value)],
    );
    return own.includes(' --help') ? words : [words.trimEnd(), ...lacking, ''].join(' ');
  });
}
