/**
 * Stands for program-file.ts in the bundle: runs dist/program.cjs from compiled code that an earlier command has kept. Node's own
 * compile cache has what is compiled before anything runs; this code has the functions that ran, and each kind of command adds
 * its own once. V8 does not check such code: it is kept for its owner alone, and twice, and used only if both copies
 * are alike. To compare them takes a tenth of the time of loading any checksum of Node's.
 */
import * as fs from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { getRawAsset, isSea } from 'node:sea';
import { Script } from 'node:vm';
import { CliError } from './errors.ts';
import { isOwn } from './host/own.ts';
import type * as Program from './program-file.ts';
import { makePrivateFolder, nearestExisting } from './state/private-folder.ts';
import { sentence } from './text/sentence.ts';

/** The first and the last characters of program.cjs and its parts, a comment of this build; between them is a function: scripts/bundling.mjs. */
declare const PROGRAM_MARK: string;

/** `kinds`: the commands whose functions the code has. */
type Kept = { kinds: readonly string[]; code: Uint8Array };
/** Builds whose code is kept: several versions of the program, each on several versions of Node. */
const builds = 8;

const assets = isSea();
const folder = assets ? undefined : codeFolder();
const place = folder && join(folder, `${PROGRAM_MARK.replace(/\W/g, '')}-${process.version}-${process.arch}.code`);
const before = keptIn(() => (assets ? Buffer.from(getRawAsset('program.code')) : ownBytes(place ?? '')));
// The code holds this name; the name of the file would show where an executable was built.
const script = new Script(textOf('program.cjs'), { filename: 'proctor-cli', ...(before ? { cachedData: before.code } : {}) });
const kinds = new Set(script.cachedDataRejected ? [] : before?.kinds);
const program: { exports: typeof Program } = { exports: {} as typeof Program };
script.runInThisContext()(requirePart, program, program.exports);

export const run: typeof Program.run = () => program.exports.run(keepAfter);

export const candidates: typeof Program.candidates = (asked, milliseconds) => {
  keepAfter('completion');
  return program.exports.candidates(asked, milliseconds);
};

/** A part of the program, run when it is first asked for, or a module of Node's. */
function requirePart(name: string): unknown {
  if (!name.startsWith('./')) return require(name);
  const part = { exports: {} };
  new Script(textOf(name.slice(2), program.exports.CliError), { filename: 'proctor-cli' }).runInThisContext()(
    requirePart,
    part,
    part.exports,
  );
  return part.exports;
}

/** Throws `program_replaced` if the file is of another build, or incomplete, as an error of whoever asks. */
function textOf(name: string, Failure = CliError): string {
  if (assets) return Buffer.from(getRawAsset(name)).toString();
  const filename = join(__dirname, name);
  const found = fs.existsSync(filename) ? fs.readFileSync(filename, 'utf8') : '';
  if (found.startsWith(PROGRAM_MARK) && found.endsWith(PROGRAM_MARK)) return found;
  throw new Failure(
    'program_replaced',
    sentence`proctor-cli was updated or removed while it started: ${filename} does not belong to this version.`,
  );
}

/** Keeps the code at the end of this process, unless the code of this kind of command is kept already. */
function keepAfter(kind: string): void {
  if (folder === undefined || place === undefined || kinds.has(kind)) return;
  kinds.add(kind);
  process.once('exit', () => keep(folder, place));
}

/** Replaces the file as a whole, unless it has gained other commands meanwhile. Where that fails, the next start is a little slower. */
function keep(inFolder: string, path: string): void {
  const draft = `${path}.${process.pid}`;
  const known = [...kinds, ...(before?.kinds ?? [])];
  if (keptIn(() => ownBytes(path))?.kinds.some((kind) => !known.includes(kind))) return;
  try {
    const half = Buffer.concat([Buffer.from(`${JSON.stringify([...kinds])}\n`), script.createCachedData()]);
    fs.writeFileSync(draft, Buffer.concat([half, half]), { mode: 0o600 });
    fs.renameSync(draft, path);
    const age = (name: string) => fs.statSync(join(inFolder, name)).mtimeMs;
    // The names keep apart what is not ours: with XDG_CACHE_HOME as it is set, the folder may hold the state as well.
    const all = fs.readdirSync(inFolder).filter((name) => /^[\da-f]{16}-v\d\S*\.code(\.\d+)?$/.test(name));
    for (const name of all.sort((a, b) => age(b) - age(a)).slice(builds)) fs.rmSync(join(inFolder, name));
  } catch {
    fs.rmSync(draft, { force: true });
  }
}

/** The code that is kept; undefined where there is none, or not whole, or not written by this user. */
function keptIn(read: () => Buffer): Kept | undefined {
  try {
    const bytes = read();
    const half = bytes.length / 2;
    const end = bytes.indexOf('\n');
    if (!bytes.subarray(0, half).equals(bytes.subarray(half))) return undefined;
    return { kinds: JSON.parse(bytes.toString('utf8', 0, end)) as string[], code: bytes.subarray(end + 1, half) };
  } catch {
    return undefined;
  }
}

function ownBytes(path: string): Buffer {
  const file = fs.openSync(path, 'r');
  try {
    const stats = fs.fstatSync(file);
    return isOwn(stats) && isClosed(stats) ? fs.readFileSync(file) : Buffer.alloc(0);
  } finally {
    fs.closeSync(file);
  }
}

/** Whether others may not write it. On Windows all modes say that they may. */
function isClosed({ mode }: fs.Stats): boolean {
  return process.platform === 'win32' || (mode & 0o022) === 0;
}

/** The user's folder for compiled code, closed to others; undefined where there is none. */
function codeFolder(): string | undefined {
  const { XDG_CACHE_HOME: given, LOCALAPPDATA: local, HOME: home } = process.env;
  const places = process.platform === 'win32' ? [given, local] : [given, home && join(home, '.cache')];
  const cache = places.find((path) => path && isAbsolute(path));
  if (!cache) return undefined;
  const path = join(cache, 'proctor-cli');
  try {
    // In the home of another, as with sudo, a folder of root would stand in the way of its owner.
    if (!isOwn(fs.statSync(nearestExisting(path)))) return undefined;
    makePrivateFolder(path);
    if (!isClosed(fs.statSync(path))) fs.chmodSync(path, 0o700);
    return path;
  } catch {
    return undefined;
  }
}
