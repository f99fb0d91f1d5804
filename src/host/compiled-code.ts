/**
 * Runs the files of the bundle, from compiled code where there is some: in the executable that of its build, in the
 * package what an earlier start has left in the user's cache. Node's own compile cache has only what is compiled before
 * anything runs, so that each start compiles the functions that it calls again; this code has them. V8 runs it unchecked: in
 * the cache it is kept twice in its file, and used only if both are alike, because comparing takes less time than
 * loading a checksum. Each build has a folder of its own there, so that two versions do not replace each other's code;
 * a new one removes the oldest.
 */
import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { ReplacedProgram } from './replaced-program.ts';

type Module = { exports: object };
type Parts = Record<string, (module: Module) => void>;
type Load = (part: string) => object;
/** What a file of the bundle evaluates to; the helpers stand for those that esbuild would write into each part. */
type File = (load: Load, exporting: typeof exportAll, named: (module: object) => object, alone: (module: object) => object) => Parts;

type Source = { filename: string; text: string; code: Uint8Array | undefined };

/** The files of a bundle, wherever they are. */
export type Files = {
  open(file: string): Source;
  /** Called once a file was compiled; the names of its parts are added to `ran` as they run. */
  compiled(file: string, script: Script, ran: ReadonlySet<string>): void;
};

/** `alone` are parts in files of their names. `first` has the others that are not in `elsewhere`, which has the file of each. */
export type Bundle = Files & {
  first: string;
  elsewhere: Readonly<Record<string, string>>;
  alone: readonly string[];
  require: NodeJS.Require;
};

/** A loader of the parts of a bundle: each runs at its first load. Throws what its file or the part throws. */
export function partsOf(bundle: Bundle): Load {
  const files = new Map<string, { parts: Parts; ran: Set<string> }>();
  const loaded = new Map<string, Module>();
  const own = new WeakSet<object>();

  function load(part: string): object {
    const known = loaded.get(part);
    if (known) return known.exports;
    const name = bundle.elsewhere[part] ?? (bundle.alone.includes(part) ? part : bundle.first);
    const { parts, ran } = files.get(name) ?? opened(name);
    const run = parts[part];
    if (!run) throw new Error(`${name} has no part ${part}`);
    const module: Module = { exports: {} };
    loaded.set(part, module);
    try {
      run(module);
    } catch (error) {
      loaded.delete(part);
      throw error;
    }
    ran.add(part);
    own.add(module.exports);
    return module.exports;
  }

  function opened(name: string) {
    const { filename, text, code } = bundle.open(name);
    const script = new Script(text, { filename, ...(code ? { cachedData: code } : {}) });
    const evaluate = script.runInThisContext() as (require: NodeJS.Require) => File;
    const parts = evaluate(bundle.require)(
      load,
      exportAll,
      (module) => (own.has(module) ? module : named(module)),
      (module) => module,
    );
    const file = { parts, ran: new Set<string>() };
    files.set(name, file);
    bundle.compiled(name, script, file.ran);
    return file;
  }

  return load;
}

/** Builds of which the cache keeps the code: several versions of the program, each on several versions of Node. */
const builds = 8;

/** The first characters of each file of a build. */
export const markOf = (build: string): string => `/*${build}*/`;

/**
 * The files of a folder, with their code in the user's cache, if there is one. `build` differs from that of any
 * other build. Opening a file that is missing or of another build throws a ReplacedProgram.
 */
export function filesIn(folder: string, build: string, cacheFolder: () => string | undefined): Files {
  const used = new Map<string, { script: Script; ran: ReadonlySet<string> }>();
  const kept = new Map<string, Kept>();
  let cache: string | undefined;
  let asked = false;
  const ours = `${build}-${process.version}-${process.arch}`;
  const pathOf = (name: string) => join(cache ?? '', ours, name);

  /** Keeps the code of each file of which a part ran that is not in what was kept. */
  function keepAll() {
    for (const [name, { script, ran }] of used) {
      const before = script.cachedDataRejected ? [] : (kept.get(name)?.ran ?? []);
      const all = new Set([...before, ...ran]);
      if (all.size === before.length) continue;
      makeRoom(cache ?? '', ours);
      keep(pathOf(name), { code: script.createCachedData(), ran: [...all] });
    }
  }

  function textOf(filename: string): string {
    try {
      // All of it is ASCII, for which this is the quickest.
      const text = readFileSync(filename, 'latin1');
      if (text.startsWith(markOf(build))) return text;
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    }
    throw new ReplacedProgram(filename);
  }

  return {
    open(name) {
      if (!asked) {
        asked = true;
        cache = cacheFolder();
        if (cache !== undefined) process.once('exit', keepAll);
      }
      const filename = join(folder, `${name}.cjs`);
      const text = textOf(filename);
      const found = cache === undefined ? undefined : keptIn(pathOf(name));
      if (found) kept.set(name, found);
      return { filename, text, code: found?.code };
    },
    compiled: (name, script, ran) => void used.set(name, { script, ran }),
  };
}

type Kept = { code: Buffer; ran: readonly string[] };

/** Getters, because what a module exports may change while it runs. */
function exportAll(target: object, getters: Record<string, () => unknown>): void {
  for (const [name, get] of Object.entries(getters)) Object.defineProperty(target, name, { get, enumerable: true });
}

/** One of Node's own modules as a module of the bundle sees it. */
function named(module: object): object {
  const made = Object.defineProperty({}, 'default', { value: module, enumerable: true });
  for (const name of Object.getOwnPropertyNames(module)) {
    if (name !== 'default') Object.defineProperty(made, name, { get: () => module[name as keyof typeof module], enumerable: true });
  }
  return made;
}

/** The code that is kept; undefined where there is none, or not whole, or not written by this user. */
function keptIn(path: string): Kept | undefined {
  try {
    const bytes = ownBytes(path);
    const half = bytes.length / 2;
    if (half === 0 || !bytes.subarray(0, half).equals(bytes.subarray(half))) return undefined;
    const end = bytes.indexOf('\n');
    const { ran } = JSON.parse(bytes.toString('latin1', 0, end)) as { ran: string[] };
    return { code: bytes.subarray(end + 1, half), ran };
  } catch {
    return undefined;
  }
}

function ownBytes(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const { uid, mode } = fstatSync(file);
    const user = process.getuid?.();
    // On Windows a file has no such owner, and a mode for all to write.
    const isOwn = user === undefined || (uid === user && (mode & 0o022) === 0);
    return isOwn ? readFileSync(file) : Buffer.alloc(0);
  } finally {
    closeSync(file);
  }
}

/**
 * Creates the folder of a build, if it is not there, and removes the oldest of those beside it. The names keep
 * apart what is not ours: with XDG_CACHE_HOME as it is set, the folder may hold the state as well.
 */
function makeRoom(cache: string, ours: string): void {
  try {
    const path = join(cache, ours);
    if (statSync(path, { throwIfNoEntry: false })) return;
    mkdirSync(path, { mode: 0o700 });
    const others = readdirSync(cache).filter((name) => name !== ours && /^[\da-f]{16}-v\d+\.\d+\.\d+\S*-\w+$/.test(name));
    const age = (name: string) => statSync(join(cache, name)).mtimeMs;
    const byAge = others.map((name) => ({ name, time: age(name) })).sort((a, b) => b.time - a.time);
    for (const { name } of byAge.slice(builds - 1)) rmSync(join(cache, name), { recursive: true });
  } catch {
    // Another process does the same, or the disk takes no files.
  }
}

/** Replaces the file as a whole. Where that fails, the next start is a little slower. */
function keep(path: string, { code, ran }: Kept): void {
  const staged = `${path}.${process.pid}`;
  try {
    const half = Buffer.concat([Buffer.from(`${JSON.stringify({ ran })}\n`, 'latin1'), code]);
    writeFileSync(staged, Buffer.concat([half, half]), { mode: 0o600 });
    renameSync(staged, path);
  } catch {
    rmSync(staged, { force: true });
  }
}
