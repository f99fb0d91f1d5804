/**
 * The encoding of a roster: that of its byte order mark, otherwise UTF-8. Any other is never guessed: `--encoding`
 * names it.
 */
import { CliError } from '../../errors.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { quote } from './quote.ts';
import { type Position, positionBehind } from './text-lines.ts';

/** The encodings that can be named. As everywhere on the web, iso-8859-1 is read as its superset windows-1252. */
export const encodings = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1252',
  'iso-8859-1',
  'iso-8859-15',
  'windows-1250',
  'iso-8859-2',
  'windows-1251',
  'windows-1253',
  'windows-1254',
  'macintosh',
] as const;

/** Bytes that can be read again from the beginning. */
export type Bytes = { name: string; bytes(): AsyncIterable<Buffer> };

/** A word that is not plain ASCII. */
const oddWord = /[^\s,;"<>@]{0,40}[^\0-\x7f][^\s,;"<>@]{0,40}/;

/** The encoding of a text, after reading all of it: no later reading of it can fail, and none meets a NUL. */
export async function encodingOf(file: Bytes, named: string | undefined): Promise<string> {
  const marked = await markedEncoding(file);
  const declared = named === undefined ? undefined : known(named);
  if (marked && declared && marked !== declared) {
    throw new CliError('invalid_input', sentence`${file.name} begins with a ${marked} byte order mark, but --encoding says ${declared}.`, {
      hint: 'Leave out --encoding.',
    });
  }
  if (declared && !declared.startsWith('utf')) await refuseUtf8(file, declared);
  const encoding = declared ?? marked ?? 'utf-8';
  const bad = await firstBad(file, encoding);
  if (!bad) return encoding;
  const place = `${file.name}, line ${bad.line}, column ${bad.column}`;
  if (bad.character === '\0') throw new CliError('invalid_input', sentence`${place}: NUL character.`, { hint: await nulHint(file) });
  if (declared || marked) {
    throw new CliError('invalid_input', sentence`${place}: invalid ${encoding}.`, { hint: 'Save it again as UTF-8.' });
  }
  const word = quote((await firstOddWord(file, 'windows-1252')) ?? '');
  throw new CliError('invalid_input', sentence`${place}: invalid UTF-8.`, {
    hint: sentence`As windows-1252, the first word in doubt is ${word}: if that is right, add --encoding windows-1252. Otherwise name the encoding of the file, or save it as UTF-8.`,
  });
}

/** The first word that is not plain ASCII. */
async function firstOddWord(file: Bytes, encoding: string): Promise<string | undefined> {
  for await (const text of decoded(file, encoding)) {
    const word = oddWord.exec(text)?.[0];
    if (word !== undefined) return word;
  }
  return undefined;
}

/** Throws `invalid_input` for UTF-8 that another encoding would garble: text in that encoding is almost never valid UTF-8 by chance. */
async function refuseUtf8(file: Bytes, declared: string): Promise<void> {
  if (!(await isText(file, 'utf-8'))) return;
  const word = await firstOddWord(file, 'utf-8');
  if (word === undefined) return;
  const garbled = new TextDecoder(declared).decode(Buffer.from(word));
  throw new CliError(
    'invalid_input',
    sentence`${file.name} is UTF-8: read as ${declared}, ${quote(word)} would become ${quote(garbled)}.`,
    {
      hint: 'Leave out --encoding.',
    },
  );
}

/** The text of a file whose encoding is known. A byte order mark is no part of it. */
export async function* decoded(file: Bytes, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  for await (const chunk of file.bytes()) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

function known(name: string): string {
  const encoding = encodings.find((one) => one.replaceAll(/\W/g, '') === name.toLowerCase().replaceAll(/\W/g, ''));
  if (encoding) return encoding;
  const otherwise = encodings.find((one) => one === canonical(name));
  if (otherwise) return otherwise;
  throw new CliError('usage', sentence`Unknown encoding ${JSON.stringify(name)}.`, {
    hint: sentence`Known encodings: ${encodings.join(', ')}.`,
  });
}

/** The name that the web's standard has for cp1252, latin1, l9 and the like. */
function canonical(name: string): string | undefined {
  try {
    return new TextDecoder(name.trim()).encoding;
  } catch {
    return undefined;
  }
}

async function markedEncoding(file: Bytes): Promise<string | undefined> {
  const [a, b, c] = await beginning(file);
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  return a === 0xfe && b === 0xff ? 'utf-16be' : undefined;
}

/** The first chunk. */
async function beginning(file: Bytes): Promise<Buffer> {
  for await (const chunk of file.bytes()) return chunk;
  return Buffer.alloc(0);
}

/** The first place that the encoding does not allow, or that holds a NUL; no character at the end of a text that is cut off. */
async function firstBad(file: Bytes, encoding: string): Promise<(Position & { character: string }) | undefined> {
  if (await isText(file, encoding)) return undefined;
  const decoder = new TextDecoder(encoding);
  let place: Position = { line: 1, column: 1 };
  for await (const chunk of file.bytes()) {
    const text = decoder.decode(chunk, { stream: true });
    const at = text.search(/[\0\ufffd]/);
    place = positionBehind(place, at < 0 ? text : text.slice(0, at));
    if (at >= 0) return { ...place, character: text.charAt(at) };
  }
  return { ...place, character: '' };
}

async function isText(file: Bytes, encoding: string): Promise<boolean> {
  try {
    for await (const text of decoded(file, encoding)) if (text.includes('\0')) return false;
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

/** UTF-16 without its mark looks like Latin letters with NULs between them. */
async function nulHint(file: Bytes): Promise<Sentence> {
  const at = (await beginning(file)).indexOf(0);
  if (at !== 0 && at !== 1) return sentence`Remove it: rosters contain none, and other programs may cut off the text after it.`;
  return sentence`If it is UTF-16, add: --encoding ${at === 1 ? 'utf-16le' : 'utf-16be'}`;
}
