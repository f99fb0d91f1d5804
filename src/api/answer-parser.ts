/**
 * What undici's parser lacks. It ends a connection for "100 Continue", which clients must accept (nodejs/undici
 * issue 197): it gets the status 102 instead, which it passes over. And it does not name the header that breaks HTTP.
 */
import { subscribe } from 'node:diagnostics_channel';
import { setFlagsFromString } from 'node:v8';
import symbols from 'undici/lib/core/symbols.js';

/** `statusCode`: less than 200 until the headers are complete. `contentLength`: -1 where none was seen. */
type Parser = {
  statusCode: number;
  contentLength: number;
  onHeadersComplete(status: number, upgrade: boolean, keepAlive: boolean): number;
  execute(chunk: Buffer): void;
  createError(code: number, rest: Buffer): Error;
};

/** The budget that Node sets by default. */
export const tieringBudget = 13_000_000;
/**
 * The parser is WebAssembly, made for the first connection. Optimized after two answers, as it would be, it holds up the end of a short
 * command for 20 ms. Compiled code is kept for a Node with the same flags only: from the first connection on they are as they were.
 */
const setTieringBudget = (budget: number) => setFlagsFromString(`--wasm-tiering-budget=${budget}`);
setTieringBudget(10 * tieringBudget);
let isPostponed = true;

subscribe('undici:client:connected', (message) => {
  // Node's own client has another symbol.
  const parser = (message as { socket: { [symbols.kParser]?: Parser } }).socket[symbols.kParser];
  if (!parser) return;
  // Each write has a connection of its own: once is enough.
  if (isPostponed) setTieringBudget(tieringBudget);
  isPostponed = false;
  const { onHeadersComplete, execute, createError } = parser;
  let last: Buffer = Buffer.alloc(0);
  parser.onHeadersComplete = (status, ...rest) => onHeadersComplete.call(parser, status === 100 ? 102 : status, ...rest);
  parser.execute = (chunk) => {
    last = chunk;
    // At the end of each connection undici throws away an error, and Node reads its stack.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    try {
      execute.call(parser, chunk);
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  };
  parser.createError = (code, rest) => {
    // A length that was read before the mistake explains nothing. Without a rest, the connection has ended.
    if (rest.length > 0) parser.contentLength = -1;
    const line =
      last
        .toString('latin1', 0, last.length - rest.length)
        .trimEnd()
        .split('\n')
        .at(-1) ?? '';
    const [header] = parser.statusCode >= 200 ? [] : (/^(?!HTTP\/)[^\s:]+/.exec(line) ?? []);
    return Object.assign(createError.call(parser, code, rest), { header });
  };
});
