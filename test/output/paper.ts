/** A stream that keeps what is written to it, and a view that shows on it: what the tests of the renderers share. */
import fc from 'fast-check';
import type { Column, Result, Row } from '../../src/command.ts';
import type { OutputStream } from '../../src/host/host.ts';
import { type Format, formatRules } from '../../src/output/formats.ts';
import { render } from '../../src/output/index.ts';
import type { View } from '../../src/output/result.ts';
import { anyCharacters } from '../support/any-characters.ts';

export type Paper = OutputStream & { writes: string[] };

export function paper(options: Partial<OutputStream> = {}): Paper {
  const writes: string[] = [];
  return {
    isTTY: false,
    columns: undefined,
    async write(text) {
      writes.push(text);
    },
    ...options,
    writes,
  };
}

export const terminal = (columns = 80) => paper({ isTTY: true, columns });

type Shown = { text: string; notes: string[]; writes: string[] };

const origin = { service: '', profile: '', zone: undefined, when: 0 };
/** What a view has only where a command asks for it. */
export const usual = { columns: undefined, save: undefined, origin, afterWrite: undefined, terminal: undefined };

/** The output of a result in a format, on a stream. */
export async function show(result: Result, format: Format, stdout: Paper = paper(), view: Partial<View> = {}): Promise<Shown> {
  const notes: string[] = [];
  const note = (text: string) => void notes.push(text);
  const common = { showSecrets: false, masked: (text: string) => text, timeZone: 'Europe/Vienna', color: false, plain: false };
  await render(result, { ...usual, ...common, format: formatRules[format], stdout, note, ...view });
  return { text: stdout.writes.join(''), notes, writes: stdout.writes };
}

export const list = (rows: Iterable<Row> | AsyncIterable<Row>, columns: readonly Column[] = []): Result => ({
  kind: 'list',
  rows,
  columns,
});
export const one = (row: Row, columns: readonly Column[] = [], only?: string): Result =>
  only === undefined ? { kind: 'one', row, columns } : { kind: 'one', row, columns, only };

/** Yields the rows, then fails. */
export async function* failing(rows: readonly Row[]): AsyncGenerator<Row> {
  yield* rows;
  throw new Error('the service hung up');
}

export const sessionColumns: readonly Column[] = [
  { key: 'id', title: 'ID' },
  { key: 'name' },
  { key: 'email' },
  { key: 'status' },
  { key: 'close_time', title: 'Closes', as: 'time' },
  { key: 'level_of_suspicion', title: 'Suspicion', as: 'suspicion' },
  { key: 'skip_requirements', as: 'boolean', detail: true },
];

/** Everything that has ever broken a table, under the name of what it is. */
export const nasty: Record<string, string> = {
  'escape sequence': '\u001b[31mred\u001b[0m\u001b]0;title\u0007',
  'C1 control': 'a\u009b31mb\u0085c\u007fd',
  'right-to-left override': 'gpj.\u202eexe.\u202c\u2066x\u2069',
  'zero width': 'jane\u200b@\ufeffexample.org\u2060',
  'line breaks': 'one\ntwo\r\nthree\u2028four\tfive',
  quotes: 'say "hi", \'you\'; \\ `$x`',
  formula: "=cmd|' /C calc'!A0",
  'full-width formula': '＝1+1',
  'lone surrogate': 'a\ud800b\udfff',
  nul: 'a\u0000b',
  Chinese: '張偉 – 监考员',
  'emoji family': '👩‍👩‍👧‍👦 🫠 🇦🇹 1️⃣',
  Hindi: 'क्षत्रिय',
  Thai: 'สมชาย ใจดี',
  Hebrew: 'שָׁלוֹם',
  long: 'x'.repeat(300),
};

/** Characters that must never reach a terminal, other than a line break. */
export const dangerous = /(?!\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029\u200b\u2060\ufeff]/u;

/** Any text, nasty ones often. */
export const anyText = fc.oneof(fc.constantFrom(...Object.values(nasty)), anyCharacters, fc.string());
/** Any row that JSON can carry. */
export const anyRow = fc.dictionary(
  fc.oneof(fc.constantFrom('id', 'name', 'email', '__proto__'), anyText),
  fc.oneof(anyText, fc.jsonValue()),
  { noNullPrototype: true },
) as fc.Arbitrary<Row>;
