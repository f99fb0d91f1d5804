/** The state of a team as what is copied from or to. Its owner copies: an importer may not. */
import type { CopyEnd } from '../copy-end.ts';
import { keysOf } from '../key-file.ts';
import { type Key, tables } from '../state-tables.ts';
import { connected, createTeam, hasTables, inWords } from './open-team.ts';
import { type InTeam, teamOptions } from './team-state.ts';
import { named, statements } from './team-tables.ts';

/** Rows that are copied at once. */
const part = 5_000;

export async function teamEnd(options: InTeam): Promise<CopyEnd> {
  const team = teamOptions(options);
  const connection = await inWords(team, () => connected(team));
  /** Each commit begins with a sign of life: those that have begun end before, and those that come after see what was changed. */
  const alone = async (act: () => Promise<boolean>) => {
    await connection.query('BEGIN');
    try {
      await connection.query(`LOCK TABLE ${named('processes')} IN EXCLUSIVE MODE`);
      const result = await act();
      await connection.query('COMMIT');
      return result;
    } catch (error) {
      await connection.query('ROLLBACK').catch(() => {});
      throw error;
    }
  };
  return {
    place: options.team.place.shown,
    keys: keysOf(options),
    meta: () =>
      inWords(team, async () => {
        if (!(await hasTables(connection))) return undefined;
        const { rows } = await connection.query(`SELECT id, key_print, moved_to FROM ${named('meta')}`);
        const [id = '', print = '', movedTo = ''] = (rows[0] ?? []) as string[];
        return { id, print, movedTo };
      }),
    prepare: (before, { id, movedTo }, keys) =>
      inWords(team, async () => {
        if (!before) return createdNow(() => createTeam(connection, keys, { id, movedTo }));
        return alone(async () => {
          const { rows } = await connection.query(
            `UPDATE ${named('meta')} SET id = $1, moved_to = $2 WHERE id = $3 AND moved_to = $4 RETURNING id`,
            [id, movedTo, before.id, before.movedTo],
          );
          if (rows.length > 0) await connection.query(`TRUNCATE ${tables.map(named).join(', ')}`);
          return rows.length > 0;
        });
      }),
    mark: (before, movedTo) =>
      inWords(team, () =>
        alone(async () => {
          const { rows } = await connection.query(`UPDATE ${named('meta')} SET moved_to = $2 WHERE moved_to = $1 RETURNING id`, [
            before,
            movedTo,
          ]);
          return rows.length > 0;
        }),
      ),
    async *rows(table) {
      await connection.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      await connection.query(`DECLARE part NO SCROLL CURSOR FOR ${statements[table].select[0]}`);
      for (;;) {
        const { rows } = await inWords(team, () => connection.query(`FETCH ${part} FROM part`));
        if (rows.length === 0) break;
        yield rows.map((values) => [...values.slice(0, -1), Number(values.at(-1))] as Key[]);
      }
      await connection.query('COMMIT');
    },
    add: (table, rows) =>
      inWords(team, async () => {
        const columns = rows[0]?.map((_, at) => rows.map((row) => row[at])) ?? [];
        await connection.query(statements[table].add, columns);
      }),
    hasRuns: () => inWords(team, async () => (await connection.query(`SELECT 1 FROM ${named('runs')} LIMIT 1`)).rows.length > 0),
    close: () => connection.close(),
  };
}

/** False where another process has made the tables at the same moment. */
async function createdNow(create: () => Promise<void>): Promise<boolean> {
  try {
    await create();
    return true;
  } catch (error) {
    if (['23505', '42P06', '42P07'].includes((error as { code?: string }).code ?? '')) return false;
    throw error;
  }
}
