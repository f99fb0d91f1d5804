// Bundles src into dist, as CommonJS, which Node starts faster: `start` and what it answers after Tab by themselves,
// the program in parts, so that a command runs only what it uses, and these packed into few files.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { common, commonJs, knownNow } from './bundling.mjs';
import { bundledPackages, noticeOf, noticesText } from './notices.mjs';
import { fromParts, packedProgram } from './packing.mjs';
import { componentOf, sbomText } from './sbom.mjs';

await rm('dist', { recursive: true, force: true });
const parts = await packedProgram();
await mkdir('dist');
for (const { file, text } of parts.files) await writeFile(join('dist', `${file}.cjs`), text);
const files = `
import { filesIn } from './src/host/compiled-code.ts';
import { codeFolder } from './src/host/startup.ts';
export const files = filesIn(__dirname, '${parts.build}', codeFolder);
`;
const scripts = await build({
  ...common,
  entryPoints: ['src/start.ts', 'src/complete.ts'],
  ...commonJs,
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
  plugins: [fromParts(parts, files, () => ({ path: './complete.cjs', external: true })), ...knownNow],
});
const packages = bundledPackages([parts.metafile, scripts.metafile]);
await writeFile('dist/THIRD-PARTY-NOTICES.txt', noticesText(packages.map(noticeOf)));
await writeFile('dist/sbom.cdx.json', sbomText(packages.map(componentOf)));

// For the tests: which library is in which part.
const [, , option, metafile] = process.argv;
if (option === '--metafile') await writeFile(metafile, JSON.stringify(parts.metafile));
