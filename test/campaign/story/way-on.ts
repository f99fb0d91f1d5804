/** The way on that a message prints: its command lines, as a person would paste them, and the flags that it offers. */

/** Words of a line, as a shell divides it. */
export function wordsOf(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (const character of line) {
    if (quote !== '') {
      if (character === quote) quote = '';
      else word = (word ?? '') + character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + character;
  }
  return word === undefined ? words : [...words, word];
}

/** The texts of a message: the hint and the message of an error in JSON, or what is printed for people, its lines joined. */
export function textsOf(stderr: string): string[] {
  return stderr.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return line.trim() === '' ? [] : [line];
    try {
      const { error } = JSON.parse(line) as { error?: { message?: string; hint?: string } };
      return [error?.hint, error?.message].flatMap((text) => (text ? text.split('\n') : []));
    } catch {
      return [line];
    }
  });
}

const isPlaceholder = (word: string) => /^(<.*>|[A-Z]{2,}|…)$/.test(word);

/** The command lines in a text, each as its words without the name of the program. One with a place for what only a person knows is none. */
export function commandsIn(text: string): string[][] {
  return textsOf(text).flatMap((line) =>
    [
      ...line.matchAll(/proctor-cli ((?:"[^"]*"|'[^']*'|[^"'])*?)(?=$|[.;,:] |[.;,]$|\)| – |\s{2,}| (?:and|or|to|if|which|shows|with:) )/g),
    ].flatMap(([, rest = '']) => {
      const words = wordsOf(rest.replace(/[`.]+$/, ''));
      return words.length < 2 || words.some((word, at) => isPlaceholder(word) && words[at - 1] !== '--during-exam') ? [] : [words];
    }),
  );
}

const writes =
  /^(runs (resume|undo|settle|forget)|exams (create|update|delete|send-emails|clone|shift|delay|apply)|sessions (create|update|delete|extend|move|import)|students add|accommodations apply|proctors (add|remove)|state accept|api (POST|PATCH|PUT|DELETE))/;

/** Whether a command line can change something, or only looks. */
export function isWriting(words: readonly string[]): boolean {
  return writes.test(words.slice(0, 2).join(' '));
}

/** The first command line of a failure that goes on; the one that looks, if there is no other. */
export function wayOn(stderr: string): string[] | undefined {
  const commands = commandsIn(stderr);
  return commands.find(isWriting) ?? commands[0];
}

/** Whether a text offers a flag. */
export const offers = (stderr: string, flag: string) => new RegExp(`${flag}(?![\\w-])`).test(stderr);
