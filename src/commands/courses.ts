/** What commands of one kind have in common: list, create, update, delete. */
import type { Operation } from '../api/operations.ts';
import type { BooleanFlag, Column, Command, Flags, TextFlag } from '../command.ts';
import { defineCommand } from './define-command.ts';

export type Words = Pick<Command, 'summary' | 'examples'> & { details?: string };
type Course = Words & { name: string; operation: Operation };

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
type Creating = Omit<Course, 'name'> & {
  name: 'exams create' | 'sessions create' | 'students add';
  columns: readonly Column[];
  fields: Flags;
  needs?: readonly string[];
  what: string;
  isInExam?: true;
};

export function creating({ name, operation, fields, what, isInExam, needs = [], ...course }: Creating) {
  return defineCommand({
    ...course,
    name,
    needs: isInExam ? ['exam', ...needs] : needs,
    effect: 'write',
    flags: { ...(isInExam ? { exam: examFlag } : {}), ...fields, ...createFlags(what) } as Flags,
    ...(operation.writes ? { writes: operation.writes } : {}),
    async run(context, { exam, body, typedTimes, allowDuplicate, ifNotExists }) {
      const { createOne } = await import('../features/writes/single-writes.ts');
      const consents = { allowDuplicate: Boolean(allowDuplicate), ifNotExists: Boolean(ifNotExists) };
      return createOne(context, { kind: name, ...(isInExam ? { exam: String(exam) } : {}), body, typedTimes, consents });
    },
  });
}

export const put = { type: 'boolean', rare: true, description: 'send PUT instead of PATCH' } as const satisfies BooleanFlag;

export function deleting({ operation, ...course }: Course & { operation: { resource: 'exam' | 'session' } }) {
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
    description: 'only exams with this in their name; with * or ?, the whole name; in any case',
  },
  from: { type: 'time', day: 'start', description: 'only exams that start at this time, on this day, or later' },
  until: { type: 'time', day: 'end', description: 'only exams that start at this time, on this day, or earlier' },
} as const satisfies Flags;

export const examFlag = {
  type: 'text',
  value: 'id',
  complete: 'exams',
  description: 'ID of the exam',
} as const satisfies TextFlag;
