/** The list of the files in the npm package, for `npm run generate`; a test compares it with what npm packs. */
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../package.json' with { type: 'json' };

/** What the build writes. */
const built = ['complete.cjs', 'postgres.cjs', 'program.cjs', 'start.cjs', 'THIRD-PARTY-NOTICES.txt', 'sbom.cdx.json'];

/** One path a line, from a checkout. */
export function packageFiles(root: string): string {
  const patterns = manifest.files.filter((name) => name !== 'dist').flatMap((name) => [name, `${name}/**`]);
  const files = globSync(['LICENSE', 'package.json', ...patterns], { cwd: root }).filter((path) => statSync(join(root, path)).isFile());
  const all = [...files.map((path) => path.replaceAll('\\', '/')), ...built.map((name) => `dist/${name}`)];
  return `${[...new Set(all)].sort().join('\n')}\n`;
}
