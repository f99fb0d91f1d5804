/** The rehearsals of the docs: each block serves the faults of its first line, and the others end with the status and the words behind them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { faultKinds, parseFault } from '../../src/sandbox/faults.ts';
import { embedded, wordsOf } from '../commands/embedded.ts';
import { blocks, pages } from './pages.ts';

/** As `seq` writes them on the page. */
const students = Array.from({ length: 40 }, (_, at) => `student${at + 1}@example.org`);

test.each(blocks('sh rehearsal'))('$text ends as the page says, and no student is lost or there twice', async ({ text }) => {
  const { home, json, under } = embedded();
  const roster = join(home, 'roster.csv');
  writeFileSync(roster, `email\n${students.join('\n')}\n`);
  const [serve = '', ...lines] = text.trimEnd().split('\n');
  let passed = 0;
  const faults = [...serve.matchAll(/--fault (\S+)/g)].map(([, fault = '']) => parseFault(fault));
  const { run } = await under(faults, { now: () => Date.now() + passed });
  for (const line of lines) {
    const [, typed = '', status, said = ''] = /^proctor-cli (.*?) +# (\d+)(?:: "(.*)")?$/.exec(line) ?? [];
    const words = wordsOf(typed).map((word) => (word === 'roster.csv' ? roster : word));
    const { code, stdout, stderr } = await run(words, {
      onSleep(milliseconds) {
        passed += milliseconds;
      },
    });
    expect(code, `${line}\n${stdout}${stderr}`).toBe(Number(status));
    expect(stdout + stderr).toContain(said);
  }
  const addresses = (await json<{ email: string | null }[]>('sessions list --exam 6')).flatMap(({ email }) => email ?? []);
  expect(addresses.filter((address) => address.startsWith('student')).sort()).toEqual(students.toSorted());
});

test('the page says what each kind of fault does', () => {
  const [, table = ''] = /^\| kind \| what happens \|\n\| --- \| --- \|\n((?:\|.*\n)*)/m.exec(pages.get('docs/sandbox.md') ?? '') ?? [];
  expect([...table.matchAll(/^\| `(.*?)` \|/gm)].map(([, kind]) => kind).sort()).toEqual(faultKinds.toSorted());
});
