/** Any request to the service, under the rules of the commands. */
import { endExam, filled, type Method, type Operation, operations, type Request } from '../api/operations.ts';
import { type Column, type Context, defineCommand, type Result } from '../command.ts';
import { CliError } from '../errors.ts';
import { refuseTypedFields, typedPath } from '../features/crud/typed-path.ts';
import { missingRestrictions, wouldResetRestrictions } from '../model/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { capitalised, sentence } from '../text/sentence.ts';

const methods: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export const command = defineCommand({
  name: 'api',
  summary: 'Send any request, or list the operations with --list',
  details:
    'Fields (-F, -f, --body) are the query of a GET and the JSON body of other requests. The answer is printed as JSON, unless -o gives another format.',
  effect: 'write',
  takes: true,
  yields: ({ method, list }) => list === true || (typeof method === 'string' && method.toUpperCase() === 'GET'),
  args: {
    method: { description: methods.join(', '), complete: methods, optional: true },
    path: { description: 'path below the base URL, such as /exams/42', optional: true },
  },
  flags: { list: { type: 'boolean', description: 'list the operations of the service' } },
  writes: 'anything',
  async run(context, { method, path, list, body }) {
    if (list) return { kind: 'list', rows: await capabilities(), columns: capabilityColumns, id: 'operation' };
    const verb = methods.find((name) => name === method?.toUpperCase());
    if (verb && path !== undefined) return send(context, verb, path, body);
    const problem = method === undefined ? 'The method and the path are missing.' : 'There is no such method.';
    throw new CliError('usage', verb ? 'The path is missing.' : problem, {
      hint: sentence`The methods are ${methods.join(', ')}; for example: proctor-cli api GET /exams`,
    });
  },
  examples: {
    'proctor-cli api GET /exams/1': 'the answer of the service, unchanged',
    'proctor-cli api --list': 'the operations of the service, including the removed one',
  },
});

async function send(context: Context, method: Method, typed: string, fields: JsonObject): Promise<Result> {
  const resolved = typedPath(method, typed);
  refuseTypedFields(method, resolved, fields);
  const { path, query, operation, params } = resolved;
  const hasFields = Object.keys(fields).length > 0;
  const full = method === 'GET' && hasFields ? withQuery(path, fields) : path;
  if (operation?.writes?.resource === 'exam' && operation.writes.writing === 'update')
    refuseReset({ ...query, ...fields }, params.id ?? '');
  const raw: Request = {
    method,
    path: full,
    does: operation ? filled(operation.does, params) : `${method} ${path.split('?')[0]}`,
    ...(operation?.look === undefined ? {} : { look: operation.look(params) }),
    ...(method !== 'GET' && hasFields ? { body: fields } : {}),
  };
  if (method !== 'GET') {
    const { sendTyped } = await import('../features/crud/typed-request.ts');
    return sendTyped(context, { raw, resolved, fields, print: resultOf });
  }
  const client = await context.client();
  const reply = await client.read(raw);
  if (operation?.answer === 'list' && !full.includes('?')) {
    const { itemsOfPart } = await import('../api/doubts.ts');
    const items = itemsOfPart(operation, client.dialect, reply);
    if (items !== undefined) {
      const all = 'Commands such as sessions list read all pages.';
      const doubt = sentence`the answer may be only one page of the list: it has ${items} items.`;
      if (context.globals.to !== undefined) throw new CliError('list_in_doubt', sentence`${capitalised(doubt)}`, { hint: all });
      context.warn(sentence`warning: ${doubt} ${all}`);
    }
  }
  return resultOf(reply.data);
}

function withQuery(path: string, fields: JsonObject): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(fields)) query.append(key, isJsonObject(value) ? JSON.stringify(value) : String(value));
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

/** An update that names some restrictions would reset the others (specification 2.1, rule 2). */
function refuseReset(fields: JsonObject, id: string) {
  const bodies = [fields, ...Object.values(fields).filter(isJsonObject)];
  const partial = bodies.find(wouldResetRestrictions);
  if (!partial) return;
  const reset = missingRestrictions(partial).join(', ');
  throw new CliError('invalid_input', sentence`This would reset ${reset} of exam ${id}. Nothing was sent.`, {
    hint: sentence`Give all four restrictions, or keep the others with: proctor-cli ${typedCommand('exams update', [id])}`,
  });
}

/** The fields of the first row are the columns of -o table. */
function resultOf(data: Json | undefined): Result {
  if (data === undefined) return { kind: 'nothing' };
  if (isJsonObject(data)) return { kind: 'one', row: data, columns: [], unasked: 'json' };
  const rows = (Array.isArray(data) ? data : [data]).map((item) => (isJsonObject(item) ? item : { value: item }));
  return { kind: 'list', rows, columns: Object.keys(rows[0] ?? {}).map((key) => ({ key })), unasked: 'json' };
}

const capabilityColumns: readonly Column[] = [
  { key: 'method' },
  { key: 'path' },
  { key: 'does' },
  { key: 'repeat' },
  { key: 'supported', as: 'boolean' },
  { key: 'note' },
];

async function capabilities() {
  const { repeatOf } = await import('../runs/index.ts');
  const rowOf = ({ id, method, path, does }: Record<'id' | 'method' | 'path' | 'does', string>) => ({ operation: id, method, path, does });
  const supported = Object.values<Operation>(operations).map((operation) => {
    return { ...rowOf(operation), repeat: repeatOf(operation), supported: true, note: null };
  });
  const note = `removed on ${endExam.since}. ${endExam.instead}`;
  return [...supported, { ...rowOf(endExam), repeat: null, supported: false, note }];
}
