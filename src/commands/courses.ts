/** What commands of one kind have in common: show one resource, list, create, update, delete. */
import type { Operation } from '../api/operations.ts';
import type { Argument, Arguments, Column, Command, Flags, TextFlag, TextsFlag, TimeFlag } from '../command.ts';
import { defineCommand } from './define-command.ts';

export type Words = Pick<Command, 'summary' | 'examples' | 'file'> & { details?: string };
type Course = Words & { name: string; operation: Operation; columns: readonly Column[] };
type OfOne = { operation: { resource: 'exam' | 'session' } };

export function getting({ operation, ...course }: Course & OfOne) {
  const { resource } = operation;
  return defineCommand({
    ...course,
    effect: 'read',
    args: { id: { description: `ID of the ${resource}`, complete: `${resource}s` } },
    request: ({ id }) => ({ operation, params: { id } }),
  });
}

type With<A extends Arguments, F extends Flags, More extends Flags> = Omit<Command<A, F & More>, 'effect' | 'flags'> & {
  flags: F;
};

const listFlags = {
  sort: {
    type: 'text',
    value: 'fields',
    complete: 'keys',
    description: 'fields to sort by, separated by commas; -field reverses; empty values come last',
  },
  limit: { type: 'number', value: 'number', least: 1, most: 1_000_000_000, description: 'print at most this many rows' },
} as const satisfies Flags;

type NoArguments = Record<never, Argument>;

/** Lists a resource, with --sort and --limit. */
export function listing<const F extends Flags>({ flags, ...course }: With<NoArguments, F, typeof listFlags>) {
  return defineCommand<NoArguments, F & typeof listFlags>({
    ...course,
    effect: 'read',
    flags: { ...flags, ...listFlags },
  });
}

/** `param`: what the operation calls the exam's ID. */
export function listingOfExam({ operation, param, ...course }: Course & { param: 'id' | 'exam_id' }) {
  return defineCommand({
    ...course,
    effect: 'read',
    flags: { exam: examFlag },
    needs: ['exam'],
    request: ({ exam }) => ({ operation, params: { [param]: exam } }),
  });
}

export function createFlags(what: string) {
  return {
    ifNotExists: { type: 'boolean', rare: true, description: `succeed and print it if ${what} already exists` },
    allowDuplicate: { type: 'boolean', rare: true, description: `create it even if ${what} already exists` },
  } as const satisfies Flags;
}

/** `what`: what may be there already; `param`: what the operation calls the ID of the exam. */
type Creating = Course & { fields: Flags; needs?: readonly string[]; what: string; param?: 'id' | 'exam_id' };

export function creating({ name, operation, columns, fields, what, param, needs = [], ...course }: Creating) {
  return defineCommand({
    ...course,
    name,
    needs: param ? ['exam', ...needs] : needs,
    effect: 'write',
    flags: { ...(param ? { exam: examFlag } : {}), ...fields, ...createFlags(what) } as Flags,
    ...(operation.writes ? { writes: operation.writes } : {}),
    columns,
    async run(context, { exam, body, typedTimes, allowDuplicate, ifNotExists }) {
      const { createOne } = await import('../features/writes/single-writes.ts');
      const params = param ? { [param]: String(exam) } : {};
      const consents = { allowDuplicate: Boolean(allowDuplicate), ifNotExists: Boolean(ifNotExists) };
      return createOne(context, { kind: name, operation, params, body, typedTimes, consents });
    },
  });
}

const put = { put: { type: 'boolean', rare: true, description: 'send PUT instead of PATCH' } } as const satisfies Flags;

export function updating<const A extends Arguments, const F extends Flags>({ flags, ...course }: With<A, F, typeof put>) {
  return defineCommand<A, F & typeof put>({ ...course, effect: 'write', takes: true, flags: { ...flags, ...put } });
}

export function deleting({ operation, ...course }: Omit<Course, 'columns'> & OfOne) {
  const { resource } = operation;
  return defineCommand({
    ...course,
    effect: 'destroy',
    takes: true,
    args: { ids: { description: `IDs of the ${resource}s`, variadic: true, complete: `${resource}s` } },
    async run(context, { ids }) {
      const { deleteEach } = await import('../features/writes/asked-writes.ts');
      return deleteEach(context, operation, ids);
    },
  });
}

export const examSelection = {
  exam: { type: 'texts', value: 'id', complete: 'exams', description: 'exams to include; can be repeated' },
  name: {
    type: 'text',
    value: 'text',
    description: 'only exams with this in their name, or with * or ? for the whole name, in any case',
  },
  from: { type: 'time', day: 'start', description: 'only exams that start at this time, on this day, or later' },
  until: { type: 'time', day: 'end', description: 'only exams that start at this time, on this day, or earlier' },
} as const satisfies Record<string, TextFlag | TextsFlag | TimeFlag>;

export const examFlag = {
  type: 'text',
  value: 'id',
  complete: 'exams',
  description: 'ID of the exam',
} as const satisfies TextFlag;
