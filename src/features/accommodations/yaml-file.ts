/**
 * A list of accommodations in YAML: every error with its line and column, an unknown key with the nearest known one.
 * Aliases are refused: no text grows beyond its own length, and each value stands where it is read.
 */
import { isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument, visit, type YAMLMap } from 'yaml';
import { CliError } from '../../errors.ts';
import { noChoice } from '../../model/choices.ts';
import { nearest } from '../../model/nearest.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import type { FileProblems } from '../rosters/file-problems.ts';
import { type Combination, combinations } from './accommodation.ts';
import { type Cell, examsInText, type RowKey, rowKeys, type WrittenRow } from './accommodation-rows.ts';

const fileKeys = ['version', 'combine', 'students'] as const;

/** Longer texts are no list of accommodations. Characters. */
const longestText = 16 << 20;

type WrittenList = { combine: Combination | undefined; rows: WrittenRow[] };

/** The rows of a YAML text. Problems are added to `problems`. */
export function yamlList(text: string, name: string, problems: FileProblems): WrittenList {
  if (text.length > longestText) throw new CliError('invalid_input', sentence`${name} is larger than 16 MB.`);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `line ${line}, column ${col}`;
  };
  const [broken] = [...document.errors, ...document.warnings];
  if (broken) {
    const { code, pos, message } = broken;
    problems.add(at(pos[0]), said[code] ?? sentence`The YAML cannot be read: ${message.replace(/[.]$/, '')}.`, hints[code]);
    return { combine: undefined, rows: [] };
  }
  const alias = text.includes('*') ? firstAlias(document) : undefined;
  if (alias) {
    problems.add(at(alias.range?.[0] ?? 0), sentence`Aliases (*name) are not supported.`, sentence`Write the value out.`);
    return { combine: undefined, rows: [] };
  }
  return new Reader(document.contents ?? undefined, at, problems).list();
}

/** What the parser found, in words that say what to do. */
const said: { readonly [code: string]: Sentence } = {
  DUPLICATE_KEY: sentence`This key is given twice; give each key once.`,
  MULTIPLE_DOCS: sentence`A second document begins here; the list must be one document.`,
  TAB_AS_INDENT: sentence`The line is indented with a tab; YAML takes blanks only.`,
  RESOURCE_EXHAUSTION: sentence`The brackets or lists are nested too deeply.`,
};

const hints: { readonly [code: string]: Sentence } = {
  BAD_ALIAS: sentence`Put quotes around a text that begins with *, as in "*algebra".`,
};

function firstAlias(document: ReturnType<typeof parseDocument>): Node | undefined {
  let found: Node | undefined;
  visit(document, {
    Alias(_key, node) {
      found = node;
      return visit.BREAK;
    },
  });
  return found;
}

const example = sentence`Each student begins with a dash: - email: ada@example.org`;

type Place = (offset: number) => string;

class Reader {
  readonly #contents: Node | undefined;
  readonly #at: Place;
  readonly #problems: FileProblems;

  constructor(contents: Node | undefined, at: Place, problems: FileProblems) {
    this.#contents = contents;
    this.#at = at;
    this.#problems = problems;
  }

  list(): WrittenList {
    const top = this.#contents;
    if (!isMap(top)) {
      this.#problem(top, sentence`A list of accommodations begins with "version: 1" and "students:".`);
      return { combine: undefined, rows: [] };
    }
    const values = this.#values(top as YAMLMap<Node, Node>, fileKeys);
    const version = values.get('version');
    if (!version) this.#problem(top, sentence`The version is missing.`, sentence`Begin the file with: version: 1`);
    else if (this.#text(version) !== '1') {
      this.#problem(version, sentence`This version of the format is unknown.`, sentence`Write: version: 1`);
    }
    const students = values.get('students');
    if (!students) this.#problem(top, sentence`The key "students" is missing.`);
    return { combine: this.#combine(values.get('combine')), rows: students ? this.#rows(students) : [] };
  }

  #combine(node: Node | undefined): Combination | undefined {
    const text = node && this.#text(node);
    const found = combinations.find((one) => one === text);
    if (node && !found) this.#problem(node, noChoice('combine', text ?? '', combinations).message);
    return found;
  }

  #rows(node: Node): WrittenRow[] {
    if (!isSeq(node)) {
      this.#problem(node, sentence`"students" is not a list of students.`, example);
      return [];
    }
    const rows: WrittenRow[] = [];
    for (const item of node.items as Node[]) {
      if (isMap(item)) rows.push(this.#row(item as YAMLMap<Node, Node>));
      else this.#problem(item, sentence`This is not a student with keys and values.`, example);
    }
    if (node.items.length === 0) this.#problem(node, sentence`The list has no students.`);
    return rows;
  }

  #row(map: YAMLMap<Node, Node>): WrittenRow {
    const { exams, ...others } = Object.fromEntries(this.#values(map, rowKeys)) as { [key in RowKey]?: Node };
    const cells: { [key: string]: Cell } = {};
    let unreadable = map.items.length > Object.keys(others).length + (exams ? 1 : 0);
    for (const [key, node] of Object.entries(others)) {
      const text = this.#text(node);
      if (text === undefined || text === '') {
        unreadable = true;
        this.#problem(node, sentence`"${key}" has no value that can be read.`);
      } else cells[key] = { text, at: `${this.#place(node)} (${key})` };
    }
    return { at: this.#place(map), unreadable, cells, exams: exams ? this.#examsIn(exams) : [] };
  }

  #examsIn(node: Node): readonly Cell[] {
    const listed = isSeq(node);
    const items = listed ? (node.items as Node[]) : [node];
    const cells = items.flatMap((item) => {
      const text = this.#text(item);
      if (text === undefined) this.#problem(item, sentence`"exams" takes names and IDs of exams.`);
      const at = `${this.#place(item)} (exams)`;
      return text === undefined ? [] : (listed ? [text] : examsInText(text)).map((exam) => ({ text: exam, at }));
    });
    if (items.length === 0) this.#problem(node, sentence`"exams" is empty.`, sentence`Leave it out for all exams.`);
    return cells;
  }

  /** The values of a map by key; a key that is not known is a problem. */
  #values<Key extends string>(map: YAMLMap<Node, Node>, known: readonly Key[]): Map<Key, Node> {
    const values = new Map<Key, Node>();
    for (const { key, value } of map.items as Pair<Node, Node | null>[]) {
      const name = isScalar(key) ? String(key.value) : '';
      const found = known.find((one) => one === name);
      if (!found) {
        const meant = nearest(name, known);
        this.#problem(
          key,
          sentence`Unknown key ${JSON.stringify(name)}.`,
          meant === undefined ? sentence`Known keys: ${known.join(', ')}.` : sentence`Did you mean ${meant}?`,
        );
      } else if (value === null) this.#problem(key, sentence`"${name}" has no value.`);
      else values.set(found, value);
    }
    return values;
  }

  /** A scalar as it was written: numbers and words of YAML are texts here. Undefined for what is none. */
  #text(node: Node): string | undefined {
    if (!isScalar(node) || node.value === null) return undefined;
    return typeof node.value === 'string' ? node.value : (node.source ?? String(node.value));
  }

  #place(node: Node | undefined): string {
    return this.#at(node?.range?.[0] ?? 0);
  }

  #problem(node: Node | undefined, what: Sentence, hint?: Sentence): void {
    this.#problems.add(this.#place(node), what, hint);
  }
}
