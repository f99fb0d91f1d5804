/** What the commands of a login share. */
import { tokenVariables } from '../../config/settings.ts';
import type { Host } from '../../host/host.ts';

/** The variable that overrides what a profile stores. */
export function tokenVariable({ env }: Host): string | undefined {
  return tokenVariables.find((name) => env[name]);
}
