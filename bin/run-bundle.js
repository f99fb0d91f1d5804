const { Script } = require('node:vm');

/** The folder in `dist` for what V8 has compiled: another V8 would refuse it. */
const compiledCode = `compiled/${process.versions.v8}-${process.platform}-${process.arch}`;

/**
 * Runs the program from the files of `dist`, wherever these are. `read(path)` returns the bytes of one of them, `compiled(path)` the code that
 * V8 has made of it, or undefined. Returns the scripts by path, as far as the program has asked for them.
 */
function runBundle(read, compiled) {
  const scripts = new Map();
  const modules = new Map();
  function load(path) {
    if (!path.startsWith('./')) return require(path);
    if (modules.has(path)) return modules.get(path).exports;
    // On the first line, the wrapper moves no line; the build writes ASCII alone.
    const source = `(function (exports, require, module) {${read(path).toString('latin1')}\n})`;
    const script = new Script(source, { filename: path, cachedData: compiled(path) });
    const module = { exports: {} };
    scripts.set(path, script);
    modules.set(path, module);
    script.runInThisContext()(module.exports, load, module);
    return module.exports;
  }
  load('./proctor-cli.cjs');
  return scripts;
}

module.exports = { compiledCode, runBundle };
