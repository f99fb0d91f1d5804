/** The embedded service: the whole API on loopback. */
import type { TextFlag } from '../../command.ts';

export const folderFlag = {
  type: 'text',
  value: 'folder',
  rare: true,
  complete: 'folders',
  description: 'folder for its data, instead of the state folder',
} as const satisfies TextFlag;

export const seedFlag = {
  type: 'text',
  value: 'word',
  rare: true,
  description: 'the same seed gives the same invented data',
} as const satisfies TextFlag;
