import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { ClosedPipe } from '../../src/host/host.ts';
import { formats } from '../../src/output/formats.ts';
import { ofSources } from '../support/memory.ts';
import { failing, list, one, paper, show, terminal } from './paper.ts';

const token = 'tok-1234567890-secret';

describe.each(formats)('secrets in %s', (format) => {
  const rows = [{ id: 'a', pin_code: '4711', exam: { id: 7, Secret_Key: 'open sesame' } }];

  test.each([paper(), terminal()])('are masked under their keys', async (stdout) => {
    const { text } = await show(list(rows), format, stdout);
    expect(text).not.toMatch(/4711|open sesame/);
    if (format !== 'id') expect(text.replaceAll('\\', '')).toContain('********');
    expect(rows[0]?.pin_code).toBe('4711');
  });

  test('are shown only where that is asked for', async () => {
    const { text } = await show(one({ id: token, token }, [], 'token'), format, paper(), { showSecrets: true });
    expect(text).toContain(token);
  });
});

test('masks a secret before a cell is cut, not after', async () => {
  const secret = `${'abcdefgh'.repeat(8)}`;
  const { text } = await show(list([{ id: 1, note: secret, other: 'x'.repeat(80) }]), 'table', terminal(40), {
    masked: (text) => text.replaceAll(secret, '********'),
  });
  expect(text).not.toContain('abcd');
});

test('writes nothing for nothing', async () => {
  for (const format of formats) expect((await show({ kind: 'nothing' }, format)).writes).toEqual([]);
});

test.each(formats)('of a list that fails partway, %s shows whole rows or nothing', async (format) => {
  const shown = { table: '', json: '', ndjson: '{"id":1}\n{"id":2}\n', csv: 'id\r\n1\r\n2\r\n', id: '' };
  for (const [rows, text] of [
    [[{ id: 1 }, { id: 2 }], shown[format]],
    [[], ''],
  ] as const) {
    const stdout = paper();
    await expect(show(list(failing(rows), [{ key: 'id' }]), format, stdout)).rejects.toThrow('the service hung up');
    expect(stdout.writes.join('')).toBe(text);
  }
});

test.each(formats)('lets the end of a closed pipe through in %s', async (format) => {
  const stdout = paper({ write: () => Promise.reject(new ClosedPipe()) });
  await expect(show(list([{ id: 1 }]), format, stdout)).rejects.toThrow(ClosedPipe);
});

test('no format loads a library, but for the tables of Unicode where a text needs them; in a pipe neither colours nor frames', () => {
  const program = `
    import { registerHooks } from 'node:module';
    const loaded = new Set();
    registerHooks({
      load(url, context, next) {
        const name = /node_modules\\/([^/]+)/.exec(url);
        if (name) loaded.add(name[1]);
        return next(url, context);
      },
    });
    const { render } = await import('./src/output/index.ts');
    const { formatRules } = await import('./src/output/formats.ts');
    const stdout = { isTTY: false, columns: undefined, write: async () => {} };
    const common = { showSecrets: false, masked: (text) => text, timeZone: 'UTC', color: true, plain: false, stdout, note() {} };
    const show = async (format, name) => {
      const rows = [{ id: 1, name, t: '2026-11-21T09:00:00Z' }];
      await render({ kind: 'list', rows, columns: [{ key: 'name' }, { key: 't', as: 'time' }] }, { ...common, format: formatRules[format] });
      return [...loaded];
    };
    for (const format of ${JSON.stringify(formats)}) await show(format, 'Ångström');
    console.log(JSON.stringify([[...loaded], await show('table', 'नमस्ते')]));`;
  const [before, after] = JSON.parse(
    execFileSync(process.execPath, ['--no-warnings', '--input-type=module', '-e', program], { env: ofSources, encoding: 'utf8' }),
  );
  expect(before).toEqual([]);
  expect(after).toContain('string-width');
  for (const name of ['chalk', 'cli-table3']) expect(after).not.toContain(name);
});
