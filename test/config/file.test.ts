import { mkdirSync, symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/profiles.ts';
import { unknownKeys } from '../../src/config/store.ts';
import { withoutRights } from '../support/rights.ts';
import { hostOf } from '../support/run.ts';
import { stored } from './stored.ts';

test('keys that nobody reads are named', () => {
  expect(unknownKeys(readConfig(stored('{"profiles":{"a":{"timezone":"UTC"}}}').host))).toBeUndefined();
  expect(unknownKeys(readConfig(stored('{"curent":"x","profiles":{"a":{"timezon":7,"zzz":""}}}').host))).toBe(
    'The configuration has unknown keys: curent, profiles.a.timezon, profiles.a.zzz.',
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
    ['{\n  "profiles": {\n    "default": {"token": "Sup3rS3cret" oops\n  }\n}', 'line 3, column'],
    ['{"profiles": {}', 'line 1, column 16'],
    ['{"profiles": {}} more', 'line 1, column 18'],
    ['Sup3rS3cret', 'cut short or broken'],
    [Buffer.from('{"a":\n "\xff"}', 'latin1'), 'it is not UTF-8 text'],
    ['[]', 'it is not an object'],
    ['{}', 'profiles is not an object'],
    ['{"profiles":{"a":{"token":123456789}}}', 'profiles.a.token is not a string'],
    ['{"profiles":{"a b":{}}}', '"a b" is not a valid profile name'],
    ['{"profiles":{"__proto__":{"token":"x"}}}', '"__proto__" is not a valid profile name'],
    ['{"profiles":{},"current":7}', 'current is not a string'],
    // Either of two may be meant.
    ['{"profiles":{"a":{"token":"Sup3rS3cret",\n "token":"0th3rS3cret"}}}', '"token" occurs twice in one object.$'],
  ])('%j is invalid: %s', (content, why) => {
    const { host, path } = stored(content);
    const message = expect.stringMatching(new RegExp(`is invalid.*${why}`));
    expect(() => readConfig(host)).toThrow(expect.objectContaining({ code: 'invalid_config', exit: 3, message }));
    expect(() => readConfig(host)).toThrow(path);
    expect(() => readConfig(host)).not.toThrow('rS3cret');
  });

  test('is refused where it is a folder', () => {
    const other = stored();
    mkdirSync(other.path);
    expect(() => readConfig(other.host)).toThrow('it is not a file');
  });

  test.skipIf(withoutRights)('is refused where it is a link to nowhere, with the way to another one', () => {
    const third = stored();
    symlinkSync('/nonexistent/config.json', third.path);
    const hint = expect.stringContaining('export PROCTOR_CONFIG_DIR=FOLDER');
    const message = `The configuration file ${third.path} could not be read: no such file or directory (ENOENT).`;
    expect(() => readConfig(third.host)).toThrow(expect.objectContaining({ message, hint }));
  });
});
