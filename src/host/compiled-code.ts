/**
 * Runs the files of the bundle, from compiled code that an earlier start has left in the user's cache. Node's own
 * compile cache has only what is compiled before anything runs, so that each start compiles the functions that it
 * calls anew; this one has them. V8 runs compiled code unchecked: it is kept twice in its file, and used only if both are
 * alike, because comparing takes less time than loading a checksum.
 */
import { closeSync, fstatSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';

type Module = { exports: object };
type Parts = Record<string, (module: Module) => void>;
type Load = (part: string) => object;
/** What a file of the bundle evaluates to; the helpers stand for those that esbuild would write into each part. */
type File = (load: Load, exporting: typeof exportAll, named: (module: object) => object, alone: (module: object) => object) => Parts;
type Kept = { code: Buffer; ran: readonly string[] };
type Running = { script: Script; kept: Kept | undefined; parts: Parts; ran: Set<string> };

export type Bundle = {
  folder: string;
  /** Differs from that of any other build. */
  build: string;
  /** The file that has every part which no other file has. */
  first: string;
  /** The files of the other parts. */
  files: Readonly<Record<string, string>>;
  require: NodeJS.Require;
  /** The folder of the compiled code, if there is one. */
  cache(): string | undefined;
};

/** A loader of the parts of a bundle: each runs at its first load. Throws what its file or the part throws. */
export function partsOf(bundle: Bundle): Load {
  const running = new Map<string, Running>();
  const loaded = new Map<string, Module>();
  const own = new WeakSet<object>();
  let cache: string | undefined;

  function load(part: string): object {
    const known = loaded.get(part);
    if (known) return known.exports;
    const file = run(bundle.files[part] ?? bundle.first);
    const module: Module = { exports: {} };
    loaded.set(part, module);
    try {
      file.parts[part]?.(module);
    } catch (error) {
      loaded.delete(part);
      throw error;
    }
    file.ran.add(part);
    own.add(module.exports);
    return module.exports;
  }

  function run(name: string): Running {
    const known = running.get(name);
    if (known) return known;
    if (running.size === 0) {
      cache = bundle.cache();
      if (cache !== undefined) process.once('exit', keepAll);
    }
    const kept = cache === undefined ? undefined : keptIn(pathOf(name), bundle.build);
    const filename = join(bundle.folder, `${name}.cjs`);
    // All of it is ASCII, for which this is the quickest.
    const script = new Script(readFileSync(filename, 'latin1'), { filename, ...(kept ? { cachedData: kept.code } : {}) });
    const evaluate = script.runInThisContext() as (require: NodeJS.Require) => File;
    const parts = evaluate(bundle.require)(
      load,
      exportAll,
      (module) => (own.has(module) ? module : named(module)),
      (module) => module,
    );
    const made = { script, kept: script.cachedDataRejected ? undefined : kept, parts, ran: new Set<string>() };
    running.set(name, made);
    return made;
  }

  const pathOf = (name: string) => join(cache ?? '', `${name}-${process.version}-${process.arch}`);

  /** Keeps the code of each file of which a part ran that is not in what was kept. */
  function keepAll() {
    for (const [name, { script, kept, ran }] of running) {
      const all = new Set([...(kept?.ran ?? []), ...ran]);
      if (all.size > (kept?.ran.length ?? 0)) keep(pathOf(name), bundle.build, { code: script.createCachedData(), ran: [...all] });
    }
  }

  return load;
}

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
