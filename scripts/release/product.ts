/** What is released: names and versions, as each kind of file spells them. */
import { execFileSync } from 'node:child_process';
import manifest from '../../package.json' with { type: 'json' };
import { root } from './stage.ts';

export const { name, version, license } = manifest;

/** In one line without a full stop, as package managers want it. */
export const synopsis = manifest.description.split(':')[0] ?? '';

/** This platform, as the names of the files have it: `linux-x64`. */
export const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

/** The base of the names of all files of a platform. */
export const baseName = (of = platform): string => `${name}-${version}-${of}`;

/**
 * A prerelease such as 1.0.0-rc.1 comes before its release, which Debian writes with ~. GitHub renames a file with
 * that in its name, which SHA256SUMS would then not find: the name of the file has the version as it is.
 */
export const debianNames = (of = version) => ({ version: `${of.replace('-', '~')}-1`, file: `${name}_${of}-1` });

/** The time that all files get: SOURCE_DATE_EPOCH, or when the last commit was made; seconds since 1970. */
export function sourceDate(): number {
  const given = process.env.SOURCE_DATE_EPOCH;
  if (given !== undefined && !/^\d+$/.test(given)) throw new Error(`SOURCE_DATE_EPOCH is no number of seconds: ${given}`);
  return Number(given ?? execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' }));
}
