/** The way on that a message prints: its command lines, as a person would paste them. */

/** Words of a line, as a shell divides it. */
export function wordsOf(line: string): string[] {
  const words = line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, (_, one = '', other = '') => one + other));
}

const isPlaceholder = (word: string) => /^(<.*>|[A-Z]{2,}|…)$/.test(word);
const command = /proctor-cli ((?:"[^"]*"|'[^']*'|[^"'])*?)(?=$|[.;,:] |[.;,]$|\)| – |\s{2,}| (?:and|or|to|if|which|shows|with:) )/g;

/** The command lines in a text, each as its words without the name of the program. One with a place for what only a person knows is none. */
export function commandsIn(text: string): string[][] {
  const found = text.split('\n').flatMap((line) => [...line.matchAll(command)]);
  return found
    .map(([, rest = '']) => wordsOf(rest.replace(/[`.]+$/, '')))
    .filter(
      (words) =>
        words.length > 1 &&
        !words.includes('--help') &&
        !words.some((word, at) => isPlaceholder(word) && words[at - 1] !== '--during-exam'),
    );
}

const writes =
  /^(runs (resume|undo|forget)|exams (create|update|delete|send-emails|clone|shift|delay|apply)|sessions (create|update|delete|extend|move|import)|students add|accommodations apply|proctors (add|remove)|api (POST|PATCH|PUT|DELETE))/;

/** Whether a command line can change something, or only looks. */
export function isWriting(words: readonly string[]): boolean {
  return writes.test(words.slice(0, 2).join(' '));
}

/** The first command line of a failure that goes on; the one that looks, if there is no other. What is said before is no part of it. */
export function wayOn(stderr: string): string[] | undefined {
  const commands = commandsIn(stderr.slice(Math.max(0, stderr.search(/^error:/m))));
  return commands.find(isWriting) ?? commands[0];
}
