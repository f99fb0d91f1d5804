/** Writes docs/commands.md and the scripts for the shells. `--check` changes nothing and fails where they differ. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { shells } from '../src/cli/complete/shells/index.ts';
import { nouns } from '../src/commands/index.ts';
import { commandReference } from './reference.ts';

const files: Record<string, string> = {
  'docs/commands.md': await commandReference(nouns),
  ...Object.fromEntries(Object.values(shells).map(({ file, script }) => [`completions/${file}`, script])),
};

for (const [name, text] of Object.entries(files)) {
  const file = new URL(`../${name}`, import.meta.url);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  if (process.argv.includes('--check')) {
    console.error(`${name} is out of date: run npm run generate.`);
    process.exitCode = 1;
  } else {
    mkdirSync(new URL('.', file), { recursive: true });
    writeFileSync(file, text);
  }
}
