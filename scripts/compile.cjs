// `node compile.cjs OUTPUT WORDS...` runs the command of the words with the files of dist, against a service of its own, and keeps what V8 has
// compiled by then of the file that has the name of the output: a start that has it compiles next to nothing.
const { once } = require('node:events');
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { createServer } = require('node:http');
const { basename, dirname, join } = require('node:path');
const { compiledCode, runBundle } = require('../bin/run-bundle.js');

const [output, ...words] = process.argv.slice(2);
const exam = { id: 1, name: 'Algebra', start_time: '2099-01-01T09:00:00Z', end_time: '2099-01-01T11:00:00Z' };

async function compile() {
  const service = createServer(({ url }, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(/\d$/.test(url) ? exam : [exam]));
  });
  await once(service.listen(0, '127.0.0.1').unref(), 'listening');
  process.env.PROCTOR_BASE_URL = `http://127.0.0.1:${service.address().port}/api/v1`;
  process.env.PROCTOR_TOKEN = 'token-of-the-build';
  process.argv.splice(2, Infinity, ...words);
  const scripts = runBundle(
    (path) => readFileSync(join('dist', path)),
    () => undefined,
  );
  process.on('exit', (status) => {
    if (status !== 0) return;
    const path = join('dist', compiledCode, output);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, scripts.get(`./${basename(output)}`).createCachedData());
  });
  // A completion ends itself by a signal.
  process.kill = () => process.exit(0);
}

void compile();
