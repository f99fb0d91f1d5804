/** What the page on scripting says of the log: its example is true, and its table names each event. */
import { expect, test } from 'vitest';
import { schemaOf, validator } from '../commands/schemas.ts';
import { blocks, pages } from './pages.ts';

type Variant = { properties: { event: { const: string } } };

test('the records of the example are as the schema describes them', async () => {
  const problemOf = await validator('log', { closed: true });
  const lines = blocks('json log').flatMap(({ text }) => text.trimEnd().split('\n'));
  expect(lines.length).toBeGreaterThan(3);
  for (const line of lines) expect(problemOf(JSON.parse(line)), line).toBe(undefined);
});

test('the table has all events, and no other', async () => {
  const { oneOf } = (await schemaOf('log')) as { oneOf: Variant[] };
  const section =
    pages
      .get('docs/scripting.md')
      ?.split(/^## /m)
      .find((its) => its.startsWith('The log\n')) ?? '';
  const named = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  expect(named.slice(1)).toEqual(oneOf.map(({ properties }) => properties.event.const));
});
