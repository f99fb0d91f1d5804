/**
 * The one exit: whatever is printed, drawn or asked passes here, and no secret that this process knows
 * gets through, but for what a command was asked to reveal on stdout. The line of progress is cleared
 * before anything else is written.
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
import { isZone } from '../../model/time.ts';
import { formatRules, formats } from '../../output/formats.ts';
import { type ProgressLine, progressLine, wrapped } from '../../output/stderr.ts';
import { escapeHidden, spoken, visible } from '../../text/characters.ts';
import { sentence } from '../../text/sentence.ts';

type Told = 'note' | 'warning' | 'waiting';
type TerminalGlobals = Pick<Globals, 'plain'> & Partial<Globals>;

export class Terminal {
  /** The world, as everything else sees it. */
  readonly host: Host;
  readonly secrets: Secrets;
  readonly line: ProgressLine;
  /** The global options; unknown until the line is parsed. */
  given: TerminalGlobals;
  /** Whether a program reads the outcome: then each line of stderr is an object, the last one a failure. */
  isForProgram: boolean;
  readonly #world: World;
  #zone: string | undefined;
  #held: [text: string, as: Told][] | undefined = [];

  constructor(world: World, secrets: Secrets) {
    this.#world = world;
    this.secrets = secrets;
    this.given = { plain: world.env.TERM === 'dumb' };
    this.isForProgram = isForProgram(typedFormat(world));
    const isDrawn = () => world.stderr.isTTY && !this.given.plain && !inCI(world);
    const tellsWaiting = () => isDrawn() && !this.given.quiet && !this.given.debug;
    this.line = progressLine(world.stderr, { isDrawn, tellsWaiting, isForProgram: () => this.isForProgram });
    secrets.use(world.env.PROCTOR_TOKEN ?? '');
    // A password in an address, or in that of a proxy, is not repeated.
    for (const word of world.argv) secrets.knowAddress(word.replace(/^--[\w-]+=/, ''));
    for (const value of Object.values(world.env)) secrets.knowAddress(value);
    const shown = (text: string) => (secrets.revealed ? text : secrets.masked(text));
    this.host = {
      ...world,
      zone: () => (this.#zone ??= this.#zoneOf(world.zone())),
      stdout: this.#through(world.stdout, shown),
      stderr: this.#through(world.stderr, (text) => secrets.masked(text)),
      execute: (file, args, limits) => {
        const onEnd = ({ stdout, stderr }: { stdout: string; stderr: string }) => {
          const [line = ''] = stdout.trim().split(/[\r\n]/, 1);
          secrets.use(line);
          // A word may stand before the token.
          for (const word of line.split(' ', 4)) secrets.know(word);
          if (stderr !== '') this.say(stderr.trimEnd().replace(/.+/g, (each) => secrets.maskedWords(each)));
        };
        return world.execute(file, args, { ...limits, onEnd });
      },
      questions: async () => {
        const { questionsFor } = await import('../prompt/questions.ts');
        return questionsFor(world, { secrets, line: this.line, isPlain: this.given.plain });
      },
      screen: async (events) => {
        const resume = this.line.pause();
        const screen = await world.screen(events);
        return derivedFrom(screen, {
          write: (text) => screen.write(shown(text)),
          release() {
            screen.release();
            resume();
          },
        });
      },
    };
  }

  /** A program reads at once what is waited for; notes and warnings only after `release`. */
  say(text: string, as: Told = 'note'): void {
    if (!this.isForProgram) void this.#write(this.#laidOut(text));
    else if (this.#held && as !== 'waiting') this.#held.push([text, as]);
    else {
      const [, label, message = ''] = /^(warning: )?(.*)$/s.exec(text) ?? [];
      void this.#write(this.#inJson({ [label ? 'warning' : as]: { message: this.#addressed(message) } }));
    }
  }

  /** If TZ names no zone, Node has a name that nothing knows, or UTC. */
  #zoneOf(name: string | undefined = ''): string {
    const { TZ = name } = this.#world.env;
    if (isZone(name) && (name !== 'UTC' || isZone(TZ))) return name;
    // Laying out a warning asks for the settings, which have the zone.
    this.#zone = 'UTC';
    this.say(sentence`warning: TZ is ${JSON.stringify(TZ)}, which is no time zone: times are shown in UTC.`, 'warning');
    return this.#zone;
  }

  /** Prints the notes and warnings that were held back for a program: the command has not failed. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const [text, as] of held) this.say(text, as);
  }

  #inJson(value: object): string {
    return escapeHidden(stringifyJson(value));
  }

  trace(lines: string): void {
    void this.#write(lines.split('\n').map(visible).join('\n'));
  }

  #write(text: string): Promise<void> {
    return this.host.stderr.write(`${text}\n`).catch(() => {});
  }

  /** A sentence and a hint, or one line of JSON. `stack`: of a bug, for --debug. */
  async fail({ code, message, hint, status, exit, items }: CliError, stack = ''): Promise<number> {
    const fields = { code, message, hint: this.#addressed(hint), status: status ?? null, exit, items };
    const trace = this.host.argv.includes('--debug') ? stack : '';
    const words = [`error: ${message}`, hint && `hint: ${hint}`, trace].filter((line) => line !== '').join('\n');
    await this.#write(this.isForProgram ? this.#inJson({ error: fields }) : this.#laidOut(words));
    return exit;
  }

  /** PROCTOR_PROFILE may be set for this line alone: commands that are printed name the profile. */
  #addressed(text: string): string {
    return serviceUrl(text, { profile: this.#world.env.PROCTOR_PROFILE || undefined, ...this.given });
  }

  #laidOut(text: string): string {
    const { stderr } = this.#world;
    const { plain } = this.given;
    // Commands are completed before signs are put into words, and the text into lines.
    const lines = this.#addressed(this.secrets.masked(text)).split('\n').map(visible).join('\n');
    const fitted = stderr.isTTY && stderr.columns && !plain ? wrapped(lines, stderr.columns) : lines;
    const isColored = wantsColor(this.#world, stderr, this.given);
    const colored = isColored ? fitted.replace(/^(error|warning|hint):/gm, inColor) : fitted;
    return plain ? spoken(colored) : colored;
  }

  /** Masks what is written to a stream: a value is never split between two writes. */
  #through(stream: OutputStream, shown: (text: string) => string): OutputStream {
    const write = (text: string) => {
      this.line.clear();
      return stream.write(shown(text));
    };
    return derivedFrom(stream, { write });
  }
}

/** A copy of a thing with the properties in `by`. Getters, such as the width of the terminal, stay getters. */
function derivedFrom<T extends object>(thing: T, by: Partial<T>): T {
  return Object.assign(Object.create(thing), by);
}

export function wantsColor({ env }: Pick<Host, 'env'>, stream: OutputStream, { noColor, plain }: TerminalGlobals): boolean {
  const { NO_COLOR, FORCE_COLOR } = env;
  if (noColor || NO_COLOR) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return stream.isTTY && !plain;
}

export function isForProgram(format = ''): boolean {
  return formats.some((name) => name === format && formatRules[name].reader === 'program');
}

/** The format as far as the raw arguments tell it: parsing them may be what fails. */
function typedFormat({ argv, env }: World): string | undefined {
  const given = argv.map((word, index) => {
    if (word === '-o' || word === '--output') return argv[index + 1];
    return /^(?:--output=|-o=?)(.+)$/.exec(word)?.[1];
  });
  return given.findLast((format) => format !== undefined) ?? env.PROCTOR_OUTPUT;
}

const colors = { error: 'red', warning: 'yellow', hint: 'cyan' } as const;
const inColor = (label: string, word: keyof typeof colors) => styleText(['bold', colors[word]], label, { validateStream: false });

/** Commands that do not depend on the profile. */
const local = 'auth switch|sandbox|completion';

/** So much of a command line is looked at: a text of others may begin many. */
const longestLine = 4000;

/** The text, with the profile and the address of this line in each command line that names none itself. */
export function serviceUrl(text: string, { profile, baseUrl }: { [K in 'profile' | 'baseUrl']?: string | undefined }): string {
  // An invalid address is not repeated: it helps in no command and may contain a password.
  const usable = baseUrl !== undefined && orNone(() => parseBaseUrl(baseUrl)) ? baseUrl : undefined;
  const given = Object.entries({ '--profile': profile, '--base-url': usable });
  const names = nouns.map(({ name }) => name).join('|');
  const command = new RegExp(`\\bproctor-cli (?=(?:${names})\\b)(?!(?:${local})\\b)`, 'g');
  return text.replace(command, (words, at: number) => {
    const [own = ''] = text.slice(at + words.length, at + longestLine).split(/ -- |\n/, 1);
    if (own.includes(' --help')) return words;
    const lacking = given.flatMap(([option, value]) => {
      if (value === undefined || own.includes(` ${option}`)) return [];
      return [typedOption(option, value)];
    });
    return [words.trimEnd(), ...lacking, ''].join(' ');
  });
}
