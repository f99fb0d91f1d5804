/**
 * What a release is made of, each step a command of its own: `npm run release:ready`, `release:files`,
 * `release:checksums` and `release:manifests`. docs/releasing.md says when each is run.
 */
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packFolder } from './archive.ts';
import { writeChecksums } from './checksums.ts';
import { maintainerOf, packDeb } from './deb.ts';
import { archiveExecutable, buildExecutable } from './executable.ts';
import { writeManifests } from './manifests.ts';
import { name, version } from './product.ts';
import { obstacles, releaseNotes } from './ready.ts';
import { repositoryOf } from './repository.ts';
import { inStage } from './stage.ts';
import { packTarball } from './tarball.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { output: { type: 'string', default: 'release' }, repository: { type: 'string' }, tag: { type: 'string' } },
});
const { output } = values;
const [step = '', ...given] = positionals;
const parts = ['package', 'executable', ...(process.platform === 'linux' ? ['deb'] : [])];

const steps: Record<string, () => string[]> = { ready, files, checksums, manifests };

function ready(): string[] {
  if (!values.tag) throw new Error('Name the tag of the release: --tag vVERSION.');
  const found = obstacles(values.tag);
  if (found.length > 0) throw new Error(found.join('\n'));
  return [];
}

/** The parts that are named, or all that this platform builds. */
function files(): string[] {
  const unknown = given.find((part) => !parts.includes(part));
  if (unknown !== undefined) throw new Error(`${unknown} is none of ${parts.join(', ')}.`);
  const wanted = new Set(given.length > 0 ? given : parts);
  const repository = repositoryOf(values.repository);
  const maintainer = wanted.has('deb') ? maintainerOf(process.env) : '';
  mkdirSync(output, { recursive: true });
  return inStage((stage) => {
    const written: string[] = [];
    if (wanted.has('executable') || wanted.has('deb')) buildExecutable(stage);
    if (wanted.has('executable')) written.push(...archiveExecutable(stage, output));
    if (wanted.has('deb')) written.push(packDeb(stage, { output, maintainer, repository }));
    if (wanted.has('package')) {
      written.push(packTarball(stage, { output, repository }));
      for (const [file, as] of [
        ['sbom.cdx.json', '.cdx.json'],
        ['THIRD-PARTY-NOTICES.txt', '-THIRD-PARTY-NOTICES.txt'],
      ] as const) {
        const copy = join(output, `${name}-${version}${as}`);
        cpSync(join(stage, 'dist', file), copy);
        written.push(copy);
      }
    }
    return [...written, ...checksums()];
  });
}

function checksums(): string[] {
  if (!existsSync(output)) throw new Error(`${output} is missing: npm run release:files makes it.`);
  return [writeChecksums(output)];
}

function manifests(): string[] {
  const repository = repositoryOf(values.repository);
  if (!repository) throw new Error('Say where the release is: --repository OWNER/NAME or PROCTOR_REPOSITORY.');
  if (!existsSync(join(output, 'SHA256SUMS'))) throw new Error(`${output} has no SHA256SUMS: npm run release:checksums writes it.`);
  const notes = join(output, 'manifests/release-notes.md');
  const archive = join(output, 'manifests.tar.gz');
  const written = writeManifests(output, repository);
  writeFileSync(notes, releaseNotes());
  packFolder(output, 'manifests', archive);
  return [...written, notes, archive, ...checksums()];
}

try {
  const perform = steps[step];
  if (!perform) throw new Error(`"${step}" is none of ${Object.keys(steps).join(', ')}.`);
  for (const file of perform()) console.log(file);
} catch (error) {
  console.error(`error: ${(error as Error).message}`);
  process.exitCode = 1;
}
