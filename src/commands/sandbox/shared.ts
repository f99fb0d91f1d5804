/** The embedded service: the whole API on loopback. */
import type { Context, TextFlag } from '../../command.ts';
import { stateFolder } from '../../config/folders.ts';
import { statePlace } from '../../files/private-files.ts';

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

/** A folder of the user's choice is judged alone. */
export function sandboxPlace({ host, reportClosed }: Context, folder?: string) {
  return { within: folder === undefined ? statePlace(stateFolder(host), host) : undefined, onClosed: reportClosed };
}
