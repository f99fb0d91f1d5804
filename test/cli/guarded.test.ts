/** The one exit: what is written to a file of the user's passes it like what is printed. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run, temporaryFolder } from '../support/run.ts';

const token = 'a-token-of-the-tests';

test('a token in a roster reaches neither the file of rejected lines nor the result', async () => {
  const folder = temporaryFolder();
  const [roster, rejects] = [join(folder, 'roster.csv'), join(folder, 'rejects.csv')];
  writeFileSync(roster, `email,name\nada@example.org,Ada\nnobody@here,${token}\n`);
  const line = ['--profile', 'sandbox', 'sessions', 'import', roster, '--exam', '6', '--yes', '--skip-invalid', '--rejects', rejects];
  const { code, stdout } = await run([...line, '-o', 'json'], { env: { PROCTOR_TOKEN: token } });
  expect(code).toBe(9);
  expect(readFileSync(rejects, 'utf8')).toMatch(/nobody@here,\*{8}/);
  for (const text of [readFileSync(rejects, 'utf8'), stdout]) expect(text).not.toContain(token);
});
