/** Exams: the specification's section 4.1, apart from its students and its pool. */

import type { Client } from '../api/client.ts';
import { operations } from '../api/operations.ts';
import { updateExam } from '../api/perform.ts';
import { type BooleanFlag, type Column, type Context, defineCommand } from '../command.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import { missingRestrictions, restrictionKeys, restrictionsOf, wouldResetRestrictions } from '../model/restrictions.ts';

const columns: readonly Column[] = [
  { key: 'id' },
  { key: 'name' },
  { key: 'start_time', title: 'start', as: 'time' },
  { key: 'end_time', title: 'end', as: 'time' },
  { key: 'allow_headphones', title: 'headphones', as: 'boolean' },
  { key: 'allow_whiteboard', title: 'whiteboard', as: 'boolean' },
  { key: 'allow_leave_room', title: 'leaving', as: 'boolean' },
  { key: 'allow_pen_paper', title: 'paper', as: 'boolean' },
  { key: 'save_recording', title: 'recording', as: 'boolean', detail: true },
];

const yesNo = (field: string, does: string) => ({ type: 'boolean', negatable: true, field, does }) as const satisfies BooleanFlag;

const settings = {
  saveRecording: yesNo('save_recording', "save the students' video streams (the service's default: yes)"),
  allowHeadphones: yesNo('allow_headphones', 'allow headphones'),
  allowWhiteboard: yesNo('allow_whiteboard', 'allow a whiteboard'),
  allowLeaveRoom: yesNo('allow_leave_room', 'allow leaving the room'),
  allowPenPaper: yesNo('allow_pen_paper', 'allow pen and paper'),
} as const;

const list = defineCommand({
  name: 'exams list',
  summary: 'List exams',
  effect: 'read',
  columns,
  requests: () => [{ operation: operations.listExams }],
  examples: [
    { line: 'proctor-cli exams list', does: 'all exams, with their times in your zone' },
    { line: 'proctor-cli exams list -o json', does: 'the same for a script, with every field the service shows' },
  ],
});

const get = defineCommand({
  name: 'exams get',
  summary: 'Show one exam',
  effect: 'read',
  args: { id: { does: 'ID of the exam', complete: 'exams' } },
  columns,
  requests: ({ id }) => [{ operation: operations.getExam, params: { id } }],
  examples: [{ line: 'proctor-cli exams get 1', does: 'all that the service shows of exam 1' }],
});

const create = defineCommand({
  name: 'exams create',
  summary: 'Create an exam',
  effect: 'write',
  flags: {
    start: { type: 'time', field: 'start_time', does: 'when it starts' },
    end: { type: 'time', field: 'end_time', does: 'when it ends at the latest' },
    ...settings,
  },
  needs: ['start', 'end'],
  writes: { resource: 'exam', writing: 'create' },
  columns,
  requests: ({ body }) => [{ operation: operations.createExam, body }],
  examples: [
    {
      line: 'proctor-cli exams create --start 2027-02-01T09:00:00+01:00 --end 2027-02-01T11:00:00+01:00 --allow-pen-paper -F name="Linear Algebra"',
      does: 'an exam of two hours with pen and paper',
    },
  ],
});

const update = defineCommand({
  name: 'exams update',
  summary: 'Change an exam',
  details:
    'Changing one restriction sends all four: the exam is read first, the others keep their values, and the exam is read again to make sure.',
  effect: 'write',
  args: { id: { does: 'ID of the exam', complete: 'exams' } },
  flags: {
    start: { type: 'time', field: 'start_time', does: 'when it starts' },
    end: { type: 'time', field: 'end_time', does: 'when it ends at the latest' },
    ...settings,
    put: { type: 'boolean', does: 'send PUT in place of PATCH' },
  },
  writes: { resource: 'exam', writing: 'update' },
  columns,
  async run(context, { id, put, body }) {
    const operation = put ? operations.putExam : operations.patchExam;
    const client = await context.client();
    if (context.globals.dryRun) return plannedUpdate(client, operation, id, body);
    const { before, after, looked } = await updateExam(client, operation, id, body);
    if (looked !== undefined) context.say(looked);
    if (before && isJsonObject(after)) context.say(restrictionChange(id, before, after));
    return isJsonObject(after) ? { kind: 'one', row: after, columns } : { kind: 'nothing' };
  },
  examples: [
    { line: 'proctor-cli exams update 1 --allow-headphones', does: 'allow headphones; the other restrictions keep their values' },
    { line: 'proctor-cli exams update 1 --end 2027-02-01T11:30:00+01:00', does: 'let it end later' },
  ],
});

/** The requests of an update; which values the others keep is only known once the exam has been read. */
function plannedUpdate(client: Client, operation: typeof operations.putExam | typeof operations.patchExam, id: string, body: JsonObject) {
  const params = { id };
  const read = client.plan(operations.getExam, { params });
  const write = client.plan(operation, { params, body });
  const columns: readonly Column[] = [{ key: 'method' }, { key: 'url' }, { key: 'body' }, { key: 'note' }];
  if (!restrictionKeys.some((key) => Object.hasOwn(body, key))) return { kind: 'one', row: write, columns } as const;
  const filled = wouldResetRestrictions(body) ? `with ${missingRestrictions(body).join(', ')} as the exam has them` : undefined;
  const rows = [read, filled === undefined ? write : { ...write, note: filled }, read];
  return { kind: 'list', rows, columns } as const;
}

/** What has become of the restrictions, before and after, changed ones first. */
function restrictionChange(id: string, before: JsonObject, after: JsonObject): string {
  const was = restrictionsOf(before);
  const is = restrictionsOf(after);
  const word = (value: boolean | undefined) => (value === undefined ? 'not shown' : value ? 'yes' : 'no');
  const changed = restrictionKeys.filter((key) => was[key] !== is[key]).map((key) => `${key} ${word(was[key])} → ${word(is[key])}`);
  const kept = restrictionKeys.filter((key) => was[key] === is[key]).map((key) => `${key} ${word(is[key])}`);
  return `Exam ${id}: ${changed.length > 0 ? changed.join(', ') : 'no restriction changed'}${kept.length > 0 ? `; kept: ${kept.join(', ')}` : ''}.`;
}

/** A question names so many and counts the rest. */
const namedAtMost = 10;

const remove = defineCommand({
  name: 'exams delete',
  summary: 'Delete exams',
  details: 'The students of an exam and its proctor pool may go with it.',
  effect: 'destroy',
  args: { ids: { does: 'IDs of the exams; - reads them from stdin, one a line', variadic: true, complete: 'exams' } },
  async question({ ids }, context) {
    const named: string[] = [];
    for (const id of ids.slice(0, namedAtMost)) named.push(`${id} (${await countStudents(context, id)})`);
    const rest = ids.length > namedAtMost ? ` and ${ids.length - namedAtMost} more` : '';
    return ids.length === 1 ? `Delete exam ${named[0]}` : `Delete ${ids.length} exams: ${named.join(', ')}${rest}`;
  },
  requests: ({ ids }) => ids.map((id) => ({ operation: operations.deleteExam, params: { id }, subject: id })),
  examples: [{ line: 'proctor-cli exams delete 3 --yes', does: 'delete exam 3 without being asked' }],
});

const sendEmails = defineCommand({
  name: 'exams send-emails',
  summary: 'Send the exam mails to all students of an exam',
  details:
    'One mail for each student. The request is sent once and never repeated: if its outcome is unknown, the command says how to find out.',
  effect: 'send',
  args: { id: { does: 'ID of the exam', complete: 'exams' } },
  columns: [{ key: 'sent' }],
  question: async ({ id }, context) => `Send the exam mails of exam ${id} to its ${await countStudents(context, id)}`,
  requests: ({ id }, { settings }) => [
    { operation: operations.sendEmails, params: { id }, ...(settings().dialect.sendEmailsBody === 'empty-object' ? { body: {} } : {}) },
  ],
  examples: [{ line: 'proctor-cli exams send-emails 2 --yes', does: 'mail every student of exam 2' }],
});

/** How many students an exam has, in words. */
async function countStudents(context: Context, id: string): Promise<string> {
  const client = await context.client();
  let count = 0;
  for await (const _ of client.list(operations.listExamSessions, { params: { exam_id: id } })) count += 1;
  return count === 1 ? '1 student' : `${count} students`;
}

export const exams = [list, get, create, update, remove, sendEmails];
