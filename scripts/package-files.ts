/** The list of the files in the npm package, for `npm run generate`; a test compares it with what npm packs. */
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../package.json' with { type: 'json' };

/** What the build writes; the name of a file with one large part ends in a hash. */
const built = ['complete.cjs', 'program.cjs', 'request.cjs', 'start.cjs', 'table.cjs', '*-HASH.cjs'];
const beside = ['THIRD-PARTY-NOTICES.txt', 'sbom.cdx.json'];

/** The name of a file as the list has it. */
export const listedAs = (path: string): string => path.replace(/^dist\/[\w-]+-[A-Z\d]{8}\.cjs$/, 'dist/*-HASH.cjs');

/** One path a line, from a checkout. */
export function packageFiles(root: string): string {
  const patterns = manifest.files.filter((name) => name !== 'dist').flatMap((name) => [name, `${name}/**`]);
  const files = globSync(['LICENSE', 'package.json', ...patterns], { cwd: root }).filter((path) => statSync(join(root, path)).isFile());
  const all = [...files.map((path) => path.replaceAll('\\', '/')), ...[...built, ...beside].map((name) => `dist/${name}`)];
  return `${[...new Set(all)].sort().join('\n')}\n`;
}
