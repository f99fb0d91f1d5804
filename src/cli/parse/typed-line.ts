/** The typed line with additional words in their places, to be pasted into a shell. */
import { shellQuoted } from '../../model/shell-quote.ts';

/** `argv`: as typed. Options are inserted before a `--`, arguments at the end. */
export function typedLine(argv: readonly string[], options: readonly string[], operands: readonly string[]): string {
  const end = argv.indexOf('--');
  const typed = end < 0 ? argv : argv.slice(0, end);
  const behind = end < 0 ? [] : argv.slice(end);
  const mark = end < 0 && operands.some((operand) => operand.startsWith('-')) ? ['--'] : [];
  return ['proctor-cli', ...typed, ...options, ...behind, ...mark, ...operands].map(shellQuoted).join(' ');
}
