/** SHA256SUMS of a folder of files to release, as `sha256sum --check` reads it. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const listName = 'SHA256SUMS';

/** Writes the list of all files in the folder itself. Returns its path. */
export function writeChecksums(folder: string): string {
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== listName)
    .map((entry) => entry.name)
    .sort();
  const lines = names.map(
    (name) =>
      `${createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex')}  ${name}\n`,
  );
  writeFileSync(join(folder, listName), lines.join(''));
  return join(folder, listName);
}

/** The checksums by file name. Throws on a line of another form. */
export function readChecksums(folder: string): ReadonlyMap<string, string> {
  const lines = readFileSync(join(folder, listName), 'utf8').trim().split('\n');
  return new Map(
    lines.map((line) => {
      const [, sum, file] = /^([\da-f]{64}) [ *]([\w.+~-]+)$/.exec(line) ?? [];
      if (!sum || !file) throw new Error(`${listName} has a line that is no checksum: ${line}`);
      return [file, sum];
    }),
  );
}
