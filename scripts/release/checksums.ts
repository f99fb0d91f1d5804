/** SHA256SUMS of a folder of files to release, as `sha256sum --check` reads it. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const listName = 'SHA256SUMS';

/** GitHub keeps such names; others it changes, and the list would not find the files. */
const safeName = /^[\w-][\w.-]*\w$/;

/** Writes the list of all files in the folder itself. Returns its path. Throws where a name would not stay. */
export function writeChecksums(folder: string): string {
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== listName)
    .map((entry) => entry.name)
    .sort();
  const unsafe = names.find((name) => !safeName.test(name));
  if (unsafe !== undefined) throw new Error(`GitHub would rename ${unsafe}: use letters, digits, ".", "-" and "_" only.`);
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
      const [, sum, file] = /^([\da-f]{64}) [ *]([\w.-]+)$/.exec(line) ?? [];
      if (!sum || !file) throw new Error(`${listName} has a line that is no checksum: ${line}`);
      return [file, sum];
    }),
  );
}
