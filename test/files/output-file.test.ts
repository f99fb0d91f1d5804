/** Files that are written where a person says: never over what exists, over what is read, or through a link. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  closeSync,
  constants,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkOutputFiles, type OutputFile, type OutputRule, writeOutputFile } from '../../src/files/output-file.ts';
import { temporaryFolder } from '../support/run.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
const at = (name: string, option = '--result'): OutputFile => ({ path: join(folder, name), option, holds: 'The report' });
const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
const rule = (given: Partial<OutputRule> = {}): OutputRule => ({ force: false, inputs: [], sleep, shown: (text) => text, ...given });
const put = (name: string, text = 'precious') => writeFileSync(join(folder, name), text, { mode: 0o644 });
const text = (name: string) => readFileSync(join(folder, name), 'utf8');

/** Checks and writes, as a command does. */
async function write(file: OutputFile, given: Partial<OutputRule> = {}): Promise<void> {
  await checkOutputFiles([file], rule(given));
  await writeOutputFile(file, rule(given), (to) => to('written'));
}

test('a file gets a text as it may be shown', async () => {
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
      hint: 'Name another place: --result FILE, or add --force to replace it.',
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
      message: `${JSON.stringify(path)} names no file.`,
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
      await expect(refused).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('is in use by this command') });
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
        message: expect.stringContaining('is a link'),
        hint: 'Name another place: --result FILE',
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
      message: expect.stringContaining('is named by --result as well'),
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

  test.skipIf(process.platform === 'win32')('a pipe, a device and a link to one are refused, and nobody reads there', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    symlinkSync('pipe', join(folder, 'to the pipe'));
    symlinkSync('/dev/fd/1', join(folder, 'to stdout'));
    const reader = spawn('cat', [join(folder, 'pipe')]);
    let read = '';
    reader.stdout.setEncoding('utf8').on('data', (part: string) => {
      read += part;
    });
    for (const [path, what] of [
      [join(folder, 'pipe'), 'is not a regular file'],
      [join(folder, 'to the pipe'), 'is a link'],
      [join(folder, 'to stdout'), 'is a link'],
      ['/dev/null', 'is not a regular file'],
      ['/dev/stdin', process.platform === 'linux' ? 'is a link' : 'is not a regular file'],
    ] as const) {
      for (const force of [true, false])
        await expect(write({ ...at('x'), path }, { force }), path).rejects.toMatchObject({
          code: 'usage',
          message: expect.stringContaining(what),
          hint: 'Name another place: --result FILE',
        });
    }
    reader.kill();
    await once(reader, 'close');
    expect(read).toBe('');
  });

  test.skipIf(process.getuid?.() !== 0)('a file of another user is refused, with --force or without, and stays', async () => {
    for (const [name, size] of [
      ['theirs', 'precious'],
      ['their empty one', ''],
    ] as const) {
      put(name, size);
      chownSync(join(folder, name), 65534, 65534);
      for (const force of [true, false])
        await expect(write(at(name), { force })).rejects.toMatchObject({
          code: 'usage',
          message: expect.stringContaining('belongs to another user'),
        });
      expect(text(name)).toBe(size);
    }
  });
});

describe.skipIf(process.platform !== 'linux')('descriptors', () => {
  const opened: number[] = [];
  afterEach(() => opened.splice(0).forEach(closeSync));
  const open = (name: string, flags: string) => {
    const descriptor = openSync(join(folder, name), flags);
    opened.push(descriptor);
    return { ...at('x'), path: `/dev/fd/${descriptor}` };
  };

  test('that were passed on are written to as they are', async () => {
    await write(open('new', 'w'));
    await write({ ...at('x'), path: `/dev/fd/${opened[0]}` });
    expect(text('new')).toBe('writtenwritten');
  });

  test('that cannot be written to are refused before anything is sent', async () => {
    put('old');
    for (const file of [open('old', 'r'), { ...at('x'), path: '/dev/fd/999' }])
      await expect(checkOutputFiles([file], rule({ force: true }))).rejects.toMatchObject({
        code: 'output_failed',
        message: expect.stringContaining('it is not open for writing (EBADF)'),
      });
  });

  test('that are the input of the command are refused', async () => {
    put('roster.csv');
    const refused = { code: 'usage', message: expect.stringContaining('in use by this command') };
    await expect(write(open('roster.csv', 'a'), { inputs: [join(folder, 'roster.csv')] })).rejects.toMatchObject(refused);
  });

  test('that are a full pipe are waited for, and an interruption ends the wait', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const both = openSync(join(folder, 'pipe'), constants.O_RDWR);
    const reader = spawn('sleep', ['60'], { stdio: [both, 'ignore', 'ignore'] });
    const ours = openSync(join(folder, 'pipe'), constants.O_WRONLY | constants.O_NONBLOCK);
    closeSync(both);
    opened.push(ours);
    const file = { ...at('x'), path: `/dev/fd/${ours}` };
    const interrupted = async () => {
      throw new Error('interrupted');
    };
    const long = 'x'.repeat(300_000);
    await expect(writeOutputFile(file, rule({ sleep: interrupted }), (to) => to(long))).rejects.toThrow('interrupted');
    reader.kill();
  });
});
