/**
 * What a person has answered about the columns of a file, kept for files with this header: names of columns, and the values that say who
 * counts. On terminals only: a script has its options.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Context } from '../../command.ts';
import { configFolder } from '../../config/folders.ts';
import { makePrivateFolder, writePrivateFile } from '../../files/private-files.ts';
import { type Host, systemReason } from '../../host/host.ts';
import { type Layout, noLayout } from '../../roster/layout.ts';
import { sentence } from '../../text/sentence.ts';

/** `what`: the kind of table. */
type Kept = { what: string; header: readonly string[]; answers: Layout };

/** Of further headers, the one that was used longest ago is forgotten. */
const mostKept = 50;

/** The answers for files with this header. */
export function rememberedFor(host: Host, what: string, header: readonly string[]): Layout {
  return keptIn(host).find((one) => isFor(one, what, header))?.answers ?? noLayout;
}

/** Says so where it cannot be kept: the answers hold for this time all the same. */
export async function remember({ host, warn }: Context, what: string, header: readonly string[], answers: Layout): Promise<void> {
  const all = [{ what, header, answers }, ...keptIn(host).filter((one) => !isFor(one, what, header))].slice(0, mostKept);
  try {
    const path = answersFile(host);
    makePrivateFolder(dirname(path));
    await writePrivateFile(path, `${JSON.stringify(all, undefined, 1)}\n`, { replace: true });
  } catch (error) {
    warn(sentence`The answers are not kept for the next file: ${systemReason(error)}.`);
  }
}

function isFor(one: Kept, what: string, header: readonly string[]): boolean {
  return one.what === what && JSON.stringify(one.header) === JSON.stringify(header);
}

export function answersFile(host: Host): string {
  return join(configFolder(host), 'columns.json');
}

/** None where there is no file, or one that cannot be read: then the questions are asked again. */
function keptIn(host: Host): Kept[] {
  try {
    return JSON.parse(readFileSync(answersFile(host), 'utf8')) as Kept[];
  } catch {
    return [];
  }
}
