import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configFolder, sandboxFolder, stateFolder } from '../../src/config/folders.ts';

const unix = { home: '/home/ada', platform: 'linux' };

describe('the folder of the configuration', () => {
  test.each([
    ['PROCTOR_CONFIG_DIR before all', { PROCTOR_CONFIG_DIR: '/srv/proctor', XDG_CONFIG_HOME: '/xdg' }, '/srv/proctor'],
    ['then XDG_CONFIG_HOME', { XDG_CONFIG_HOME: '/xdg' }, '/xdg/proctor-cli'],
    ['then the home folder', {}, '/home/ada/.config/proctor-cli'],
    ['empty variables are none', { PROCTOR_CONFIG_DIR: '', XDG_CONFIG_HOME: '' }, '/home/ada/.config/proctor-cli'],
    ['a relative XDG_CONFIG_HOME is ignored, as its specification says', { XDG_CONFIG_HOME: 'xdg' }, '/home/ada/.config/proctor-cli'],
    ['a relative PROCTOR_CONFIG_DIR begins here', { PROCTOR_CONFIG_DIR: 'conf' }, resolve('conf')],
  ])('%s', (_rule, env, folder) => {
    expect(configFolder({ ...unix, env })).toBe(folder);
  });

  test('is below ~/.config on macOS too, and in APPDATA on Windows', () => {
    expect(configFolder({ env: {}, home: '/Users/ada', platform: 'darwin' })).toBe('/Users/ada/.config/proctor-cli');
    expect(configFolder({ env: { APPDATA: '/roaming' }, home: '/u', platform: 'win32' })).toBe('/roaming/proctor-cli');
  });

  test('is asked for by name where there is no home', () => {
    const nowhere = { env: {}, home: '', platform: 'linux' };
    expect(() => configFolder(nowhere)).toThrow(
      expect.objectContaining({ code: 'invalid_config', hint: expect.stringContaining('PROCTOR_CONFIG_DIR') }),
    );
    expect(() => stateFolder(nowhere)).toThrow(expect.objectContaining({ hint: expect.stringContaining('PROCTOR_STATE_DIR') }));
  });
});

test('the state has a folder of its own, the sandbox one inside it', () => {
  expect(stateFolder({ ...unix, env: {} })).toBe('/home/ada/.local/state/proctor-cli');
  expect(stateFolder({ ...unix, env: { XDG_STATE_HOME: '/xdg' } })).toBe('/xdg/proctor-cli');
  expect(sandboxFolder({ ...unix, env: { PROCTOR_STATE_DIR: '/state' } })).toBe('/state/sandbox');
});
