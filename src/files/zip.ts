/** Packs texts into a ZIP archive (APPNOTE 6.3), all of them compressed, and the same for the same texts. */
import { crc32, deflateRawSync } from 'node:zlib';

/** ZIP has no year before 1980. */
const firstDay = (1 << 5) | 1;
const [local, central, end] = [0x04034b50, 0x02014b50, 0x06054b50];
/** Version 2.0, names in UTF-8, deflated. */
const [version, flags, deflated] = [20, 1 << 11, 8];

export function zipped(parts: Readonly<Record<string, string>>): Uint8Array {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, text] of Object.entries(parts)) {
    const [name, content] = [Buffer.from(path), Buffer.from(text)];
    const packed = deflateRawSync(content);
    const about = [version, flags, deflated, 0, firstDay];
    const sizes = [crc32(content), packed.length, content.length];
    const header = Buffer.concat([long(local), short(...about), long(...sizes), short(name.length, 0), name]);
    files.push(header, packed);
    const more = [short(name.length, 0, 0, 0, 0), long(0, offset), name];
    directory.push(long(central), short(version, ...about), long(...sizes), ...more);
    offset += header.length + packed.length;
  }
  const list = Buffer.concat(directory);
  const count = Object.keys(parts).length;
  return Buffer.concat([...files, list, long(end), short(0, 0, count, count), long(list.length, offset), short(0)]);
}

function short(...values: readonly number[]): Buffer {
  return Buffer.from(Uint16Array.from(values).buffer);
}

function long(...values: readonly number[]): Buffer {
  return Buffer.from(Uint32Array.from(values).buffer);
}
