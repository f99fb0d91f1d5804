/** What stands between this machine and the service, one check a row, each with its remedy. */
import { operations } from '../api/operations.ts';
import { type Column, type Context, defineCommand, type Row } from '../command.ts';
import { CliError } from '../errors.ts';
import { InvalidValue } from '../model/invalid-value.ts';

const columns: readonly Column[] = [{ key: 'check' }, { key: 'state' }, { key: 'detail' }, { key: 'remedy' }];

/** One check: what it finds, or a throw with its remedy. */
type Check = { check: string; find(context: Context): Promise<string> | string };

const checks: readonly Check[] = [
  {
    check: 'configuration',
    find: (context) => `profile ${context.settings().profile}`,
  },
  {
    check: 'time zone',
    find: (context) => context.settings().timeZone ?? 'none set: times need an offset (config set timezone ZONE sets one)',
  },
  {
    check: 'token',
    async find(context) {
      const settings = context.settings();
      return settings.sandbox ? 'from the embedded service' : `from ${(await settings.token()).source}`;
    },
  },
  {
    check: 'service',
    async find(context) {
      const started = context.host.now();
      const client = await context.client();
      let exams = 0;
      for await (const _ of client.list(operations.listExams, {})) exams += 1;
      return `${client.origin} answers: ${exams} exams in ${context.host.now() - started} ms`;
    },
  },
];

const run = defineCommand({
  name: 'doctor',
  summary: 'Check configuration, token and connection',
  effect: 'read',
  columns,
  async run(context) {
    const rows: Row[] = [];
    let failure: CliError | undefined;
    for (const { check, find } of checks) {
      if (failure) {
        rows.push({ check, state: 'not checked', detail: null, remedy: null });
        continue;
      }
      try {
        rows.push({ check, state: 'ok', detail: await find(context), remedy: null });
      } catch (error) {
        if (!(error instanceof CliError || error instanceof InvalidValue)) throw error;
        failure = error instanceof CliError ? error : new CliError('invalid_config', error.message);
        rows.push({ check, state: 'failed', detail: error.message, remedy: failure.hint });
      }
    }
    return { kind: 'list', rows, columns, ...(failure ? { failure } : {}) };
  },
  examples: [{ line: 'proctor-cli doctor', does: 'what works, what does not, and what to do about it' }],
});

export const doctor = [run];
