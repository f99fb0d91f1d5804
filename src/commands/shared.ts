/** What commands of one kind have in common: list, create, update, delete, and the choice of several exams. */
import type { Operation } from '../api/operations.ts';
import { type Arguments, type Body, type Column, type Command, defineCommand, type Flag, type Flags, type Values } from '../command.ts';
import { fieldsOf, type OptionKey, type WritableResource } from '../model/fields.ts';

export type Words = Pick<Command, 'summary' | 'details' | 'examples'>;
type CommandParts = Words & { name: string; operation: Operation };

/** The options that set the fields of a resource. */
export function fieldFlags<R extends WritableResource>(resource: R): Record<OptionKey<R>, Flag> {
  const flags = Object.entries(fieldsOf(resource)).flatMap(([field, { type, option }]): [string, Flag][] => {
    if (!option) return [];
    const { key, value = 'value', ...words } = option;
    if (type === 'boolean' || type === 'time') return [[key, { type, field, ...words }]];
    return [[key, { type: 'text', value, field, description: words.description }]];
  });
  return Object.fromEntries(flags) as Record<OptionKey<R>, Flag>;
}

/** The columns of the fields of a resource, which follow that of its ID. */
export function fieldColumns(resource: WritableResource): Column[] {
  return Object.entries(fieldsOf(resource)).map(([key, { type, column }]) => {
    return { key, ...(type === 'boolean' || type === 'time' ? { as: type } : {}), ...column };
  });
}

export const listFlags = {
  sort: {
    type: 'text',
    value: 'fields',
    complete: 'keys',
    description: 'fields to sort by, separated by commas; -field reverses; empty values come last',
  },
  limit: { type: 'number', value: 'number', least: 1, most: 1_000_000_000, description: 'print at most this many rows' },
} as const satisfies Flags;

export function createFlags(what: string) {
  return {
    ifNotExists: { type: 'boolean', rare: true, description: `succeed and print it if ${what} already exists` },
    allowDuplicate: { type: 'boolean', rare: true, description: `create it even if ${what} already exists` },
  } as const satisfies Flags;
}

/** `what`: what may be there already. */
type CreateCommand = Omit<CommandParts, 'name'> & {
  name: 'exams create' | 'sessions create' | 'students add';
  columns: readonly Column[];
  fields: Flags;
  needs: readonly string[];
  what: string;
};

export function createCommand({ name, operation, fields, what, ...course }: CreateCommand) {
  const isInExam = name !== 'exams create';
  return defineCommand({
    ...course,
    name,
    effect: 'write',
    flags: { ...(isInExam ? { exam: examFlag } : {}), ...fields, ...createFlags(what) } as Flags,
    ...(operation.writes ? { writes: operation.writes } : {}),
    async run(context, { exam, body, typedTimes, allowDuplicate, ifNotExists }) {
      const { createOne } = await import('../features/crud/single-writes.ts');
      const consents = { allowDuplicate: Boolean(allowDuplicate), ifNotExists: Boolean(ifNotExists) };
      return createOne(context, { kind: name, exam: isInExam ? String(exam) : undefined, body, typedTimes, consents });
    },
  });
}

export const put = { type: 'boolean', rare: true, description: 'send PUT instead of PATCH' } as const satisfies Flag;

export function deleteCommand({ operation, ...course }: CommandParts & { operation: { resource: 'exam' | 'session' } }) {
  const { resource } = operation;
  return defineCommand({
    ...course,
    effect: 'destroy',
    takes: true,
    args: { ids: { description: `IDs of the ${resource}s`, variadic: true, complete: `${resource}s` } },
    async run(context, { ids }) {
      const { deleteEach } = await import('../features/crud/confirmed-writes.ts');
      return deleteEach(context, operation, ids);
    },
  });
}

export const examSelection = {
  exam: { type: 'texts', value: 'id', complete: 'exams', description: 'exams to include, by ID or name; can be repeated' },
  name: {
    type: 'text',
    value: 'text',
    plain: true,
    description: 'only exams with this in their name; with * or ?, the whole name; in any case',
  },
  from: { type: 'time', day: 'start', description: 'only exams that start at this time, on this day, or later' },
  until: { type: 'time', day: 'end', description: 'only exams that start at this time, on this day, or earlier' },
} as const satisfies Flags;

export const examFlag = {
  type: 'text',
  value: 'id',
  complete: 'exams',
  description: 'ID or name of the exam',
} as const satisfies Flag;

/** At least one of these options is needed; on a terminal, a picker takes the place of all. */
export const anyExam = ['exam', 'from', 'until', 'name'] as const;

export const lateFlag = {
  type: 'duration',
  value: 'duration',
  least: 0,
  most: 86_400_000,
  standard: 600_000,
  description: 'time after which a student who could start, and has not, is a problem (default: 10m)',
} as const satisfies Flag;

export const instituteFlag = {
  type: 'text',
  value: 'id',
  rare: true,
  description: "institute among whose users proctors are looked up, instead of the profile's",
} as const satisfies Flag;

export const someExams = {
  ids: {
    description: 'exams by ID or name, the same as --exam',
    variadic: true,
    optional: true,
    complete: 'exams',
  },
} as const satisfies Arguments;

type Given = Partial<Values<typeof someExams, typeof examSelection> & Pick<Body, 'typedTimes'>>;

export function selectionOf({ ids = [], exam = [], from, until, name, typedTimes }: Given) {
  return { exam: [...ids, ...exam], from, until, name, typedTimes };
}

export const timesColumns: readonly Column[] = [
  ...['exam', 'session', 'email', 'field'].map((key) => ({ key })),
  { key: 'from', as: 'time' },
  { key: 'to', as: 'time', identifies: true },
  { key: 'result', identifies: true },
  { key: 'reason' },
];

export const again = {
  type: 'boolean',
  rare: true,
  description: 'do it again, although a run did the same within the last hour',
} as const satisfies Flag;

export const checkColumns: readonly Column[] = [
  { key: 'check' },
  { key: 'state', identifies: true },
  { key: 'detail' },
  { key: 'remedy', detail: true },
];
