/** Reads the parts of an Office file (ECMA-376 part 2): XML in a ZIP archive, whose relations say which part is what. */
import { setImmediate as turn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { SaxesParser } from 'saxes';
import { fromBufferPromise } from 'yauzl';
import { quote } from '../text/sentence.ts';

/** `path`: an element and the one around it, such as `row/c`; `?` stands for an element that no workbook has. */
type EachElement = (path: string, attributes: Attributes, texts: XmlAttributes) => void;
/** `#id`: the relation that the element names. */
export type Attributes = { readonly [name: string]: string };
/** The texts of a cell or string so far, in its elements `v` and in its elements `t`, without hints on pronunciation. */
export type XmlAttributes = { readonly v: string; readonly t: string };

export type Package = {
  names: ReadonlySet<string>;
  /** Calls `ended` at the end of each element of a part; false where there is no such part. */
  parse(part: string, ended: EachElement, begun?: (path: string, attributes: Attributes) => void): Promise<boolean>;
};

/** Bytes of all parts. Rows that hardly differ unpack to 86 times as much, others to 10 or 20 times. */
const mostUnpacked = ({ length }: Buffer) => Math.min(Math.max(4 << 20, 90 * length), 256 << 20);
/** An empty part counts as so many bytes. A workbook has some ten parts. */
const leastPart = 10_000;
const mostEntries = 10_000;

export async function openPackage(bytes: Buffer, interrupted?: AbortSignal): Promise<Package> {
  const zip = await fromBufferPromise(bytes, { lazyEntries: true });
  const most = mostUnpacked(bytes);
  let unpacked = 0;
  if (zip.entryCount > mostEntries) throw new Error(`it has more than ${mostEntries} parts`);
  const entries = Map.groupBy(await Array.fromAsync(zip.eachEntry()), ({ fileName }) => partName(fileName));
  const parse: Package['parse'] = async (part, ended, begun) => {
    const [entry, another] = entries.get(part) ?? [];
    if (!entry) return false;
    if (another) throw new Error(`it has two parts ${quote(entry.fileName)}`);
    if (entry.isEncrypted()) throw new Error('it is locked by a password');
    // A part may be named often.
    unpacked += Math.max(leastPart, entry.uncompressedSize);
    if (unpacked > most) throw new Error(`it unpacks to more than ${most >> 20} MB`);
    const decoder = new TextDecoder('utf-8', { fatal: true });
    const parser = xmlParser(entry.fileName, ended, begun);
    let sum = 0;
    for await (const piece of await zip.openReadStreamPromise(entry)) {
      // Signals are heard between two turns.
      await turn();
      interrupted?.throwIfAborted();
      sum = crc32(piece, sum);
      parser.write(decoder.decode(piece, { stream: true }));
    }
    if (sum !== entry.crc32) throw new Error(`${quote(entry.fileName)} is damaged: its check sum is wrong`);
    parser.write(decoder.decode());
    parser.close();
    return true;
  };
  return { names: new Set(entries.keys()), parse };
}

/** The name of a part for comparison: from the root, in lower case, with the escapes of addresses. `target` may be relative to a folder. */
export function partName(target: string, folder = ''): string {
  const spelled = target.toLowerCase().replaceAll('#', '%23').replaceAll('?', '%3f');
  return new URL(spelled, `file:///${folder}`).pathname.slice(1).toLowerCase();
}

/** Transitional and strict. */
const relationType =
  /^http:\/\/(?:schemas\.openxmlformats\.org\/officeDocument\/2006|purl\.oclc\.org\/ooxml\/officeDocument)\/relationships(?:\/(\w+)|$)/;

/** `kind`: `worksheet`, or empty for what is not of a workbook. */
type Relation = { id: string; kind: string; part: string };

/** The relations of a part; without one, those of the whole file. */
export async function relationsOf({ parse }: Package, part = ''): Promise<Relation[]> {
  const found: Relation[] = [];
  const folder = part.slice(0, part.lastIndexOf('/') + 1);
  await parse(`${folder}_rels/${part.slice(folder.length)}.rels`, (path, { Id = '', Type = '', Target = '', TargetMode }) => {
    if (path === 'Relationships/Relationship' && TargetMode !== 'External')
      found.push({ id: Id, kind: relationType.exec(Type)?.[1] ?? '', part: partName(Target, folder) });
  });
  return found;
}

/** The namespaces of workbooks, transitional and strict, and of packages. */
const namespaces = new Set([
  'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
  'http://purl.oclc.org/ooxml/spreadsheetml/main',
  'http://schemas.openxmlformats.org/package/2006/relationships',
  'http://schemas.openxmlformats.org/package/2006/content-types',
]);

/** Characters that a cell of Excel can hold. */
const longestText = 32_767;
/** Elements in each other; a sheet has about five. */
const deepestElement = 100;

/** The namespaces by prefix; those that an outer element declares are in the prototype. */
type Scope = { [prefix: string]: string };

function xmlParser(part: string, ended: EachElement, begun?: (path: string, attributes: Attributes) => void): SaxesParser {
  const parser = new SaxesParser();
  const open: string[] = [];
  const scopes: Scope[] = [Object.create(null)];
  let [v, t, hints] = ['', '', 0];
  const take = (piece: string) => {
    const tag = hints > 0 ? undefined : open.at(-1);
    if (tag === 'v') v += piece;
    else if (tag === 't') t += piece;
    if (v.length + t.length > longestText)
      throw new Error(`${quote(part)} has a text of more than ${longestText} characters (line ${parser.line})`);
  };
  const pathTo = (tag: string) => `${open.at(-1) ?? ''}/${tag}`;
  // The parser's message quotes the text.
  parser.on('error', ({ message }) => {
    throw new Error(`${quote(part)} is incomplete XML (line ${/^\d+/.exec(message)?.[0] ?? 1})`);
  });
  parser.on('xmldecl', ({ encoding = 'utf-8' }) => {
    if (!/^(utf-8|us-ascii)$/i.test(encoding)) throw new Error(`${quote(part)} is not in UTF-8`);
  });
  parser.on('text', take);
  parser.on('cdata', take);
  parser.on('opentag', ({ name, attributes }) => {
    const scope = scopeIn(attributes as Attributes, scopes.at(-1) ?? {});
    scopes.push(scope);
    const colon = name.indexOf(':');
    const isKnown = namespaces.has(scope[name.slice(0, Math.max(0, colon))] ?? '');
    const tag = isKnown ? name.slice(colon + 1) : '?';
    begun?.(pathTo(tag), attributes as Attributes);
    if (open.push(tag) > deepestElement)
      throw new Error(`${quote(part)} is nested more than ${deepestElement} levels deep (line ${parser.line})`);
    if (tag === 'rPh') hints += 1;
    if (tag === 'c' || tag === 'si') [v, t] = ['', ''];
  });
  parser.on('closetag', ({ attributes }) => {
    scopes.pop();
    const tag = open.pop() ?? '';
    if (tag === 'rPh') hints -= 1;
    ended(pathTo(tag), attributes as Attributes, { v, t });
  });
  return parser;
}

/** Adds `#id` to the attributes where one of them is a relation. */
function scopeIn(attributes: { [name: string]: string }, around: Scope): Scope {
  const keys = Object.keys(attributes).filter((key) => key.startsWith('xmlns') || key.endsWith(':id'));
  if (keys.length === 0) return around;
  const scope: Scope = Object.create(around);
  for (const key of keys) if (/^xmlns(?::|$)/.test(key)) scope[key.slice('xmlns:'.length)] = attributes[key] ?? '';
  for (const key of keys) if (relationType.test(scope[key.slice(0, -':id'.length)] ?? '')) attributes['#id'] = attributes[key] ?? '';
  return scope;
}
