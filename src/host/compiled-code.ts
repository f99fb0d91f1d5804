/**
 * Runs the files of the bundle, from compiled code where there is some: in the executable that of its build, in the
 * package what an earlier start has left in the user's cache. Node's own compile cache has only what is compiled before
 * anything runs, so that each start compiles the functions that it calls again; this code has them. V8 runs it unchecked: in
 * the cache it is kept twice in its file, and used only if both are alike, because comparing takes less time than
 * loading a checksum.
 */
import { closeSync, fstatSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';

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

/** `first` has every part that is not in `elsewhere`, which has the file of each. */
export type Bundle = Files & { first: string; elsewhere: Readonly<Record<string, string>>; require: NodeJS.Require };

/** A loader of the parts of a bundle: each runs at its first load. Throws what its file or the part throws. */
export function partsOf(bundle: Bundle): Load {
  const files = new Map<string, { parts: Parts; ran: Set<string> }>();
  const loaded = new Map<string, Module>();
  const own = new WeakSet<object>();

  function load(part: string): object {
    const known = loaded.get(part);
    if (known) return known.exports;
    const name = bundle.elsewhere[part] ?? bundle.first;
    const { parts, ran } = files.get(name) ?? opened(name);
    const module: Module = { exports: {} };
    loaded.set(part, module);
    try {
      parts[part]?.(module);
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

/** The files of a folder, with their code in the user's cache, if there is one. `build` differs from that of any other build. */
export function filesIn(folder: string, build: string, cacheFolder: () => string | undefined): Files {
  const used = new Map<string, { script: Script; ran: ReadonlySet<string> }>();
  const kept = new Map<string, Kept>();
  let cache: string | undefined;
  let asked = false;
  const pathOf = (name: string) => join(cache ?? '', `${name}-${process.version}-${process.arch}`);

  /** Keeps the code of each file of which a part ran that is not in what was kept. */
  function keepAll() {
    for (const [name, { script, ran }] of used) {
      const before = script.cachedDataRejected ? [] : (kept.get(name)?.ran ?? []);
      const all = new Set([...before, ...ran]);
      if (all.size > before.length) keep(pathOf(name), build, { code: script.createCachedData(), ran: [...all] });
    }
  }

  return {
    open(name) {
      if (!asked) {
        asked = true;
        cache = cacheFolder();
        if (cache !== undefined) process.once('exit', keepAll);
      }
      const found = cache === undefined ? undefined : keptIn(pathOf(name), build);
      if (found) kept.set(name, found);
      const filename = join(folder, `${name}.cjs`);
      // All of it is ASCII, for which this is the quickest.
      return { filename, text: readFileSync(filename, 'latin1'), code: found?.code };
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

/** The code of this build; undefined where there is none, or not whole, or not written by this user. */
function keptIn(path: string, build: string): Kept | undefined {
  try {
    const bytes = ownBytes(path);
    const half = bytes.length / 2;
    if (half === 0 || !bytes.subarray(0, half).equals(bytes.subarray(half))) return undefined;
    const end = bytes.indexOf('\n');
    const head = JSON.parse(bytes.toString('latin1', 0, end)) as { build: string; ran: string[] };
    return head.build === build ? { code: bytes.subarray(end + 1, half), ran: head.ran } : undefined;
  } catch {
    return undefined;
  }
}

function ownBytes(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const { uid, mode } = fstatSync(file);
    return uid === (process.getuid?.() ?? uid) && (mode & 0o022) === 0 ? readFileSync(file) : Buffer.alloc(0);
  } finally {
    closeSync(file);
  }
}

/** Replaces the file as a whole. Where that fails, the next start is a little slower. */
function keep(path: string, build: string, { code, ran }: Kept): void {
  const staged = `${path}.${process.pid}`;
  try {
    const half = Buffer.concat([Buffer.from(`${JSON.stringify({ build, ran })}\n`, 'latin1'), code]);
    writeFileSync(staged, Buffer.concat([half, half]), { mode: 0o600 });
    renameSync(staged, path);
  } catch {
    rmSync(staged, { force: true });
  }
}
