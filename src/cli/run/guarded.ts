/**
 * The one exit: whatever is printed, drawn, asked or written to a file of the user's passes here, and none of the
 * secrets that this process knows gets through, in any spelling. Only what a command was asked to reveal does, on stdout.
 */
import type { Choice, Host, OutputStream, Prompts } from '../../host/host.ts';
import type { Secrets } from '../../model/secrets.ts';
import { randomWords } from '../../model/typed-secrets.ts';
import type { Sentence } from '../../text/sentence.ts';

/** Options whose values are never drawn at random: what looks like that is a token in the wrong place. */
const neverRandom = /^(--(base-url|output|timeout|timezone)|-o)=/;

export function guarded(host: Host, secrets: Secrets): Host {
  const { PROCTOR_TOKEN, ...env } = host.env;
  if (PROCTOR_TOKEN) secrets.use(PROCTOR_TOKEN);
  // A password typed into an address is refused, and not repeated.
  for (const word of host.argv) secrets.knowAddress(word.replace(/^--[\w-]+=/, ''));
  const settings = host.argv.filter((word, at) => neverRandom.test(word) || neverRandom.test(`${host.argv[at - 1]}=`));
  const { PROCTOR_BASE_URL, PROCTOR_OUTPUT, PROCTOR_TIMEZONE } = env;
  for (const value of [...settings, PROCTOR_BASE_URL, PROCTOR_OUTPUT, PROCTOR_TIMEZONE])
    for (const word of randomWords(value ?? '')) secrets.know(word);
  for (const [name, value] of Object.entries(env)) if (/_proxy$/i.test(name)) secrets.knowAddress(value);
  const shown = (text: string) => (secrets.revealed ? text : secrets.masked(text));
  return {
    ...host,
    stdout: through(host.stdout, shown),
    stderr: through(host.stderr, (text) => secrets.masked(text)),
    get prompts() {
      return asking(host.prompts, secrets);
    },
    get plainPrompts() {
      return asking(host.plainPrompts, secrets);
    },
    screen(events) {
      const screen = host.screen(events);
      return {
        get columns() {
          return screen.columns;
        },
        get rows() {
          return screen.rows;
        },
        write: (text) => screen.write(shown(text)),
        release: () => screen.release(),
      };
    },
  };
}

/** The text as it is written to a file: secrets are masked even if stdout shows them. */
export function toFiles(secrets: Secrets): (text: string) => string {
  return (text) => secrets.masked(text);
}

/** A value is never split between two writes, because renderers write whole lines. */
function through(stream: OutputStream, shown: (text: string) => string): OutputStream {
  return {
    isTTY: stream.isTTY,
    get columns() {
      return stream.columns;
    },
    write: (text) => stream.write(shown(text)),
  };
}

function asking(prompts: Prompts, secrets: Secrets): Prompts {
  const said = (text: string) => secrets.masked(text) as Sentence;
  const labelled = <T extends Choice>(choice: T): T => ({ ...choice, label: secrets.masked(choice.label) });
  return {
    confirm: (message, options) => prompts.confirm(said(message), options),
    text: (message, options) => prompts.text(said(message), options),
    password: (message) => prompts.password(said(message)),
    search: (message, find) =>
      prompts.search(said(message), (term) =>
        find(term).map((choice) => (typeof choice === 'string' ? secrets.masked(choice) : labelled(choice))),
      ),
    tick: (message, choices) => prompts.tick(said(message), choices.map(labelled)),
  };
}
