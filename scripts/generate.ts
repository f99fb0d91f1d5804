/** Writes docs/commands.md. `--check` changes nothing and fails where it differs. */
import { readFileSync, writeFileSync } from 'node:fs';
import { commandReference } from './reference.ts';

const file = new URL('../docs/commands.md', import.meta.url);
const text = await commandReference();
if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  console.error('docs/commands.md is out of date: run npm run generate.');
  process.exitCode = 1;
}
