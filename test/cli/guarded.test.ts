/** The one exit: what is written to a file of the user's passes it like what is printed. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run, temporaryFolder } from '../support/run.ts';

const token = 'a-token-of-the-tests';

test('a token in a roster reaches neither the rejects file nor the file of the import result', async () => {
  const folder = temporaryFolder();
  const [roster, rejects, report] = ['roster.csv', 'rejects.csv', 'result.json'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(roster, `email,name\nada@example.org,Ada\nno-address,${token}\n`);
  const line = ['--profile', 'sandbox', 'sessions', 'import', roster, '--exam', '6', '--yes', '--skip-invalid'];
  const { code } = await run([...line, '--rejects', rejects, '--result', report, '-o', 'json'], { env: { PROCTOR_TOKEN: token } });
  expect(code).toBe(9);
  expect(readFileSync(rejects, 'utf8')).toMatch(/no-address,\*{8}/);
  for (const file of [rejects, report]) expect(readFileSync(file, 'utf8')).not.toContain(token);
});
