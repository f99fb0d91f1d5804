/** Checks the path from this machine to the service, one check a row, each with its remedy. */
import type { Reply } from '../api/answer.ts';
import type { Client } from '../api/client.ts';
import type { Operation } from '../api/operations.ts';
import { firstPath } from '../api/paging.ts';
import { type Column, type Context, defineCommand } from '../command.ts';
import { profileOption } from '../config/named-profiles.ts';
import { inForce, layersInForce } from '../config/settings.ts';
import type { DoctorContext } from '../features/doctor/doctor-check.ts';
import { stringifyJson } from '../model/json.ts';

const columns: readonly Column[] = [
  { key: 'check' },
  { key: 'state', identifies: true },
  { key: 'detail' },
  { key: 'remedy', detail: true },
];

const run = defineCommand({
  name: 'doctor',
  summary: 'Check configuration, connection, token and paging',
  details:
    'Each check is ok, a warning, failed or skipped, with the fix below the table (in JSON, in its row). The doctor changes nothing: it reads the lists of exams and sessions, and their next page if there may be one. It shows fields as they came, in full with -o json. The status is 0 if no check failed, else the status of the first failure. A broken configuration does not stop it.',
  effect: 'read',
  columns,
  async run(context) {
    const { examine } = await import('../features/doctor/examine.ts');
    const { rows, failure, advice } = await examine(doctorContext(context));
    return { kind: 'list', rows, columns, id: 'check', advice, ...(failure ? { failure } : {}) };
  },
  examples: [
    { line: 'proctor-cli doctor', description: 'what works, what does not, and how to fix it' },
    { line: 'proctor-cli doctor -o json', description: 'the same for a script' },
  ],
});

export const doctor = [run];

function doctorContext(context: Context): DoctorContext {
  const { host, globals } = context;
  const asked = new Map<string, Promise<Reply>>();
  const connected = async (): Promise<Client> => {
    const client = await context.client();
    // A row says it.
    client.known.clockIsNamed = true;
    return client;
  };
  const ask = async ({ does }: Operation, path: string, authPrefix: string | undefined) => {
    const client = authPrefix === undefined ? connected() : context.connect({ ...context.settings(), authPrefix });
    return (await client).read({ method: 'GET', path, does });
  };
  return {
    host,
    settings: () => context.settings(),
    sourceOf: (key) => inForce(key, layersInForce(host, globals)).source,
    async readList(list) {
      for await (const _page of (await connected()).pages(list, {}, { unsure: 'accept' })) break;
    },
    answer(list, { path = pathOf(list, context), authPrefix } = {}) {
      const key = stringifyJson([path, authPrefix ?? null]);
      const answer = asked.get(key) ?? ask(list, path, authPrefix);
      asked.set(key, answer);
      return answer;
    },
    masked: (text) => context.secrets.maskedWords(text),
    profileOption: () => profileOption(context.settings().profile),
  };
}

/** The path of the first page, as every command requests it. */
function pathOf(list: Operation, { settings }: Context): string {
  return firstPath(list.path, settings().dialect.listQuery);
}
