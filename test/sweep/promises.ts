/** What every command promises of what it prints and of the files that it leaves behind, whatever it is given and told. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { exitStatuses } from '../../src/cli/help/pages.ts';
import type { Run } from '../support/run.ts';
import { foundIn, type Planted } from './planted.ts';

/** `foreign`: what the service and the command line said, which a message may repeat. */
export type About = { argv: readonly string[]; foreign: string; tty?: boolean; planted?: readonly Planted[] };

const commanding = /(?![\n\t])\p{Cc}|\p{Bidi_Control}|[\u2028\u2029\u200b\u00ad\u3164\u{e0041}]/u;
/** A stack, a path into the program, or an unintended value. */
const internals = /\n\s+at .*:\d+|node:internal|\/dist\/|\[object Object\]|RangeError|TypeError|ReferenceError|SyntaxError/;
/** What draws a watch on a whole screen; the service's own sequences stand beside its words. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const drawing = /\u001b\[2J(?=\u001b)|\u001b\[\d+;1H\u001b\[2K/g;

/** The promises that a run has broken. */
export function brokenBy({ code, stdout, stderr, questions, offered }: Run, { argv, foreign, tty = false, planted = [] }: About): string[] {
  const told = [stderr, ...questions, ...offered.flat()].join('\n');
  const format = formatOf(argv, stdout);
  // Data in a pipe keeps every character of CSV; everything else is fit for a terminal.
  const screened = [told, !tty && format === 'csv' ? '' : stdout]
    .join('\n')
    .replaceAll('\r\u001b[K', '')
    .replace(drawing, (each) => (tty && argv.includes('watch') ? '' : each))
    .replaceAll('\u0007', tty && argv.includes('--bell') ? '' : '\u0007')
    .replaceAll('\r\n', '\n');
  const command = commanding.exec(screened);
  const [inside] = internals.exec(stderr) ?? [];
  const lure = /^\s*(hint: (Log in with: curl|LURE)|error: LURE).*/m.exec(told);
  return [
    ...foundIn(told, planted).map((kind) => `the secret ${kind} on stderr`),
    ...(argv.includes('--show-secrets') ? [] : foundIn(stdout, planted).map((kind) => `the secret ${kind} on stdout`)),
    ...(code === 1 || !Object.hasOwn(exitStatuses, code) ? [`status ${code}: ${stderr.slice(0, 300)}`] : []),
    ...(inside !== undefined && !foreign.includes(inside.trim()) ? [`it shows what is inside of it: ${inside}`] : []),
    ...(command ? [`U+${command[0].codePointAt(0)?.toString(16)}: ${screened.slice(Math.max(0, command.index - 60), command.index)}`] : []),
    ...(lure ? [`a line of the service: ${lure[0]}`] : []),
    // A watch that is stopped has ended as it should.
    ...(code === 0 || (code === 130 && argv.includes('watch')) ? [] : brokenRefusal(stderr, format, foreign)),
    ...(isWhole(stdout, format) ? [] : [`stdout is not whole: ${stdout.slice(-200)}`]),
  ];
}

/** The last one counts. Help is text, whatever the format. */
function formatOf(argv: readonly string[], stdout: string): string | undefined {
  const at = argv.findLastIndex((word) => word === '-o' || word === '--output');
  return at < 0 || stdout.startsWith('Usage: ') ? undefined : argv[at + 1];
}

/** A failure is one error, as text or as JSON, in our sentence if it repeats none of the service. */
function brokenRefusal(stderr: string, format: string | undefined, foreign: string): string[] {
  const isData = format === 'json' || format === 'ndjson';
  const errors = stderr.split('\n').filter((line) => line.startsWith(isData ? '{"error":{' : 'error: '));
  const [error = ''] = errors;
  if (errors.length !== 1) return [`${errors.length} errors: ${stderr.slice(0, 300)}`];
  const { message, status } = isData ? JSON.parse(error).error : { message: error, status: undefined };
  const odd = status === null ? oddWords(message, foreign) : undefined;
  return odd === undefined ? [] : [odd];
}

/** What is wrong with the sentence of a refusal: no end, or a value that was not meant to be in it. `foreign`: the input, whose words it may repeat. */
export function oddWords(message: string, foreign: string): string | undefined {
  const [odd] = /undefined|\[object|NaN/.exec(message.replaceAll(/"(\\.|[^"])*"/g, '')) ?? [];
  return !/[.!?]$/.test(message) || (odd !== undefined && !foreign.includes(odd)) ? `it says: ${message}` : undefined;
}

function isWhole(stdout: string, format: string | undefined): boolean {
  const values = format === 'json' ? [stdout] : format === 'ndjson' ? stdout.split('\n') : [];
  return (stdout === '' || stdout.endsWith('\n')) && values.every((value) => value === '' || isJson(value));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * The promises that the files below a folder break, but for those that were given. Pages and XML are read by programs that a
 * control character stops, and by people.
 */
export function brokenIn(home: string, given: readonly string[], planted: readonly Planted[]): string[] {
  return (readdirSync(home, { recursive: true }) as string[]).flatMap((name) => {
    const path = join(home, name);
    if (given.includes(name) || !statSync(path, { throwIfNoEntry: false })?.isFile()) return [];
    const isPage = /\.(html|xml)$/.test(name);
    const [command] = isPage ? (commanding.exec(readFileSync(path, 'utf8')) ?? []) : [];
    return [
      ...foundIn(readFileSync(path, 'latin1'), planted).map((kind) => `the secret ${kind} in ${name}`),
      ...(command === undefined ? [] : [`U+${command.codePointAt(0)?.toString(16)} in ${name}`]),
      ...(name.endsWith('.json') && !isJson(readFileSync(path, 'utf8')) ? [`${name} is not JSON`] : []),
    ];
  });
}
