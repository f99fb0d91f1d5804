/** The docs that people read: the README and its neighbours, and the pages of docs, with their blocks of code. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');

/** Their texts, by their names as seen from the root. */
export const pages: ReadonlyMap<string, string> = new Map(
  [
    ...readdirSync(root).filter((name) => name.endsWith('.md')),
    ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
  ].map((name) => [name, readFileSync(join(root, name), 'utf8')]),
);

/** The blocks of a kind, such as `sh recipe`, in all pages. */
export function blocks(kind: string): { page: string; text: string }[] {
  return [...pages].flatMap(([page, text]) =>
    [...text.matchAll(new RegExp(`^\`\`\`${kind}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, block = '']) => ({ page, text: block })),
  );
}
