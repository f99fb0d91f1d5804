/** Checks the path from this machine to the service, one check a row, each with its remedy. */
import type { Answer } from '../api/answer.ts';
import type { Client } from '../api/client.ts';
import type { Operation } from '../api/operations.ts';
import { firstPage } from '../api/paging.ts';
import { type Column, type Context, defineCommand, type Result } from '../command.ts';
import { profileOption } from '../config/named-profiles.ts';
import { inForce, layersInForce } from '../config/settings.ts';
import { tokenSource } from '../config/token.ts';
import { CliError } from '../errors.ts';
import type { Asking, DoctorContext } from '../features/doctor/doctor-check.ts';
import { stringifyJson } from '../model/json.ts';
import { sentence } from '../text/sentence.ts';

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
    'Each check is ok, a warning, failed or skipped, with the fix below the table (in JSON, in its row). The doctor changes nothing: it reads the lists of exams and sessions, and their next page if there may be one. It shows headers and fields as they came, in full with -o json. The status is 0 if no check failed, else the status of the first failure. A broken configuration does not stop it.',
  effect: 'read',
  flags: { offline: { type: 'boolean', description: 'open no connections; check only this machine and its configuration' } },
  columns,
  async run(context, { offline = false }) {
    const { checks } = await import('../features/doctor/examine.ts');
    return context.act({ steps: checks, show: () => examination(context, true), perform: () => examination(context, offline) });
  },
  examples: [
    { line: 'proctor-cli doctor', description: 'what works, what does not, and how to fix it' },
    { line: 'proctor-cli doctor --offline -o json', description: 'this machine and its configuration only, for a script' },
  ],
});

export const doctor = [run];

/** `offline`: only the checks that open no connection, which are also all that a dry run performs. */
async function examination(context: Context, offline: boolean): Promise<Result> {
  const { examine } = await import('../features/doctor/examine.ts');
  const deadline = new AbortController();
  const milliseconds = longest(context);
  const late = new CliError('timeout', sentence`The checks took longer than ${milliseconds / 1000} s and were stopped.`);
  const timer = setTimeout(() => deadline.abort(late), milliseconds);
  const { rows, failure, advice } = await context.whileWaiting(() => examine(doctorContext(context, offline, deadline.signal)));
  clearTimeout(timer);
  return { kind: 'list', rows, columns, id: 'check', advice, ...(failure ? { failure } : {}) };
}

/** The time limit for all checks together: four requests, and at least a minute. Milliseconds. */
function longest({ settings }: Context): number {
  try {
    return Math.max(60_000, 4 * settings().timeoutMilliseconds);
  } catch {
    return 60_000;
  }
}

function doctorContext(context: Context, offline: boolean, deadline: AbortSignal): DoctorContext {
  const { host, globals } = context;
  const layers = () => layersInForce(host, globals);
  const asked = new Map<string, Promise<Answer>>();
  let client: Promise<Client> | undefined;
  const connected = () => {
    client ??= context.clientUntil(deadline).then((made) => {
      // A row says it.
      made.known.clockIsNamed = true;
      return made;
    });
    return client;
  };
  const ask = async (list: Operation, { path = pathOf(list, context), authPrefix }: Asking) => {
    const client = authPrefix === undefined ? connected() : context.connect({ ...context.settings(), authPrefix });
    return (await client).raw({ method: 'GET', path, repeat: 'safe', does: list.does });
  };
  return {
    host,
    settings: () => context.settings(),
    addressSource: () => inForce('baseUrl', layers()).source,
    tokenRuns() {
      const { name, profile } = layers();
      return tokenSource(host, name, profile)?.runs === true;
    },
    offline,
    deadline,
    async readList(list) {
      for await (const _item of (await connected()).list(list, {}, { stream: true, unsure: 'accept' })) break;
    },
    answer(list, asking = {}) {
      const { path = pathOf(list, context), ...how } = asking;
      const key = stringifyJson([path, how]);
      const answer = asked.get(key) ?? ask(list, asking);
      asked.set(key, answer);
      return answer;
    },
    masked: (text) => context.secrets.maskedWords(text),
    profileOption: () => profileOption(context.settings().profile),
  };
}

/** The path of the first page, as every command requests it. */
function pathOf(list: Operation, { settings }: Context): string {
  return firstPage(list.path, settings().dialect).path;
}
