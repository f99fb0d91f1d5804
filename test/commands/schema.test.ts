/** The JSON Schema of each command's output; that it is the truth stands in outputs.test.ts. */
import { describe, expect, test } from 'vitest';
import { run } from '../support/run.ts';

const schema = async (...words: string[]) => JSON.parse((await run(['schema', ...words])).stdout);

test('is JSON Schema with a version, a name and what it describes', async () => {
  expect(await schema('sessions', 'list')).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:proctor-cli:output:1:sessions-list',
    title: 'sessions list',
    description: 'List the students of an exam, or all sessions',
    type: 'array',
    items: { type: 'object', properties: { level_of_suspicion: { type: ['number', 'null'] } } },
  });
});

test('is an object for one resource, and the same fields', async () => {
  const { type, properties } = await schema('sessions', 'get');
  expect(type).toBe('object');
  expect(properties).toEqual((await schema('sessions', 'list')).items.properties);
});

test('takes IDs of any size and form', async () => {
  expect((await schema('exams', 'get')).properties.id.type).toEqual(['string', 'number', 'integer']);
});

test('may be read as YAML', async () => {
  expect((await run(['schema', 'error', '-o', 'yaml'])).stdout).toContain('$id: urn:proctor-cli:output:1:error\n');
});

test('names what there is', async () => {
  const names = (await schema('--list', '-o', 'json')).map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(['exams list', 'sessions import', 'api', 'schema', 'error', 'dry-run', 'columns']));
  expect(names).not.toContain('auth login');
  expect((await run(['schema', '--list', '-o', 'id'])).stdout.trim().split('\n')).toEqual(names);
});

describe('a name without a schema', () => {
  test.each([
    [['sesions', 'list'], 'Did you mean: proctor-cli schema sessions list'],
    [['eror'], 'Did you mean: proctor-cli schema error'],
    [['nothing', 'like-it'], 'List the schemas with: proctor-cli schema --list'],
  ])('%j', async (words, hint) => {
    const { code, stdout, stderr } = await run(['schema', ...words]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(hint);
  });

  test('is asked for where none is given', async () => {
    const { code, stderr } = await run(['schema']);
    expect(code).toBe(2);
    expect(stderr).toBe('error: The name of a command is missing.\nhint: List the schemas with: proctor-cli schema --list\n');
  });
});
