import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readConfig, unknownKeys } from '../../src/config/file.ts';
import { hostOf } from '../support/run.ts';

function stored(content: string | Buffer) {
  const host = hostOf();
  const folder = host.env.PROCTOR_CONFIG_DIR ?? '';
  const path = join(folder, 'config.json');
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(path, content, { mode: 0o600 });
  return { host, folder, path };
}

test('keys that nobody reads are named, each with the one that was probably meant', () => {
  expect(unknownKeys(readConfig(stored('{"profiles":{"a":{"timezone":"UTC"}}}').host))).toBeUndefined();
  expect(unknownKeys(readConfig(stored('{"curent":"x","profiles":{"a":{"timezon":7,"zzz":""}}}').host))).toBe(
    'The configuration has unknown keys: curent (did you mean current?), profiles.a.timezon (did you mean timezone?), profiles.a.zzz.',
  );
});

describe('the configuration file', () => {
  test('that is missing is empty; so is one without a place', () => {
    expect(readConfig(hostOf())).toEqual({ profiles: {} });
    expect(readConfig({ ...hostOf({ env: { PROCTOR_CONFIG_DIR: '' } }), home: '' })).toEqual({ profiles: {} });
    // The mark is that of Windows editors.
    expect(readConfig(stored('\uFEFF{"profiles":{}}').host)).toEqual({ profiles: {} });
  });

  test.each([
    ['', 'cut short or broken'],
    ['{\n  "profiles": {},\n}', 'line 3, column 1'],
    ['{\n  "profiles": {\n    "default": oops\n  }\n}', 'cut short or broken'],
    ['{"profiles": {}', 'line 1, column 16'],
    ['{"profiles": {}} more', 'line 1, column 18'],
    ['secret', 'cut short or broken'],
    [Buffer.from('{"a":\n "\xff"}', 'latin1'), 'it is not UTF-8 text'],
  ])('%j is invalid: %s', (content, place) => {
    const { host, path } = stored(content);
    expect(() => readConfig(host)).toThrow(
      expect.objectContaining({
        code: 'invalid_config',
        exit: 3,
        message: expect.stringMatching(new RegExp(`${path} is invalid.*${place}`)),
      }),
    );
  });

  test.each([
    ['[]', 'it is not an object'],
    ['{}', 'profiles is not an object'],
    ['{"profiles":{"a":{"token":123456789}}}', 'profiles.a.token is not a string'],
    ['{"profiles":{"a b":{}}}', '"a b" is not a valid profile name'],
    ['{"profiles":{"__proto__":{"token":"x"}}}', '"__proto__" is not a valid profile name'],
    ['{"profiles":{},"current":7}', 'current is not a string'],
  ])('%s: %s', (text, why) => {
    const { host, path } = stored(text);
    expect(() => readConfig(host)).toThrow(expect.objectContaining({ code: 'invalid_config', message: expect.stringContaining(path) }));
    expect(() => readConfig(host)).toThrow(why);
  });

  test('is refused where it is a folder, or a link to nowhere', () => {
    const { host, folder } = stored('');
    const elsewhere = { ...host, env: { PROCTOR_CONFIG_DIR: join(folder, 'other') } };
    mkdirSync(join(folder, 'other', 'config.json'), { recursive: true });
    expect(() => readConfig(elsewhere)).toThrow('it is not a file');
    mkdirSync(join(folder, 'third'));
    symlinkSync('/nonexistent/config.json', join(folder, 'third', 'config.json'));
    expect(() => readConfig({ ...host, env: { PROCTOR_CONFIG_DIR: join(folder, 'third') } })).toThrow('no such file or directory');
  });

  test('is refused where a setting stands twice, since either may be meant', () => {
    const { host } = stored('{"profiles":{"a":{"token":"Sup3rS3cret",\n "token":"0th3rS3cret"}}}');
    expect(() => readConfig(host)).toThrow(/config\.json is invalid: "token" occurs twice in one object\.$/);
  });
});
