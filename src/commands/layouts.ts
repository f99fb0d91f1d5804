/** `layouts`: the saved declarations by which tables of students are read. */
import { type Column, defineCommand } from '../command.ts';
import { layoutNamed, layoutsInForce, storeLayout } from '../config/saved-layouts.ts';
import type { RosterLayout, ValuesByHeader } from '../model/roster-layout.ts';
import { sentence } from '../text/sentence.ts';

const columns: readonly Column[] = [
  { key: 'layout' },
  { key: 'format' },
  { key: 'email' },
  { key: 'decides' },
  { key: 'encoding', detail: true },
  { key: 'sheet', detail: true },
  { key: 'hidden_rows', detail: true },
  { key: 'dates', detail: true },
  { key: 'map', detail: true },
  { key: 'only', detail: true },
  { key: 'except', detail: true },
  { key: 'ignored', detail: true },
];

function rowOf(name: string, layout: RosterLayout) {
  const { format, encoding, sheet, hiddenRows, dates, map, only, except, ignored } = layout;
  return {
    layout: name,
    format: format ?? null,
    email: (map.email ?? []).join(', '),
    decides: Object.keys({ ...only, ...except }).join(', '),
    encoding: encoding ?? null,
    sheet: sheet ?? null,
    hidden_rows: hiddenRows ?? null,
    dates: dates ?? null,
    map: listed(map),
    only: listed(only),
    except: listed(except),
    ignored: [...ignored],
  };
}

const listed = (values: ValuesByHeader) => Object.entries(values).map(([key, all]) => `${key}=${all.join(',')}`);

const list = defineCommand({
  name: 'layouts list',
  summary: 'List the saved layouts of the profile',
  effect: 'local',
  columns,
  async run({ host, globals }) {
    const rows = Object.entries(layoutsInForce(host, globals).layouts).map(([name, layout]) => rowOf(name, layout));
    return { kind: 'list', rows, columns, id: 'layout' };
  },
  examples: [
    { line: 'proctor-cli layouts list', description: 'each layout, with its column of addresses and the columns that select lines' },
  ],
});

const name = { description: 'the layout', complete: 'layouts' } as const;

const show = defineCommand({
  name: 'layouts show',
  summary: 'Show a saved layout',
  effect: 'local',
  args: { name },
  columns,
  async run({ host, globals }, { name }) {
    return { kind: 'one', row: rowOf(name, layoutNamed(host, globals, name)), columns, id: 'layout' };
  },
  examples: [{ line: 'proctor-cli layouts show registrations', description: 'what each column is, and which values are imported' }],
});

const remove = defineCommand({
  name: 'layouts remove',
  summary: 'Remove a saved layout',
  effect: 'destroy',
  args: { name },
  async run(context, { name }) {
    const { host, globals } = context;
    layoutNamed(host, globals, name);
    return context.act({
      steps: [name],
      show() {
        context.say(sentence`The layout ${name} would be removed.`);
        return { kind: 'nothing' };
      },
      async perform() {
        await context.confirm(() => sentence`Remove the layout ${name}?`);
        const profile = await storeLayout(host, globals, name, undefined);
        context.say(sentence`Removed the layout ${name} from profile ${profile}.`);
        return { kind: 'nothing' };
      },
    });
  },
  examples: [{ line: 'proctor-cli layouts remove registrations --yes', description: 'remove it; --layout no longer finds it' }],
});

export const layouts = [list, show, remove] as const;
