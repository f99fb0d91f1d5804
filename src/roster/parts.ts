/** The parts of a workbook: XML in a ZIP archive, unpacked and parsed at once, and no further than any roster goes. */
import { crc32 } from 'node:zlib';
import { SaxesParser } from 'saxes';
import { type Entry, fromBufferPromise } from 'yauzl';
import { quote } from './quote.ts';

/** At the end of an element: its name without prefix, and the text of the cell or string so far, without hints on pronunciation. */
export type EachElement = (tag: string, attributes: { [name: string]: string }, text: string) => void;
export type Parts = { has(path: string): boolean; each(path: string, element: EachElement): Promise<void> };

/** Of all parts together: some three million cells. Bytes. */
const mostUnpacked = 256 << 20;
/** Nested elements; a sheet has seven levels. */
const deepest = 100;
/** Characters of one text, attribute or comment. */
const longest = 2 << 20;

/** Everything here throws an `Error` with the reason why the parts cannot be read. */
export async function openParts(bytes: Buffer): Promise<Parts> {
  const zip = await fromBufferPromise(bytes, { lazyEntries: true });
  const entries = new Map<string, Entry>();
  let unpacked = 0;
  for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
  return {
    has: (path) => entries.has(path),
    async each(path, element) {
      const entry = entries.get(path);
      if (!entry) throw new Error(`${quote(path)} is missing`);
      unpacked += entry.uncompressedSize;
      if (unpacked > mostUnpacked) throw new Error(`it unpacks to more than ${mostUnpacked >> 20} MB`);
      const parse = parserOf(path, element);
      const decoder = new TextDecoder('utf-8', { fatal: true });
      let sum = 0;
      for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
        sum = crc32(chunk, sum);
        parse(decoder.decode(chunk, { stream: true }));
      }
      if (sum !== entry.crc32) throw new Error(`the checksum of ${quote(path)} does not match`);
      parse(decoder.decode(), true);
    },
  };
}

function parserOf(path: string, element: EachElement): (chunk: string, isLast?: true) => void {
  const parser = new SaxesParser();
  const open: string[] = [];
  let [text, pending] = ['', 0];
  const refuse = (why: string): never => {
    throw new Error(`${quote(path)} ${why}`);
  };
  const take = (piece: string) => {
    if (['t', 'v'].includes(open.at(-1) ?? '') && !open.includes('rPh')) text += piece;
  };
  // Without the message of the parser, which quotes the text.
  parser.on('error', ({ message }) => refuse(`is incomplete XML (line ${/^\d+/.exec(message)?.[0] ?? 1})`));
  parser.on('text', take);
  parser.on('cdata', take);
  parser.on('opentag', ({ name }) => {
    const tag = name.slice(name.indexOf(':') + 1);
    if (open.push(tag) > deepest) refuse(`has elements nested more than ${deepest} levels deep`);
    if (tag === 'c' || tag === 'si') text = '';
    pending = 0;
  });
  parser.on('closetag', ({ attributes }) => {
    element(open.pop() ?? '', attributes as { [name: string]: string }, text);
    pending = 0;
  });
  return (chunk, isLast) => {
    parser.write(chunk);
    pending += chunk.length;
    if (pending > longest) refuse('contains a text of more than two million characters');
    if (isLast) parser.close();
  };
}
