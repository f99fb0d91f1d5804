/** The version of this program, from its package. JSON that two files of the bundle share would have no default export. */
import manifest from '../../package.json' with { type: 'json' };

export const version: string = manifest.version;
