/** `npm run compare-workbooks FOLDER`: each cell of the workbooks of a folder that our reader and another one show differently. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { differencesIn } from './second-reader.ts';

const [folder = 'test/fixtures/workbooks'] = process.argv.slice(2);
const names = readdirSync(folder).filter((name) => /\.xls[xm]$/i.test(name));
let [named, unnamed] = [0, 0];
for (const name of names) {
  const found = await differencesIn(readFileSync(join(folder, name))).catch((error: Error) => error.message);
  if (typeof found === 'string') {
    console.log(`${name}: the other reader refuses it: ${found}`);
    continue;
  }
  for (const { sheet, place, ours, theirs, reason } of found) {
    console.log(`${name} ${sheet} ${place}: ${JSON.stringify(ours)}, not ${JSON.stringify(theirs)}${reason ? ` (${reason})` : ''}`);
    if (reason) named += 1;
    else unnamed += 1;
  }
}
console.log(`${names.length} workbooks: ${unnamed} differences without a reason, ${named} with one.`);
process.exitCode = unnamed > 0 ? 1 : 0;
