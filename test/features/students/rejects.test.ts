/** The file of rejected lines: in the roster's own columns, delimiter and encoding, to be corrected and imported as it is. */
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { refused } from '../../support/service.ts';
import { counted, errorOf, exam, one, three } from './importing.ts';

function office() {
  const made = exam();
  const path = join(made.service.home, 'rejects.csv');
  return { ...made, path, text: (encoding: BufferEncoding = 'utf8') => readFileSync(path).toString(encoding) };
}

const roster = 'email;name;Gruppe\r\nann@example.org;Ann;A\r\nnobody@here;"Bob; the second";B\r\ncy@example.org;Cy;A\r\n';
const declared = '--ignore-column Gruppe';

test('It has each invalid line as it came, with its line and reason, also where nothing else is imported, for its owner only.', async () => {
  const { imports, path, text } = office();
  const ended = await imports(roster, `${declared} --rejects ${path}`);
  expect(ended.code).toBe(3);
  expect(text()).toBe(
    '\ufeffemail;name;Gruppe;reject_line;reject_reason\r\nnobody@here;"Bob; the second";B;3;"""nobody@here"" is not an e-mail address: the domain contains no dot."\r\n',
  );
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('Corrected, it is imported as it is, and the next run replaces it.', async () => {
  const { service, imports, path, text } = office();
  const ended = await imports(roster, `${declared} --skip-invalid --rejects ${path}`);
  expect([ended.code, counted(ended)]).toEqual([9, { created: 2, invalid: 1 }]);
  const corrected = text().replace('nobody@here', 'bob@example.org');
  const again = await imports(corrected, `${declared} --rejects ${path}`);
  expect([again.code, counted(again)]).toEqual([0, { created: 1, not_in_file: 2 }]);
  expect(service.sessions.at(-1)).toMatchObject({ email: 'bob@example.org', name: 'Bob; the second' });
  expect(text()).toBe('\ufeffemail;name;Gruppe;reject_line;reject_reason\r\n');
  const removing = await imports(corrected, '--remove-missing 2');
  expect([removing.code, errorOf(removing.stderr).message, service.sessions.length]).toEqual([
    3,
    'roster.csv has rejected lines only, and --remove-missing would delete the other students.',
    3,
  ]);
  expect((await imports(corrected, '-o table')).stderr, 'it has only some of the students').not.toContain('Still in the exam');
});

test('It has lines that the service rejected, in its words, and those that differ, and none that the same command brings in.', async () => {
  const { service, imports, path, text } = office();
  service.add({ email: 'ann@example.org', name: 'Anna' });
  service.next('POST', refused(422, { message: 'mailbox unknown' }), { answer: 'lost', done: 'never' });
  const ended = await imports(`${three}`, `--rejects ${path}`);
  expect(counted(ended)).toEqual({ different: 1, rejected: 1, absent: 1 });
  expect(
    text()
      .split('\r\n')
      .map((line) => line.split(',')[0]),
  ).toEqual(['\ufeffemail', 'ann@example.org', 'bob@example.org', '']);
  expect(text()).toContain('mailbox unknown');
});

test.each([
  ['windows-1252', (given: string) => Buffer.from(given, 'latin1'), '--encoding windows-1252'],
  ['UTF-16', (given: string) => Buffer.from(`\ufeff${given}`, 'utf16le'), ''],
])('It is written in the encoding of its roster (%s), and read again with the same options.', async (_, bytes, option) => {
  const { service, imports, path } = office();
  const text = 'email\tname\r\nnobody@here\tJörg Müßig\r\n';
  expect((await imports(bytes(text), `${option} --rejects ${path}`)).code).toBe(3);
  const written = readFileSync(path);
  const fixed =
    option === ''
      ? Buffer.from(written.toString('utf16le').replace('nobody@here', 'j@example.org'), 'utf16le')
      : Buffer.from(written.toString('latin1').replace('nobody@here', 'j@example.org'), 'latin1');
  expect((await imports(fixed, option)).code).toBe(0);
  expect(service.sessions).toMatchObject([{ email: 'j@example.org', name: 'Jörg Müßig' }]);
});

test('A line with too many cells stays invalid until each cell is under its header.', async () => {
  const { imports, path, text } = office();
  await imports('email,name\nann@example.org,Ann,Lee,x\nbob@example.org,Bob,x\n', `--rejects ${path}`);
  const again = await imports(text());
  expect([again.code, again.report.problems.length]).toEqual([3, 2]);
});

test('It holds no passwords, and gives a spreadsheet no formula.', async () => {
  const { imports, path, text } = office();
  await imports(
    'email,name,Password,note\nnobody@here,=1+1,hunter2,"x;=cmd|calc"\nbob@example.org,Bob,Lee,hunter2,x\n',
    `--ignore-column Password --ignore-column note --rejects ${path}`,
  );
  expect(text()).not.toContain('hunter2');
  expect(text()).toContain('nobody@here,\'=1+1,********,"x;\'=cmd|calc"');
});

test('No column leads a request elsewhere, whatever it is called.', async () => {
  const { service, imports } = office();
  const origins = new Set<unknown>();
  const dispatch: Dispatcher['dispatch'] = (options, handler) => {
    origins.add(options.origin);
    return service.dispatcher.dispatch(options, handler);
  };
  const dispatcher = Object.assign(Object.create(service.dispatcher), { dispatch });
  const sent = ['baseUrl', 'base_url', 'host', 'href', 'authPrefix', 'Authorization', 'Location', 'PROCTOR_BASE_URL'];
  const secret = ['token', 'tokenCommand', 'PROCTOR_TOKEN'];
  const row = [...sent, ...secret].map(() => 'https://evil.example').join(',');
  const declared = [...sent.map((name) => `--map ${name}=${name}`), ...secret.map((name) => `--ignore-column ${name}`)].join(' ');
  const ended = await imports(`email,${[...sent, ...secret].join(',')}\nann@example.org,${row}\n`, declared, { dispatcher });
  expect([ended.code, [...origins]], ended.stderr).toEqual([0, [service.origin]]);
  expect(Object.keys(service.written()[0]?.body ?? {})).toEqual(['email', ...sent]);
  expect(new Set(service.arrived.map(({ headers }) => headers.authorization))).toEqual(new Set(['apiServiceToken a-token-of-the-tests']));
});

test('That it cannot be written is said, also where the import fails by itself.', async () => {
  const { service, imports, path } = office();
  service.fault = ({ line }) => void (line.startsWith('POST') && mkdirSync(path, { recursive: true }));
  const { code, stderr } = await imports(roster, `${declared} --skip-invalid -o table --rejects ${path}`);
  expect([code, stderr]).toEqual([9, expect.stringContaining('rejects.csv" is a folder.\n')]);
  expect(stderr).toMatch(/\nhint: Correct these lines, and import the file again\.\n$/);
});

describe('Before anything is sent,', () => {
  test('another file, a link, a folder and the roster itself are refused.', async () => {
    const { service, imports, path } = office();
    writeFileSync(path, 'email,name\nprecious@example.org,P\n');
    const link = join(service.home, 'link.csv');
    symlinkSync(join(service.home, 'target.csv'), link);
    mkdirSync(join(service.home, 'folder'));
    const place = (name: string) => `--rejects ${join(service.home, name)}`;
    for (const ending of ['', ' --dry-run']) {
      const codes: number[] = [];
      for (const name of ['rejects.csv', 'link.csv', 'folder', 'nowhere/x.csv', 'roster.csv'])
        codes.push((await imports(one, place(name) + ending)).code);
      expect([codes, service.requests()], ending).toEqual([[3, 2, 2, 3, 2], []]);
    }
    expect(readFileSync(path, 'utf8')).toContain('precious');
    // Where nobody has named a file, it stands beside the roster.
    writeFileSync(join(service.home, 'roster.csv.rejects.csv'), 'precious');
    expect(await imports(roster, declared, { tty: true })).toMatchObject({ code: 3, questions: [] });
  });

  test('a dry run and a check write none.', async () => {
    const { imports, path, service } = office();
    for (const args of ['--dry-run', '--check']) expect((await imports(roster, `${declared} ${args} --rejects ${path}`)).code).toBe(3);
    expect(() => statSync(path)).toThrow('ENOENT');
    expect(service.writes()).toEqual([]);
  });
});
