/** What the script loads, as a hook writes it down that Node preloads: the executable takes none. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/run.ts';

export type Loaded = {
  /** The parts of the bundle that ran, with their size in bytes. */
  parts: Map<string, number>;
  /** Files of the bundle beside these. */
  files: string[];
  /** Node's own modules. */
  builtins: string[];
};

/** An option for Node, and what was loaded with it since. */
export function watchLoading(): { option: string; loaded(): Loaded } {
  const log = join(temporaryFolder(), 'loaded');
  writeFileSync(log, '');
  const hook = `import { appendFileSync } from 'node:fs'; import { registerHooks } from 'node:module'; import { Script } from 'node:vm';
const note = (...words) => appendFileSync(${JSON.stringify(log)}, words.join(' ') + '\\n');
registerHooks({ load(url, context, next) { note('module', url); return next(url, context); } });
const { runInThisContext } = Script.prototype;
const noted = ([name, part]) => [name, (module) => { note('part', name, part.toString().length); part(module); }];
Script.prototype.runInThisContext = function (...options) {
  const file = runInThisContext.apply(this, options);
  return (require) => (...helpers) => Object.fromEntries(Object.entries(file(require)(...helpers)).map(noted));
};`;
  return {
    option: `--import=data:text/javascript,${encodeURIComponent(hook)}`,
    loaded() {
      const lines = readFileSync(log, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => line.split(' ') as [kind: string, name: string, size?: string]);
      const modules = [...new Set(lines.flatMap(([kind, name]) => (kind === 'module' ? [name] : [])))];
      return {
        parts: new Map(lines.flatMap(([kind, name, size]) => (kind === 'part' ? [[name, Number(size)]] : []))),
        files: modules.filter((url) => url.includes('/dist/')),
        builtins: modules.filter((url) => url.startsWith('node:')),
      };
    },
  };
}
