/**
 * The steps of an import, computed one by one as they are asked for: a million lines must fit. Four bytes each: what the step is, and
 * the place of its line among the entries, of its student among the removals, or of its record in the run that is resumed.
 */
import { operations } from '../../api/operations.ts';
import type { JsonObject } from '../../model/json.ts';
import { stringifyJson } from '../../model/json.ts';
import type { Entries, Entry } from '../../roster/map/entries.ts';
import { Integers } from '../../roster/map/packed.ts';
import type { Step, Steps } from '../../runs-before/index.ts';
import { fieldsOf, type LinePlan, type RequestShape } from './line-plan.ts';
import { deletionOf, type Missing } from './removals.ts';

/** In the order of their numbers. `open`: the open_time of the student whom the step before it creates. */
const kinds = ['create', 'open', 'update', 'delete', 'recorded'] as const;
export type StepKind = (typeof kinds)[number];

/** Steps computed lately are kept: each is asked for several times while it is sent. */
const keptSteps = 512;

export type LineStepsOptions = {
  /** The exams of the lines, by their numbers. */
  exams: readonly string[];
  entries: Entries;
  shape: RequestShape;
  /** What is done for the line at a place. */
  planOf(place: number, entry: Entry): LinePlan;
  removed(place: number): Missing | undefined;
  recorded?: ((index: number) => Step | undefined) | undefined;
};

export class LineSteps implements Steps {
  readonly last: number[] = [];
  readonly #options: LineStepsOptions;
  readonly #packed = new Integers();
  readonly #kept = new Map<number, Step>();

  constructor(options: LineStepsOptions) {
    this.#options = options;
  }

  get length(): number {
    return this.#packed.length;
  }

  /** The index of the new step. */
  add(kind: StepKind, place: number, isLast = kind === 'delete'): number {
    const index = this.#packed.length;
    this.#packed.push(kinds.length * place + kinds.indexOf(kind));
    if (isLast) this.last.push(index);
    return index;
  }

  kindAt(index: number): StepKind | undefined {
    const packed = this.#packed.at(index);
    return packed === undefined ? undefined : kinds[packed % kinds.length];
  }

  placeAt(index: number): number {
    return Math.floor((this.#packed.at(index) ?? 0) / kinds.length);
  }

  at(index: number): Step | undefined {
    const kept = this.#kept.get(index);
    if (kept) return kept;
    const step = this.#stepAt(index);
    if (!step) return undefined;
    if (this.#kept.size >= keptSteps) this.#kept.clear();
    this.#kept.set(index, step);
    return step;
  }

  #stepAt(index: number): Step | undefined {
    const kind = this.kindAt(index);
    if (kind === undefined) return undefined;
    const place = this.placeAt(index);
    if (kind === 'recorded') return this.#options.recorded?.(place);
    if (kind === 'delete') {
      const missing = this.#options.removed(place);
      return missing && deletionOf(missing);
    }
    const entry = this.#options.entries.at(place);
    if (!entry) return undefined;
    const { exams, shape } = this.#options;
    const exam = exams[entry.exam] ?? '';
    const about = { exam, line: entry.line, ...(entry.email === undefined ? { lineKey: lineKeyOf(entry) } : { email: entry.email }) };
    if (kind === 'create')
      return { operation: operations.createSession, params: { exam_id: exam }, body: fieldsOf(entry, 'create', shape), ...about };
    if (kind === 'open')
      return {
        operation: operations.patchSession,
        params: {},
        made: { param: 'id', by: index - 1 },
        body: openTimeOf(entry, shape),
        ...about,
      };
    return this.#update(entry, exam, this.#options.planOf(place, entry));
  }

  #update({ line }: Entry, exam: string, { student, changes = [] }: LinePlan): Step | undefined {
    if (student?.id === undefined) return undefined;
    const { email } = student;
    return {
      operation: operations.patchSession,
      params: { id: student.id },
      body: Object.fromEntries(changes.map(({ field, to }) => [field, to])),
      expects: Object.fromEntries(changes.map(({ field, from }) => [field, from])),
      exam,
      line,
      email,
    };
  }
}

/** The open_time that is set once the student is created; undefined where the line has none. */
export function openTimeOf(entry: Entry, shape: RequestShape): JsonObject | undefined {
  const { open_time: open } = fieldsOf(entry, 'update', shape);
  return open === undefined ? undefined : { open_time: open };
}

/** By what a line without an address is known in the same run and exam. */
export function lineKeyOf({ row: _row, line: _line, exam: _exam, ...says }: Entry): string {
  return stringifyJson(says);
}
