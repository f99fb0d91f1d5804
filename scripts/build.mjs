// Bundles src into dist: `start`, which answers by itself what needs nothing else, what a shell asks after Tab, the program, and
// the parts of it that few commands load.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { bundledEntry, bundledProgram } from './bundling.mjs';
import { bundledPackages, noticeOf, noticesText } from './notices.mjs';
import { componentOf, sbomText } from './sbom.mjs';

const program = await bundledProgram();
const start = await bundledEntry('src/start.ts', program.mark, { './complete.ts': './complete.cjs' });
const complete = await bundledEntry('src/complete.ts', program.mark);
const packages = bundledPackages([program, ...Object.values(program.parts), start, complete].map(({ metafile }) => metafile));
const files = {
  'start.cjs': start.text,
  'complete.cjs': complete.text,
  'program.cjs': program.text,
  ...Object.fromEntries(Object.entries(program.parts).map(([name, { text }]) => [`${name}.cjs`, text])),
  'THIRD-PARTY-NOTICES.txt': noticesText(packages.map(noticeOf)),
  'sbom.cdx.json': sbomText(packages.map(componentOf)),
};
await rm('dist', { recursive: true, force: true });
await mkdir('dist');
for (const [name, text] of Object.entries(files)) await writeFile(`dist/${name}`, text);
