/** Files that are written where a person says: never over what exists, over what is read, or through a link. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { checkOutputFiles, type OutputFile, type OutputRule, writeOutputFile } from '../../src/state/output-file.ts';
import { temporaryFolder } from '../support/run.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
const at = (name: string, option = '--report'): OutputFile => ({ path: join(folder, name), option, holds: 'The report' });
const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
const rule = (given: Partial<OutputRule> = {}): OutputRule => ({ force: false, inputs: [], sleep, shown: (text) => text, ...given });
const put = (name: string, text = 'precious') => writeFileSync(join(folder, name), text, { mode: 0o644 });
const text = (name: string) => readFileSync(join(folder, name), 'utf8');

/** Checks and writes, as a command does. */
async function write(file: OutputFile, given: Partial<OutputRule> = {}): Promise<void> {
  await checkOutputFiles([file], rule(given));
  await writeOutputFile(file, rule(given), (to) => to('written'));
}

test('a file and a pipe get a text as it may be shown', async () => {
  const shown = (words: string) => words.replace('written', '********');
  await write(at('new'), { shown });
  expect(text('new')).toBe('********');
});

describe('a file', () => {
  test('is written where nothing is, for its owner alone, with nothing beside it', async () => {
    await write(at('new'));
    expect([text('new'), statSync(join(folder, 'new')).mode & 0o777, readdirSync(folder)]).toEqual(['written', 0o600, ['new']]);
  });

  test('is written over an empty one, which then is for its owner alone', async () => {
    put('empty', '');
    await write(at('empty'));
    expect([text('empty'), statSync(join(folder, 'empty')).mode & 0o777]).toEqual(['written', 0o600]);
  });

  test('replaces another only with --force, and the others of its names stay', async () => {
    put('old');
    linkSync(join(folder, 'old'), join(folder, 'other name'));
    await expect(write(at('old'))).rejects.toMatchObject({
      code: 'usage',
      message: `${JSON.stringify(join(folder, 'old'))} already exists.`,
      hint: 'Name another place with --report FILE, or add --force to replace it.',
    });
    expect(text('old')).toBe('precious');
    await write(at('old'), { force: true });
    expect([text('old'), text('other name')]).toEqual(['written', 'precious']);
  });

  test('that came to the place after the check is not replaced', async () => {
    await checkOutputFiles([at('new')], rule());
    put('new');
    await expect(writeOutputFile(at('new'), rule(), (to) => to('written'))).rejects.toMatchObject({ code: 'usage' });
    const during = async (to: (text: string) => Promise<void>) => {
      await to('written');
      put('newer');
    };
    await expect(writeOutputFile(at('newer'), rule(), during)).rejects.toMatchObject({ code: 'output_failed' });
    expect([text('new'), text('newer'), readdirSync(folder).sort()]).toEqual(['precious', 'precious', ['new', 'newer']]);
  });

  test.each(['', ' '])('without a name (%j) is refused before anything is sent', async (path) => {
    await expect(checkOutputFiles([{ ...at('new'), path }], rule())).rejects.toMatchObject({
      code: 'usage',
      message: '--report names no file.',
    });
  });

  test('is not written in part', async () => {
    const failing = async (to: (text: string) => Promise<void>) => {
      await to('a part');
      throw Object.assign(new Error(), { code: 'ENOSPC' });
    };
    await expect(writeOutputFile(at('new'), rule(), failing)).rejects.toMatchObject({
      code: 'output_failed',
      message: expect.stringContaining('the disk is full (ENOSPC)'),
    });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('what a command reads is never written to', () => {
  test.each([
    ['by its name', () => 'roster.csv'],
    ['by another spelling', () => './roster.csv'],
    [
      'by a hard link',
      () => {
        linkSync(join(folder, 'roster.csv'), join(folder, 'hard'));
        return 'hard';
      },
    ],
  ])('%s, with --force or without', async (_how, name) => {
    put('roster.csv');
    const file = { ...at('x'), path: `${folder}/${name()}` };
    for (const force of [true, false]) {
      const refused = write(file, { force, inputs: [relative(process.cwd(), join(folder, 'roster.csv'))] });
      await expect(refused).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('is the input of this command') });
    }
    expect(text('roster.csv')).toBe('precious');
  });

  test('nor a file that is empty so far', async () => {
    put('roster.csv', '');
    await expect(write(at('roster.csv'), { inputs: [join(folder, 'roster.csv')] })).rejects.toMatchObject({ code: 'usage' });
  });
});

describe('a link', () => {
  test.each(['file', 'folder', 'nowhere'])('to a %s is refused, with --force or without, and stays', async (target) => {
    if (target === 'file') put('file');
    if (target === 'folder') mkdirSync(join(folder, 'folder'));
    symlinkSync(target, join(folder, 'link'));
    for (const force of [true, false]) {
      await expect(write(at('link'), { force })).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringContaining('is a link to'),
        hint: 'Name a file that is not a link: --report FILE',
      });
    }
    expect([lstatSync(join(folder, 'link')).isSymbolicLink(), readdirSync(folder)]).toEqual([
      true,
      [...new Set(['link', target])].filter((name) => name !== 'nowhere').sort(),
    ]);
    if (target === 'file') expect(text('file')).toBe('precious');
  });

  test('that comes to the place after the check is not followed', async () => {
    put('precious');
    await checkOutputFiles([at('new')], rule());
    symlinkSync('precious', join(folder, 'new'));
    await expect(writeOutputFile(at('new'), rule(), (to) => to('written'))).rejects.toMatchObject({ code: 'usage' });
    expect(text('precious')).toBe('precious');
  });
});

describe('two outputs that name the same file are refused', () => {
  const refused = async (one: string, other: string) =>
    expect(
      checkOutputFiles([at(one), { ...at('x', '--rejects'), path: `${folder}/${other}` }], rule({ force: true })),
    ).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('--report and --rejects name the same file'),
    });

  test('where there is none yet: by name, by another spelling, by capitals, by another form of a letter', async () => {
    mkdirSync(join(folder, 'sub'));
    for (const other of ['new', './new', 'sub/../new', 'NEW']) await refused('new', other);
    await refused('\u00e9', 'e\u0301');
  });

  test('where there is one: by name, by a hard link', async () => {
    put('old');
    linkSync(join(folder, 'old'), join(folder, 'hard'));
    for (const other of ['old', './old', 'hard']) await refused('old', other);
  });

  test('through folders that are linked', async () => {
    mkdirSync(join(folder, 'sub'));
    symlinkSync('sub', join(folder, 'linked'));
    await refused('sub/new', 'linked/new');
  });

  test('and two different ones are not', async () => {
    await expect(checkOutputFiles([at('a'), at('b', '--rejects')], rule())).resolves.toBeUndefined();
  });
});

describe('places that are no files', () => {
  test('a folder, a missing folder and a file in place of a folder are told, before anything is sent', async () => {
    put('file');
    mkdirSync(join(folder, 'sub'));
    for (const [name, why] of [
      ['sub', 'it is a folder (EISDIR)'],
      ['no/where', 'its folder does not exist (ENOENT)'],
      ['file/x', 'its folder is a file (ENOTDIR)'],
      ['x'.repeat(300), 'its name is too long (ENAMETOOLONG)'],
    ] as const) {
      await expect(checkOutputFiles([at(name)], rule({ force: true }))).rejects.toMatchObject({
        code: 'output_failed',
        message: expect.stringContaining(why),
      });
    }
  });

  test.skipIf(process.platform !== 'linux')(
    'devices take what is written and stay devices, and several outputs may share /dev/null',
    async () => {
      const empty = { ...at('x'), path: '/dev/null' };
      await checkOutputFiles([empty, { ...empty, option: '--rejects' }], rule());
      await writeOutputFile(empty, rule(), (to) => to('written'));
      expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
      await expect(write({ ...empty, path: '/dev/full' })).rejects.toMatchObject({
        code: 'output_failed',
        message: expect.stringContaining('the disk is full (ENOSPC)'),
      });
      symlinkSync('/dev/null', join(folder, 'link'));
      await write(at('link'));
      expect(lstatSync(join(folder, 'link')).isSymbolicLink()).toBe(true);
    },
  );

  test.skipIf(process.platform === 'win32')('a pipe takes all of it, and is waited for until it has a reader', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const long = 'x'.repeat(300_000);
    await checkOutputFiles([at('pipe')], rule());
    let asked = 0;
    let read: Promise<string> | undefined;
    const waiting = async () => {
      asked += 1;
      if (asked === 3) read = readAll(join(folder, 'pipe'));
      await sleep(5);
    };
    await writeOutputFile(at('pipe'), rule({ sleep: waiting }), (to) => to(long));
    expect([(await read)?.length, lstatSync(join(folder, 'pipe')).isFIFO()]).toEqual([long.length, true]);
  });

  test.skipIf(process.platform === 'win32')('a pipe without a reader is given up, and an interruption ends the wait', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const giveUp = writeOutputFile(at('pipe'), rule({ sleep: async () => {} }), (to) => to('x'));
    await expect(giveUp).rejects.toMatchObject({
      code: 'output_failed',
      message: expect.stringContaining('no program reads from the pipe'),
    });
    const interrupted = async () => {
      throw new Error('interrupted');
    };
    await expect(writeOutputFile(at('pipe'), rule({ sleep: interrupted }), (to) => to('x'))).rejects.toThrow('interrupted');
  });
});

async function readAll(path: string): Promise<string> {
  const reader = spawn('cat', [path]);
  let all = '';
  reader.stdout.setEncoding('utf8').on('data', (part: string) => {
    all += part;
  });
  await once(reader, 'close');
  return all;
}
