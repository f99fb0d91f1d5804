/** `runs export`: the record as evidence, an entry for each run, each step and each taking-over. */
import { type Column, defineCommand } from '../command.ts';
import { runFilterOf, runFilters } from './run-filters.ts';

const columns: readonly Column[] = [
  { key: 'at', as: 'time' },
  { key: 'run' },
  { key: 'who', identifies: true },
  { key: 'does', identifies: true },
  { key: 'exam' },
  { key: 'session' },
  { key: 'result', identifies: true },
];

export const exporting = defineCommand({
  name: 'runs export',
  summary: 'Print the record as evidence, in the order of time',
  details:
    'Each run, each of its steps and each time that another process took it over is an entry: when, who, what, and what became of it; reason has why it was done during an exam. With -o ndjson, entries are printed one a line as they are read. Filters choose runs, and all of a chosen run is printed. Addresses, names and reasons are in clear, as in runs show; student is the same in all entries about the same address.',
  effect: 'local',
  flags: runFilters,
  columns,
  async run(context, given) {
    const filter = await runFilterOf(context, given);
    const [{ evidenceOf }, { evidenceRow }] = await Promise.all([import('../runs/index.ts'), import('../features/evidence-rows.ts')]);
    const state = await context.state();
    const rows = (async function* () {
      for await (const entry of evidenceOf(state, filter)) yield evidenceRow(entry);
    })();
    return { kind: 'list', rows, columns, id: null };
  },
  examples: [
    { line: 'proctor-cli runs export -o ndjson', description: 'everything, one JSON object a line' },
    { line: 'proctor-cli runs export --since 180d --exam 6 -o ndjson', description: 'what was done about an exam in half a year' },
  ],
});
