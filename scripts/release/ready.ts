/** Whether the checkout is the release that a tag names: checked before anything is built or published. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from './product.ts';
import { root } from './stage.ts';

/** The reasons why it is not, as sentences. */
export function obstacles(tag: string): string[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { version: string };
  const changed = execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' }).trim();
  return [...obstaclesIn({ tag, version, locked: lock.version, changelog: readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), changed })];
}

type State = { tag: string; version: string; locked: string; changelog: string; changed: string };

export function* obstaclesIn({ tag, version: stated, locked, changelog, changed }: State): Generator<string> {
  if (tag !== `v${stated}`) yield `The tag is ${tag}, and package.json has version ${stated}.`;
  if (locked !== stated) yield `package-lock.json has version ${locked}, and package.json ${stated}: run npm install.`;
  const heading = /^## .*$/m.exec(changelog)?.[0] ?? '';
  if (!heading.startsWith(`## ${stated} — `)) yield `The newest heading of CHANGELOG.md is "${heading}", which is not version ${stated}.`;
  else if (!/ — \d{4}-\d{2}-\d{2}$/.test(heading)) yield `CHANGELOG.md has no date for version ${stated}: "${heading}".`;
  if (changed !== '') yield `Files are not committed:\n${changed}`;
}

/** What the changelog says of the newest version, for the page of the release. */
export function releaseNotes(): string {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  return `${(changelog.split(/^## .*$/m)[1] ?? '').trim()}\n`;
}
