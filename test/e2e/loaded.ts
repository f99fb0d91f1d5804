/** What the script loads, as a hook writes it down that Node preloads: the executable takes none. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/run.ts';

export type Loaded = {
  /** Files of the bundle, by name. */
  files: string[];
  /** Node's own modules. */
  builtins: string[];
};

/** An option for Node, and what was loaded with it since. */
export function watchLoading(): { option: string; loaded(): Loaded } {
  const log = join(temporaryFolder(), 'loaded');
  writeFileSync(log, '');
  // The program is run by node:vm, the other files are modules.
  const hook = `import fs, { appendFileSync } from 'node:fs'; import { registerHooks, syncBuiltinESMExports } from 'node:module';
const note = (name) => appendFileSync(${JSON.stringify(log)}, name + '\\n');
registerHooks({ load(url, context, next) { note(url); return next(url, context); } });
const { readFileSync } = fs;
fs.readFileSync = (file, ...options) => { if (/program.cjs$/.test(file)) note(file); return readFileSync(file, ...options); };
syncBuiltinESMExports();`;
  return {
    option: `--import=data:text/javascript,${encodeURIComponent(hook)}`,
    loaded() {
      const names = [...new Set(readFileSync(log, 'utf8').trimEnd().split('\n'))];
      return {
        files: names.flatMap((name) => /[\\/]dist[\\/]([\w.]+)$/.exec(name)?.[1] ?? []),
        builtins: names.filter((name) => name.startsWith('node:')),
      };
    },
  };
}
