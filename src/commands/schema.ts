/** The JSON schema of each command's output, for scripts: generated from the models. */
import { type Command, defineCommand } from '../command.ts';
import { CliError } from '../errors.ts';
import type { Described } from '../model/json-schema.ts';
import { nearest } from '../model/nearest.ts';
import { sentence } from '../text/sentence.ts';

/** Shapes that are not the output of one command. */
const common: readonly Described[] = [
  { name: 'error', describes: 'The error on stderr, one line, with -o json and ndjson', shows: 'error' },
  { name: 'dry-run', describes: 'The output of --dry-run: a list of requests', shows: 'request[]' },
  { name: 'columns', describes: 'The output of --columns help', shows: 'column[]' },
];

const schema = defineCommand({
  name: 'schema',
  summary: "Print the JSON Schema of a command's JSON",
  details:
    'JSON Schema, draft 2020-12, of what the command prints with -o json and without --columns; with -o ndjson each line is one item of it. Its $id ends in the version and the name: within a version, fields may be added, but none is removed or changes its type.',
  effect: 'local',
  args: {
    noun: { description: 'noun of the command, or one of: error, dry-run, columns', complete: 'nouns', optional: true },
    verb: { description: 'its verb', complete: 'verbs', optional: true },
  },
  flags: { list: { type: 'boolean', description: 'list the available schemas' } },
  output: ['jsonSchema', 'schemaName[]'],
  async run(context, { noun, verb, list }) {
    const described = [...(await context.commands()).flatMap(describedCommand), ...common];
    if (list) {
      const rows = described.map(({ name, describes }) => ({ name, describes }));
      return { kind: 'list', rows, columns: [{ key: 'name' }, { key: 'describes' }], id: 'name' };
    }
    if (noun === undefined) {
      throw new CliError('usage', 'The name of a command is missing.', { hint: 'List the schemas with: proctor-cli schema --list' });
    }
    const name = verb === undefined ? noun : `${noun} ${verb}`;
    const found = described.find((each) => each.name === name);
    if (!found) throw unknown(name, described);
    const { jsonSchemaOf } = await import('../model/json-schema.ts');
    return { kind: 'one', row: jsonSchemaOf(found), columns: [], id: '$id', document: true, reveal: true };
  },
  examples: [
    { line: 'proctor-cli schema sessions list', description: 'the shape of each session in the list' },
    { line: 'proctor-cli schema error', description: 'the shape of an error' },
    { line: 'proctor-cli schema --list', description: 'the commands that print data' },
  ],
});

function describedCommand({ name, summary, output: shows }: Command): Described[] {
  return shows === undefined ? [] : [{ name, describes: summary, shows }];
}

function unknown(name: string, described: readonly Described[]): CliError {
  const meant = nearest(
    name,
    described.map((each) => each.name),
  );
  return new CliError('usage', sentence`No schema for ${JSON.stringify(name)}: no command of this name prints data.`, {
    hint: meant === undefined ? 'List the schemas with: proctor-cli schema --list' : sentence`Did you mean: proctor-cli schema ${meant}`,
  });
}

export const schemas = [schema];
