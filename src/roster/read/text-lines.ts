/**
 * A text taken apart into lines while it arrives; LF, CRLF and CR end a line, as editors count them.
 * A line longer than any roster's is refused, so that memory stays bounded.
 */
import { CliError } from '../../errors.ts';
import { sentence } from '../../text/sentence.ts';

/** A place in a text; both from 1. */
export type Position = { line: number; column: number };

export type TextLine = { line: number; text: string };

/** Characters in a line, a record or an item of JSON. */
export const longestRecord = 1 << 20;

export async function* linesOf(text: AsyncIterable<string>, name: string): AsyncGenerator<TextLine[]> {
  let line = 1;
  let rest = '';
  for await (const chunk of text) {
    const all = rest + chunk;
    // A CR at the very end may be half of a CRLF.
    const whole = all.endsWith('\r') ? all.slice(0, -1) : all;
    const parts = whole.split(/\r\n|\n|\r/);
    rest = (parts.pop() ?? '') + all.slice(whole.length);
    if (rest.length > longestRecord) throw tooLong(name, line + parts.length);
    yield parts.map((part) => ({ line: line++, text: part }));
  }
  yield rest.split('\r').map((part) => ({ line: line++, text: part }));
}

/** The place behind a text that begins at a place. */
export function positionBehind({ line, column }: Position, text: string): Position {
  const lines = text.split('\n');
  const last = lines.at(-1)?.length ?? 0;
  return { line: line + lines.length - 1, column: lines.length === 1 ? column + last : last + 1 };
}

export function tooLong(name: string, line: number): CliError {
  return new CliError('invalid_input', sentence`${name}, line ${line}: a value that begins here is longer than a million characters.`, {
    hint: 'Check that every quote and bracket is closed.',
  });
}
