/** The configuration has the token, its command and the address: it is used only where no other user can write it, and closed to them. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/profiles.ts';
import { examined } from '../features/doctor/examined.ts';
import { ofSources } from '../support/memory.ts';
import { isRoot, mode, nobody, withoutRights } from '../support/rights.ts';
import { hostOf, run, temporaryFolder, type World } from '../support/run.ts';
import { Service } from '../support/service.ts';

/** A machine on which a token is stored, in a folder of the user's choice or in that of the home. */
function machine(isChosen = true) {
  const home = temporaryFolder();
  const folder = isChosen ? join(home, 'config') : join(home, '.config', 'proctor-cli');
  const file = join(folder, 'config.json');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const ran: string[] = [];
  const service = new Service({ showing: { dated: false } });
  const store = (path = file) => {
    const profile = { baseUrl: service.baseUrl, tokenCommand: 'print-token' };
    writeFileSync(path, JSON.stringify({ profiles: { default: profile } }), { mode: 0o600 });
  };
  const execute = async (program: string) => {
    ran.push(program);
    return 'a-token-of-the-tests\n';
  };
  const world: World = { ...{ home, execute, dispatcher: service.dispatcher }, ...(isChosen ? {} : { env: { PROCTOR_CONFIG_DIR: '' } }) };
  store();
  return { home, folder, file, store, world, list: () => run(['exams', 'list'], world), used: () => [...ran, ...service.requests()] };
}

type Machine = ReturnType<typeof machine>;
const inFolderOf = ({ folder, file, store }: Machine, rights: number) => {
  const elsewhere = temporaryFolder();
  chmodSync(elsewhere, rights);
  store(join(elsewhere, 'dotfile.json'));
  rmSync(file);
  symlinkSync(join(elsewhere, 'dotfile.json'), file);
  return { folder, elsewhere };
};

/** Moves what is there away, and puts a link of another user to it in its place. */
const ledTo = (path: string, owner = nobody) => {
  renameSync(path, `${path}.own`);
  symlinkSync(`${path}.own`, path);
  lchownSync(path, owner, owner);
  return path;
};

describe.runIf(isRoot)('is refused before its token command runs and its address is asked', () => {
  test.each<[what: string, act: (machine: Machine) => void, why: string]>([
    ['a file of another user', ({ file }) => chownSync(file, nobody, nobody), 'it belongs to another user'],
    ['a file of theirs that they opened', ({ file }) => [chownSync(file, nobody, nobody), chmodSync(file, 0o666)], 'belongs to another'],
    ['a folder of another user', ({ folder }) => chownSync(folder, nobody, nobody), 'it belongs to another user'],
    ['a folder of all', ({ folder }) => chmodSync(folder, 0o1777), 'all users share it'],
    ['a file in a folder of all, to which a link leads', (all) => inFolderOf(all, 0o1777), 'all users share it'],
    ['a file of one’s own, to which a link of theirs leads', ({ file }) => ledTo(file), 'it belongs to another user'],
    ['a folder of theirs, to which a link of one’s own leads', ({ folder }) => chownSync(ledTo(folder, 0), nobody, nobody), 'another user'],
    ['a folder of one’s own, to which a link of theirs leads', ({ folder }) => ledTo(folder), 'it belongs to another user'],
  ])('what another user may have written is not used: %s', async (_what, act, why) => {
    const all = machine();
    act(all);
    const { code, stderr } = await all.list();
    expect([code, stderr]).toEqual([3, expect.stringContaining(why)]);
    expect(stderr).toMatch(/^error: The configuration is not used because of \S+: .*\.\nhint: .*export PROCTOR_CONFIG_DIR=FOLDER\n$/);
    expect(all.used()).toEqual([]);
    const { found, code: examinedCode } = await examined([], all.world);
    expect([examinedCode, found.settings]).toMatchObject([3, { state: 'failed', detail: expect.stringContaining(why) }]);
    expect(all.used()).toEqual([]);
  });

  test('nor what they put in its place once it was judged', () => {
    const { home, folder, world } = machine();
    const theirs = join(home, 'theirs');
    mkdirSync(theirs, { mode: 0o755 });
    writeFileSync(join(theirs, 'config.json'), '{"profiles":{"default":{"tokenCommand":"evil"}}}');
    for (const path of [theirs, join(theirs, 'config.json')]) chownSync(path, nobody, nobody);
    const exchange = () => [renameSync(folder, `${folder}.old`), renameSync(theirs, folder)];
    expect(() => readConfig(hostOf(world), exchange)).toThrow('it belongs to another user');
  });

  test('nor is a folder of one’s own closed, to which they led', async () => {
    const { folder, world } = machine(false);
    chmodSync(folder, 0o755);
    ledTo(folder);
    expect((await run(['config', 'set', 'institute', '7'], world)).code).toBe(3);
    expect(mode(folder)).toBe('755');
  });

  test('and nothing is stored in a folder of another user', async () => {
    const { folder, file, world } = machine();
    rmSync(file);
    chownSync(folder, nobody, nobody);
    expect((await run(['config', 'set', 'institute', '7'], world)).code).toBe(3);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe.skipIf(withoutRights)('what is one’s own and open to others is closed at its first use', () => {
  test.each([
    [true, 0o644, 0o755, ['600', '755']],
    [true, 0o666, 0o777, ['600', '755']],
    [false, 0o640, 0o750, ['600', '700']],
    [false, 0o666, 0o777, ['600', '700']],
    [false, 0o600, 0o755, ['600', '700']],
  ])('and no other user can read or write it: chosen folder %s, file %i, folder %i', async (isChosen, ofFile, ofFolder, closed) => {
    const { file, folder, list, used } = machine(isChosen);
    chmodSync(file, ofFile);
    chmodSync(folder, ofFolder);
    const { code, stderr } = await list();
    const paths = [folder, file].filter((path, at) => mode(path) !== [ofFolder, ofFile][at]?.toString(8)).join(' and ');
    expect([code, stderr]).toEqual([0, `warning: Other users could read or change ${paths}, until this command closed it to them.\n`]);
    expect([mode(file), mode(folder)]).toEqual(closed);
    expect(used()).toEqual(['print-token', 'GET /exams']);
    expect((await list()).stderr).toBe('');
  });

  test('unless its file system keeps no rights, as exFAT, a share and WSL do: then it is not used', () => {
    const { folder } = machine();
    chmodSync(folder, 0o777);
    const sources = (path: string) => JSON.stringify(join(import.meta.dirname, '../../src', path));
    const closed = `
      import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      fs.chmodSync = () => {};
      syncBuiltinESMExports();
      const { closePrivate, filePlace } = await import(${sources('files/private-files.ts')});
      try {
        closePrivate('The configuration', [filePlace(process.argv[1])], 'Choose another.');
      } catch ({ code, message, hint }) {
        console.log(code, message, hint);
      }`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', closed, folder], {
      env: ofSources,
      encoding: 'utf8',
    });
    const why = `The configuration is not used because of ${folder}: its file system keeps no permissions.`;
    expect([stdout, stderr]).toEqual([`invalid_config ${why} Choose another.\n`, '']);
  });

  test('without a word with --quiet', async () => {
    const { file, world } = machine();
    chmodSync(file, 0o644);
    expect(await run(['exams', 'list', '--quiet'], world)).toMatchObject({ code: 0, stderr: '' });
    expect(mode(file)).toBe('600');
  });

  test('and so is a file to which a link leads', async () => {
    const all = machine();
    const { elsewhere } = inFolderOf(all, 0o777);
    chmodSync(all.file, 0o644);
    expect((await all.list()).code).toBe(0);
    expect([mode(all.file), mode(elsewhere)]).toEqual(['600', '755']);
  });

  test('doctor says what it has closed, and the next time that all is well', async () => {
    const { file, folder, world } = machine();
    const doctor = async () => (await examined(['--timezone', 'UTC'], world)).found.settings;
    for (const path of [file, folder]) chmodSync(path, 0o777);
    expect(await doctor()).toMatchObject({
      ...{ state: 'warning', detail: expect.stringContaining(`${folder} and ${file}`) },
      remedy: expect.stringMatching(/proctor-cli auth login$/),
    });
    expect(await doctor()).toMatchObject({ state: 'ok', detail: expect.stringContaining(file) });
  });
});

test.runIf(isRoot)('what root has stored in the home of another user is told, with the way on', async () => {
  const { home, file, world } = machine(false);
  chownSync(home, nobody, nobody);
  const { code, stderr } = await run(['exams', 'list'], world);
  expect([code, stderr]).toEqual([0, expect.stringContaining(`${home} belongs to another user, who cannot read ${file}.`)]);
  chownSync(home, 0, 0);
  expect((await run(['exams', 'list'], world)).stderr).toBe('');
});

describe.skipIf(withoutRights)('a token file that a variable names is used whatever its rights', () => {
  test.each([
    [0o600, ''],
    [0o644, 'warning: Other users can read or change the token file'],
  ])('%i', async (rights, said) => {
    const service = new Service({ showing: { dated: false } });
    const home = temporaryFolder();
    const file = join(home, 'token');
    writeFileSync(file, 'a-token-of-the-tests\n');
    chmodSync(file, rights);
    const world: World = {
      ...{ home, dispatcher: service.dispatcher },
      env: { PROCTOR_BASE_URL: service.baseUrl, PROCTOR_TOKEN: '', PROCTOR_TOKEN_FILE: file },
    };
    const { code, stderr } = await run(['exams', 'list'], world);
    expect([code, mode(file)]).toEqual([0, rights.toString(8)]);
    expect(stderr).toBe(said === '' ? '' : `${said} ${file}.\n`);
    expect((await run(['exams', 'list', '--quiet'], world)).stderr).toBe('');
    const { stderr: ofWrite } = await run('exams create --name Statik --start 2127-02-01T09:00Z --end 2h'.split(' '), world);
    expect(ofWrite.split(said), ofWrite).toHaveLength(said === '' ? ofWrite.length : 2);
    const { found } = await examined(['--timezone', 'UTC'], world);
    expect(found.token).toMatchObject({ state: said === '' ? 'ok' : 'warning' });
  });
});

test.skipIf(withoutRights).each([
  [0o644, ''],
  [0o666, 'warning: Other users can change the certificate file'],
])('so is a file of certificates, by which others could stand in for the service: %i', async (rights, said) => {
  const { home, world } = machine();
  const file = join(home, 'ca.pem');
  writeFileSync(file, rootCertificates[0] ?? '');
  chmodSync(file, rights);
  const { code, stderr } = await run(['exams', 'list'], { ...world, env: { PROCTOR_CA_FILE: file } });
  expect([code, stderr]).toEqual([0, said === '' ? '' : `${said} ${file}.\n`]);
});

/** Reads the configuration as a user who is not root, and says which institute it names, or why it does not. */
function readByNobody(folder: string, ...wrapper: string[]): string {
  const program = `
    import { readConfig } from ${JSON.stringify(join(import.meta.dirname, '../../src/config/profiles.ts'))};
    process.setuid(${nobody});
    try { console.log(readConfig({ env: { PROCTOR_CONFIG_DIR: ${JSON.stringify(folder)} }, platform: 'linux' }).profiles.default.institute); }
    catch (error) { console.log(error.code, error.message); }`;
  const [file = '', ...args] = [...wrapper, process.execPath, '--input-type=module', '-e', program];
  const { stdout, stderr } = spawnSync(file, args, { env: ofSources, encoding: 'utf8' });
  return stdout.trim() || stderr;
}

/** Of root, with these rights. */
function ofRoot(ofFile: number, ofFolder: number): string {
  const folder = join(temporaryFolder(), 'secret');
  mkdirSync(folder);
  writeFileSync(join(folder, 'config.json'), '{"profiles":{"default":{"institute":"7"}}}');
  chmodSync(join(folder, '..'), 0o755);
  chmodSync(join(folder, 'config.json'), ofFile);
  chmodSync(folder, ofFolder);
  return folder;
}

describe.runIf(isRoot)('what root has put there, as containers do', () => {
  test.each([
    [0o444, 0o755, /^7$/],
    [0o644, 0o555, /^7$/],
    [0o666, 0o755, /^invalid_config .*config\.json: it belongs to another user/],
    [0o644, 0o777, /^invalid_config .*secret: it belongs to another user/],
    [0o644, 0o1777, /^invalid_config .*secret: it belongs to another user/],
  ])('is used where others cannot write it: file %i, folder %i', (ofFile, ofFolder, said) => {
    const folder = ofRoot(ofFile, ofFolder);
    expect(readByNobody(folder)).toMatch(said);
    expect([mode(join(folder, 'config.json')), mode(folder)]).toEqual([ofFile.toString(8), ofFolder.toString(8)]);
  });

  const canMount = spawnSync('unshare', ['-m', 'true']).status === 0;
  test.runIf(canMount).each([
    [0o644, 0o1777, 0],
    [0o666, 0o777, 0],
    [0o644, 0o777, nobody],
  ])('is used whatever its rights where nothing can be written: file %i, folder %i, of user %i', (ofFile, ofFolder, owner) => {
    const folder = ofRoot(ofFile, ofFolder);
    for (const path of [folder, join(folder, 'config.json')]) chownSync(path, owner, owner);
    const mount = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"';
    expect(readByNobody(folder, 'unshare', '-m', 'sh', '-c', mount, folder)).toBe('7');
    expect(existsSync(join(folder, 'config.json'))).toBe(true);
  });
});
