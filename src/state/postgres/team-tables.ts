/** The tables of a team's database, and the statements on them. They have a schema of their own, whatever the search path is. */
import { createTables, keyOf, keys, type Table, tables } from '../state-tables.ts';

const schema = 'proctor_cli';

export function named(table: string): string {
  return `${schema}.${table}`;
}

/**
 * What brings the schema from one version to the next; the first creates it. Processes give a sign of life in their row;
 * `fenced`: another one has taken something from it since, so that nothing is its own any more. A lock without a process is free.
 */
export const migrations: readonly (readonly string[])[] = [
  [
    `CREATE SCHEMA ${schema}`,
    ...createTables(named),
    `CREATE TABLE ${named('processes')} (id TEXT PRIMARY KEY, attempt BIGINT NOT NULL, until TIMESTAMPTZ NOT NULL, fenced BOOLEAN NOT NULL, record TEXT NOT NULL)`,
    `CREATE TABLE ${named('locks')} (name TEXT PRIMARY KEY, process TEXT, record TEXT NOT NULL)`,
  ],
];

const recorded = ['runs', 'steps', 'events'] as const;
const changing = ['standings', 'claims', 'listed', 'processes', 'locks'] as const;

/** What an importer may do, and no more: what was recorded is neither changed nor deleted. */
export function grants(role: string): string[] {
  const list = (names: readonly string[]) => names.map(named).join(', ');
  return [
    `CREATE ROLE ${role};`,
    `GRANT USAGE ON SCHEMA ${schema} TO ${role};`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${role};`,
    `GRANT INSERT ON ${list([...recorded, ...changing])} TO ${role};`,
    `GRANT UPDATE ON ${list(changing)} TO ${role};`,
  ];
}

/** Whether the role may change or delete what was recorded: more than an importer needs. */
export const mayTooMuch = `SELECT bool_or(has_table_privilege(name, 'UPDATE') OR has_table_privilege(name, 'DELETE')) FROM unnest($1::text[]) AS name`;
export const recordedTables = recorded.map(named);

/** Whether the role may delete at all. */
export const mayForget = `SELECT has_table_privilege('${named('locks')}', 'DELETE') AND has_table_privilege('${named('processes')}', 'DELETE')`;

/**
 * Deletes locks that nobody has, and processes that nobody has heard of for long. They are fenced first: from then on they
 * take nothing, so that none of it is taken while it is deleted.
 */
export const forgetProcesses = [
  `UPDATE ${named('processes')} SET fenced = true WHERE NOT fenced AND until < clock_timestamp() - interval '30 days'`,
  `DELETE FROM ${named('locks')} WHERE process IS NULL OR process IN (SELECT id FROM ${named('processes')} WHERE fenced)`,
  `DELETE FROM ${named('processes')} WHERE fenced AND until < clock_timestamp() - interval '30 days'
    AND id NOT IN (SELECT process FROM ${named('locks')} WHERE process IS NOT NULL)`,
];
export const tablesInUse = [...recorded, ...changing].map(named);

export const size = `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = '${schema}' AND c.relkind = 'r'`;

const types = { TEXT: 'text', INTEGER: 'integer' } as const;

/** Several rows in one statement, a column in each parameter; `lock`: while nobody else changes them. */
export const statements = Object.fromEntries(
  tables.map((table) => {
    const columns = Object.entries<keyof typeof types>(keys[table]);
    const key = keyOf(table);
    const arrays = [...columns.map(([, type]) => types[type]), 'text', 'bigint'].map((type, at) => `$${at + 1}::${type}[]`);
    const add = `INSERT INTO ${named(table)} SELECT * FROM unnest(${arrays.join(', ')})`;
    const put = `${add} ON CONFLICT (${key.join(', ')}) DO UPDATE SET record = excluded.record, sum = excluded.sum`;
    const where = (count: number) =>
      key
        .slice(0, count)
        .map((name, at) => `${name} = $${at + 1}`)
        .join(' AND ') || 'true';
    const each = [...key.keys(), key.length];
    return [
      table,
      {
        ...{ add, put },
        select: each.map((count) => `SELECT * FROM ${named(table)} WHERE ${where(count)} ORDER BY ${key.join(', ')}`),
        drop: each.map((count) => `DELETE FROM ${named(table)} WHERE ${where(count)}`),
        /** The rows of many keys of one length, each given as a column of its parts. */
        fetch: each.map((count) => {
          const given = key.slice(0, count);
          const parts = columns.slice(0, count).map(([, type], at) => `$${at + 1}::${types[type]}[]`);
          const lock = (changing as readonly string[]).includes(table) ? ' FOR UPDATE' : '';
          return `SELECT * FROM ${named(table)} WHERE (${given.join(', ')}) IN (SELECT * FROM unnest(${parts.join(', ')})) ORDER BY ${key.join(', ')}${lock}`;
        }),
      },
    ];
  }),
) as unknown as Record<Table, { add: string; put: string; select: string[]; drop: string[]; fetch: string[] }>;
