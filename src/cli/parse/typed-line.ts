/** A line back in words: as runs record it (flags, IDs and times, nothing of a person), or to be pasted. */
import { basename } from 'node:path';
import type { Argument, Command, Flag } from '../../command.ts';
import { flagName, shellQuoted, typedCommand, typedOption } from '../../model/shell-quote.ts';
import { formatTime } from '../../model/time.ts';
import type { Invocation } from './program.ts';

type TypedValues = Readonly<Record<string, unknown>>;

const completesIds: ReadonlySet<Argument['complete']> = new Set(['exams', 'sessions', 'runs']);
/** Placeholders of flags that take an ID or a length of time. */
const alwaysShown: ReadonlySet<string> = new Set(['id', 'duration', 'amount']);

export function recordedCommand({ command, raw }: Invocation, values: TypedValues, operands?: readonly string[]): string {
  const { flags = {} } = command;
  const options = Object.entries(flags).flatMap(([key, flag]) => {
    return [values[key] ?? []].flat().map((value) => option(key, flag, value));
  });
  if (raw.typed.length > 0) options.push('--field KEY=VALUE');
  if (raw.text.length > 0) options.push('--raw-field KEY=VALUE');
  if (raw.body !== undefined) options.push('--body FILE');
  return typedCommand(command.name, operands ?? operandsOf(command, values), ...options);
}

function operandsOf({ args = {} }: Command, values: TypedValues): string[] {
  return Object.entries(args).flatMap(([name, { complete }]) => {
    const given = [values[name] ?? []].flat().map(String);
    if (completesIds.has(complete)) return given.map((id) => idValue(id) ?? name.toUpperCase());
    // Folders and files may be named after a student: folders are not recorded, nor a file whose name has an address.
    const inFolder = (path: string) => (/^-|@/.test(basename(path)) ? name.toUpperCase() : basename(path));
    if (complete === 'files') return given.map(inFolder);
    return given.length > 0 ? [name.toUpperCase()] : [];
  });
}

function option(key: string, flag: Flag, value: unknown): string {
  const name = flagName(key);
  if (flag.type === 'boolean') return value === false ? name.replace('--', '--no-') : name;
  if (flag.type === 'time') return `${name} ${formatTime(value as number, 'iso-utc')}`;
  // A choice of the program, such as an encoding, says nothing of a person.
  const isOwn = [flag.choices ?? [], Array.isArray(flag.complete) ? flag.complete : []].flat().includes(String(value));
  const shown = isOwn || flag.plain || alwaysShown.has(flag.value) ? idValue(String(value)) : undefined;
  return shown === undefined ? `${name} ${flag.value.toUpperCase()}` : typedOption(name, shown);
}

/** An address that was typed in place of an ID is not recorded. */
function idValue(value: string): string | undefined {
  return value.includes('@') ? undefined : value;
}

/** The typed line with additional words: options before a `--`, arguments at the end. */
export function typedLine(argv: readonly string[], options: readonly string[], operands: readonly string[]): string {
  const end = argv.indexOf('--');
  const typed = argv.toSpliced(end < 0 ? argv.length : end, 0, ...options);
  const mark = end < 0 && operands.some((operand) => operand.startsWith('-')) ? ['--'] : [];
  return ['proctor-cli', ...typed, ...mark, ...operands].map(shellQuoted).join(' ');
}
