/** What Homebrew, Scoop and winget are given: the templates in packaging, filled from the checksums of a release. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readChecksums } from './checksums.ts';
import { baseName, license, name, synopsis, version } from './product.ts';
import type { Repository } from './repository.ts';
import { root } from './stage.ts';

/** Where each template goes, by the owner of the repository. */
const templates: Record<string, (owner: string) => string> = {
  'homebrew/proctor-cli.rb': () => `homebrew/${name}.rb`,
  'scoop/proctor-cli.json': () => `scoop/${name}.json`,
  'winget/version.yaml': (owner) => `winget/${owner}.${name}.yaml`,
  'winget/installer.yaml': (owner) => `winget/${owner}.${name}.installer.yaml`,
  'winget/locale.en-US.yaml': (owner) => `winget/${owner}.${name}.locale.en-US.yaml`,
};

/** Reads SHA256SUMS of the folder and writes `manifests` into it. Throws if a template needs a file that is not in the list. */
export function writeManifests(folder: string, repository: Repository): string[] {
  const sums = readChecksums(folder);
  return Object.entries(templates).map(([template, place]) => {
    const text = filled(readFileSync(join(root, 'packaging', template), 'utf8'), repository, sums);
    const file = join(folder, 'manifests', place(repository.owner));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  });
}

const archiveOf = (platform: string) => `${baseName(platform)}${platform.startsWith('windows-') ? '.zip' : '.tar.gz'}`;

function filled(template: string, { owner, home }: Repository, sums: ReadonlyMap<string, string>): string {
  const sumOf = (platform: string) => {
    const sum = sums.get(archiveOf(platform));
    if (!sum) throw new Error(`SHA256SUMS has no ${archiveOf(platform)}.`);
    return sum;
  };
  const constants: Record<string, string> = { version, synopsis, license, home, owner };
  const ofPlatform: Record<string, (platform: string) => string> = {
    url: (platform) => `${home}/releases/download/v${version}/${archiveOf(platform)}`,
    base: baseName,
    sha256: sumOf,
    SHA256: (platform) => sumOf(platform).toUpperCase(),
  };
  return template.replaceAll(/\{\{(\w+)(?: ([\w-]+))?\}\}/g, (place, key: string, platform?: string) => {
    const value = platform === undefined ? constants[key] : ofPlatform[key]?.(platform);
    if (value === undefined) throw new Error(`A template of packaging has a place that nothing fills: ${place}`);
    return value;
  });
}
