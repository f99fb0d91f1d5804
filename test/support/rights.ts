/** Users and rights of files, as the tests of private files set and read them. */
import { statSync } from 'node:fs';

export const nobody = 65_534;
/** Windows shows no rights, and makes links for administrators only. */
export const withoutRights = process.platform === 'win32';
export const isRoot = process.getuid?.() === 0;
export const mode = (path: string) => (statSync(path).mode & 0o7777).toString(8);
