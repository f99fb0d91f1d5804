/** Whether completion and the man page are installed: where shells and man look, and what is said if they find nothing. */
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { shells } from '../../../src/cli/complete/shells/index.ts';
import { version } from '../../../src/text/version.ts';
import { root } from '../../docs/pages.ts';
import { run, temporaryFolder, type World } from '../../support/run.ts';
import { examined, type Found } from './examined.ts';

let home: string;
beforeEach(() => {
  home = temporaryFolder();
});

/** A file below the home, with its folders. */
function put(name: string, content: string | Buffer): string {
  const path = join(home, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

async function checked(check: 'completion' | 'man page', env: Record<string, string>, world: World = {}): Promise<Found | undefined> {
  // No folder of this machine counts.
  const folders = { XDG_DATA_DIRS: join(home, 'share'), MANPATH: join(home, 'share/man') };
  const { found, code } = await examined(['--offline', '--profile', 'sandbox'], { home, ...world, env: { ...folders, ...env } });
  expect(code).toBe(0);
  return found[check];
}

const completion = (shell: string, env: Record<string, string> = {}) => checked('completion', { SHELL: `/usr/bin/${shell}`, ...env });
const older = (script: string) => script.replace(/^# Completion/m, '# Old completion');

describe('completion', () => {
  const startUp = { bash: '.bashrc', zsh: '.zshrc', fish: '.config/fish/config.fish' } as const;

  describe.each(Object.entries(startUp))('of %s', (shell, file) => {
    const { script, install } = shells[shell as keyof typeof startUp];

    test('that is missing is a note with the line of the docs that installs it', async () => {
      expect(await completion(shell)).toEqual({
        check: 'completion',
        state: 'note',
        detail: `not installed for ${shell}`,
        remedy: `Install it for new sessions: ${install}`,
      });
      expect(readFileSync(join(root, 'docs/terminal.md'), 'utf8')).toContain(`\n${install}\n`);
    });

    test('is found where that line puts it, between other lines', async () => {
      const path = put(file, `alias ll='ls -l'\n${script}export X=1\n`);
      expect(await completion(shell)).toMatchObject({ state: 'ok', detail: `${shell}: ${path}`, remedy: null });
    });

    test('is found where a line asks the program for it', async () => {
      put(file, `alias ll='ls -l'\neval "$(proctor-cli completion ${shell})"\n`);
      expect(await completion(shell)).toMatchObject({ state: 'ok' });
      put(file, `# eval "$(proctor-cli completion ${shell})"\n`);
      expect(await completion(shell)).toMatchObject({ state: 'note' });
    });

    test('of another version is named, with what to do', async () => {
      const path = put(file, `alias ll='ls -l'\n${older(script)}`);
      expect(await completion(shell)).toMatchObject({
        state: 'note',
        detail: `${path} has the ${shell} script of another version`,
        remedy: `Delete its lines there, then install it: ${install}`,
      });
    });
  });

  test.each([
    ['bash', '.local/share/bash-completion/completions/proctor-cli', {}],
    ['bash', 'mine/completions/proctor-cli.bash', { BASH_COMPLETION_USER_DIR: 'mine' }],
    ['bash', 'data/bash-completion/completions/proctor-cli', { XDG_DATA_HOME: 'data' }],
    ['bash', 'share/bash-completion/completions/proctor-cli', {}],
    ['bash', 'brew/etc/bash_completion.d/proctor-cli', { HOMEBREW_PREFIX: 'brew' }],
    ['zsh', 'brew/share/zsh/site-functions/_proctor-cli', { HOMEBREW_PREFIX: 'brew' }],
    ['fish', 'brew/share/fish/vendor_completions.d/proctor-cli.fish', { HOMEBREW_PREFIX: 'brew' }],
    ['zsh', 'functions/_proctor-cli', { FPATH: 'functions' }],
    ['zsh', 'dots/.zshrc', { ZDOTDIR: 'dots' }],
    ['fish', '.config/fish/completions/proctor-cli.fish', {}],
    ['fish', 'conf/fish/completions/proctor-cli.fish', { XDG_CONFIG_HOME: 'conf' }],
    ['fish', '.local/share/fish/vendor_completions.d/proctor-cli.fish', {}],
    ['fish', 'share/fish/vendor_completions.d/proctor-cli.fish', {}],
  ] as const)('of %s is found in %s %j', async (shell, name, env) => {
    const path = put(name, shells[shell].script);
    const below = Object.fromEntries(Object.entries(env).map(([key, value]) => [key, join(home, value)]));
    expect(await completion(shell, below)).toMatchObject({ state: 'ok', detail: `${shell}: ${path}` });
  });

  test.each([
    ['zsh', 'ZDOTDIR', "it's mine/.zshrc"],
    ['fish', 'XDG_CONFIG_HOME', "it's mine/fish/config.fish"],
  ] as const)('of %s is installed where %s has the shell look, and is then found', async (shell, variable, file) => {
    const env = { [variable]: join(home, "it's mine") };
    const quoted = (path: string) => `'${path.replace("'", "'\\''")}'`;
    const path = join(home, file);
    const line = `proctor-cli completion ${shell} >> ${quoted(path)}`;
    expect((await completion(shell, env))?.remedy).toBe(`Install it for new sessions: mkdir -p ${quoted(dirname(path))} && ${line}`);
    put(file, '');
    expect((await completion(shell, env))?.remedy).toBe(`Install it for new sessions: ${line}`);
    put(file, shells[shell].script);
    expect(await completion(shell, env)).toMatchObject({ state: 'ok' });
  });

  test('of another version in a folder is replaced by one line, which quotes the path', async () => {
    const path = put("it's mine/completions/proctor-cli", older(shells.bash.script));
    expect(await completion('bash', { BASH_COMPLETION_USER_DIR: join(home, "it's mine") })).toMatchObject({
      state: 'note',
      detail: `${path} is the bash script of another version`,
      remedy: `Replace it: proctor-cli completion bash > '${home}/it'\\''s mine/completions/proctor-cli'`,
    });
  });

  test('is not looked for where no shell completes', async () => {
    expect(await completion('dash')).toMatchObject({ state: 'skipped', detail: 'SHELL names none of bash, zsh, fish' });
    expect(await checked('completion', {})).toMatchObject({ state: 'skipped' });
    expect(await completion('bash', { CI: 'true' })).toMatchObject({ state: 'skipped', detail: 'a CI system needs none' });
  });

  test('is not found in a start-up file that cannot be read', async () => {
    mkdirSync(join(home, '.bashrc'));
    expect(await completion('bash')).toMatchObject({ state: 'note', detail: 'not installed for bash' });
  });
});

describe('the man page', () => {
  const page = readFileSync(join(root, 'man/proctor-cli.1'), 'utf8');
  const olderPage = page.replace(version, '0.0.1');
  const script = join(root, 'bin/proctor-cli.js');

  /** With a man in the PATH. */
  function manPage(env: Record<string, string> = {}, world: World = {}) {
    chmodSync(put('usr/bin/man', ''), 0o755);
    return checked('man page', { PATH: join(home, 'usr/bin'), ...env }, world);
  }

  test('that is missing is a note with the line that installs it, which works', async () => {
    const found = await manPage({}, { program: script });
    const folder = join(home, 'share/man/man1');
    expect(found).toMatchObject({
      state: 'note',
      detail: 'not installed',
      remedy: `Install it: mkdir -p ${folder} && cp ${root}/man/proctor-cli.1 ${folder}`,
    });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'proctor-cli.1'), page);
    expect(await manPage({}, { program: script })).toMatchObject({ state: 'ok', detail: join(folder, 'proctor-cli.1') });
  });

  test.each([
    ['the own folder, if man looks there', ['usr/bin', '.local/bin', 'tool/bin'], '.local/share/man/man1'],
    ['no folder that is there for a tool alone', ['usr/bin', 'tool/bin'], undefined],
  ])('goes into %s', async (_, programs, folder) => {
    const PATH = programs.map((each) => join(home, each)).join(':');
    const remedy = (await manPage({ PATH, MANPATH: '' }, { program: script }))?.remedy ?? '';
    // Which folders of this machine can be written to is its own business.
    if (folder !== undefined) expect(remedy).toContain(`mkdir -p ${join(home, folder)} `);
    expect(remedy).not.toContain(join(home, 'tool'));
  });

  test('does not go into a relative folder of MANPATH', async () => {
    const remedy = (await manPage({ MANPATH: `relative/man:${join(home, 'share/man')}` }, { program: script }))?.remedy;
    expect(remedy).toContain(`mkdir -p ${join(home, 'share/man/man1')} `);
  });

  test('is that of the package also where the program is a link to it', async () => {
    symlinkSync(script, join(home, 'proctor-cli'));
    expect((await manPage({}, { program: join(home, 'proctor-cli') }))?.remedy).toContain(`cp ${root}/man/proctor-cli.1 `);
  });

  test('of an executable lies beside it, or the help is named', async () => {
    const executable = put('opt/proctor-cli', '');
    expect((await manPage({}, { program: executable }))?.remedy).toBe('Read the help instead: proctor-cli help');
    const beside = put('opt/man/proctor-cli.1', page);
    expect((await manPage({}, { program: executable }))?.remedy).toContain(`cp ${beside} `);
  });

  test.each([
    ['share/man/man1/proctor-cli.1', {}],
    ['share/man/man1/proctor-cli.1.gz', {}],
    ['usr/share/man/man1/proctor-cli.1', { MANPATH: '' }],
    ['usr/man/man1/proctor-cli.1', { MANPATH: ':/nowhere' }],
  ])('is found in %s with %j', async (name, env) => {
    const path = put(name, name.endsWith('.gz') ? gzipSync(page) : page);
    expect(await manPage(env)).toMatchObject({ state: 'ok', detail: path });
  });

  test.each(['proctor-cli.1', 'proctor-cli.1.gz'])('of another version is named, and replaced where it is: %s', async (name) => {
    const path = put(`share/man/man1/${name}`, name.endsWith('.gz') ? gzipSync(olderPage) : olderPage);
    expect(await manPage({}, { program: script })).toMatchObject({
      state: 'note',
      detail: `${path} is that of version 0.0.1`,
      remedy: expect.stringContaining(join(home, 'share/man/man1')),
    });
  });

  test('is not looked for where there is no man', async () => {
    expect(await checked('man page', { PATH: join(home, 'nowhere') })).toMatchObject({
      state: 'skipped',
      detail: 'man is not in the PATH',
    });
  });
});

describe('the log', () => {
  test('that cannot be written is found out before the service is asked, and the remedy works', async () => {
    const path = put('log.ndjson', 'email,name\n');
    const env = { PROCTOR_BASE_URL: 'http://127.0.0.1:9', PROCTOR_TOKEN: 'a-token-of-the-tests' };
    const { code, found } = await examined([], { home, env: { ...env, PROCTOR_LOG_FILE: path } });
    expect(code).toBe(3);
    expect(found.log).toMatchObject({
      state: 'failed',
      detail: `${path} (PROCTOR_LOG_FILE) cannot be written: it exists and is not a log`,
      remedy: 'Name another file, or /dev/null, in PROCTOR_LOG_FILE.',
    });
    expect(found.service).toMatchObject({ state: 'skipped', detail: 'needs: log' });
    const { stderr } = await run(['doctor', '--offline', '--log-file', path], { home, env });
    expect(stderr.match(/cannot be written/g)).toHaveLength(1);
    expect((await examined(['--log-file', '/dev/null'], { home, env: { ...env, PROCTOR_LOG_FILE: path } })).found.log?.state).toBe('ok');
  });
});
