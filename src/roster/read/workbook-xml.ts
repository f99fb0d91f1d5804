/** The XML of a workbook's parts, parsed while it is unpacked, with limits on the nesting and on the length of a text. */
import { SaxesParser } from 'saxes';
import { CliError } from '../../errors.ts';
import { sentence } from '../../text/sentence.ts';
import { type Bytes, decoded } from './encoding.ts';
import { longestRecord } from './text-lines.ts';

type Attributes = { [name: string]: string };
export type Handlers = { open?(name: string, attributes: Attributes): void; close?(name: string): void; text?(text: string): void };

/** Nested elements; a sheet has seven levels. */
const deepest = 100;

export function unreadable(name: string, why: string, cause?: unknown): CliError {
  return new CliError('invalid_input', sentence`${name} cannot be read: ${why}.`, { hint: 'Save the workbook again.', cause });
}

export async function readPart(file: Bytes, handlers: Handlers): Promise<void> {
  for await (const _ of parsing(file, handlers));
}

/** Feeds a part through the XML parser, and yields after each chunk. Names come without their prefix. */
export async function* parsing(file: Bytes, { open, close, text }: Handlers): AsyncGenerator<void> {
  const parser = new SaxesParser();
  let depth = 0;
  /** Characters since the end of the last tag. */
  let pending = 0;
  const local = (name: string) => name.slice(name.indexOf(':') + 1);
  const refuse = (why: string, cause?: unknown): never => {
    throw unreadable(file.name, why, cause);
  };
  parser.on('error', (error) => {
    // Without the message of the parser, which quotes the text.
    const [, line, column] = /^(\d+):(\d+):/.exec(error.message) ?? [];
    refuse(`it is incomplete XML (line ${line ?? 1}, column ${column ?? 1})`, error);
  });
  parser.on('opentag', (tag) => {
    pending = 0;
    depth += 1;
    if (depth > deepest) refuse(`elements are nested more than ${deepest} levels deep`);
    open?.(local(tag.name), tag.attributes as Attributes);
  });
  parser.on('closetag', (tag) => {
    pending = 0;
    depth -= 1;
    close?.(local(tag.name));
  });
  if (text) {
    parser.on('text', text);
    parser.on('cdata', text);
  }
  try {
    for await (const chunk of decoded(file, 'utf-8')) {
      parser.write(chunk);
      pending += chunk.length;
      if (pending > 2 * longestRecord) refuse(tooMuch);
      yield;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA') refuse('it is not UTF-8', error);
    throw error;
  }
  parser.close();
}

export const tooMuch = 'it contains a text of more than a million characters';
