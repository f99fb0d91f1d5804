/**
 * The database of runs: its tables, and every statement that is made of them. Plain SQL that PostgreSQL reads as well,
 * where `?` is `$1` and a table has no WITHOUT ROWID. That a table is its own only index is on purpose: a damaged index
 * beside a sound table would hide rows. `sum`, the last column of each table, is `sumOf` of the others.
 */

/** Counts up with each change that an older program cannot read. */
export const schemaVersion = 1;
/** SQLite's mark of the program that a file belongs to: "PRun". */
export const applicationId = 0x5052756e;

export const tables = {
  meta: `CREATE TABLE meta (
    id TEXT PRIMARY KEY, schema_version INTEGER NOT NULL, key_print TEXT NOT NULL, sum BIGINT NOT NULL, seq BIGINT NOT NULL
  )`,
  runs: `CREATE TABLE runs (
    id TEXT PRIMARY KEY, origin TEXT NOT NULL, profile TEXT NOT NULL, digest TEXT NOT NULL, kind TEXT NOT NULL, command TEXT NOT NULL,
    who TEXT NOT NULL, reason TEXT, undo_of TEXT, epoch INTEGER NOT NULL, holder TEXT NOT NULL, state TEXT NOT NULL,
    begun_at BIGINT NOT NULL, last_at BIGINT NOT NULL, steps INTEGER NOT NULL, events INTEGER NOT NULL, last_event INTEGER NOT NULL,
    listed INTEGER NOT NULL, sum BIGINT NOT NULL
  )`,
  steps: `CREATE TABLE steps (
    run TEXT NOT NULL, n INTEGER NOT NULL, line INTEGER, op TEXT NOT NULL, target TEXT, exam TEXT, earlier TEXT, sent_key TEXT,
    plain TEXT, personal TEXT, sum BIGINT NOT NULL, PRIMARY KEY (run, n)
  )`,
  events: `CREATE TABLE events (
    run TEXT NOT NULL, i INTEGER NOT NULL, n INTEGER NOT NULL, at BIGINT NOT NULL, event TEXT NOT NULL, epoch INTEGER NOT NULL,
    session TEXT, shown_key TEXT, ours INTEGER, code TEXT, sum BIGINT NOT NULL, PRIMARY KEY (run, i)
  )`,
  claims: `CREATE TABLE claims (
    origin TEXT NOT NULL, scope TEXT NOT NULL, claim_key TEXT NOT NULL, number INTEGER NOT NULL, run TEXT NOT NULL, n INTEGER NOT NULL,
    epoch INTEGER NOT NULL, at BIGINT NOT NULL, done INTEGER NOT NULL, session TEXT, shown_key TEXT, sum BIGINT NOT NULL,
    PRIMARY KEY (origin, scope, claim_key, number)
  )`,
  listed: 'CREATE TABLE listed (run TEXT NOT NULL, id TEXT NOT NULL, sum BIGINT NOT NULL, PRIMARY KEY (run, id))',
} as const;

export type Table = keyof typeof tables;

/** As SQLite is given it. */
export function createTable(name: Table): string {
  return `${tables[name]} WITHOUT ROWID`;
}

export const sql = {
  addMeta: 'INSERT INTO meta VALUES (?, ?, ?, ?, ?)',
  meta: 'SELECT * FROM meta',
  nextSeq: 'UPDATE meta SET seq = seq + 1 RETURNING seq',
  setSeq: 'UPDATE meta SET seq = ?',

  addRun: 'INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  run: 'SELECT * FROM runs WHERE id = ?',
  runs: 'SELECT * FROM runs ORDER BY begun_at DESC, id DESC',
  setRun:
    'UPDATE runs SET command = ?, epoch = ?, holder = ?, state = ?, last_at = ?, steps = ?, events = ?, last_event = ?, listed = ?, sum = ? WHERE id = ?',
  dropRun: 'DELETE FROM runs WHERE id = ?',

  addStep: 'INSERT INTO steps VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  steps: 'SELECT * FROM steps WHERE run = ? ORDER BY n',
  setPersonal: 'UPDATE steps SET personal = ?, sum = ? WHERE run = ? AND n = ?',
  dropStep: 'DELETE FROM steps WHERE run = ? AND n = ?',
  dropSteps: 'DELETE FROM steps WHERE run = ?',

  addEvent: 'INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  events: 'SELECT * FROM events WHERE run = ? ORDER BY i',
  setShownKey: 'UPDATE events SET shown_key = ?, sum = ? WHERE run = ? AND i = ?',
  dropEventsOf: 'DELETE FROM events WHERE run = ? AND n = ?',
  dropEvents: 'DELETE FROM events WHERE run = ?',

  /** Of two that claim the same at once, the second changes nothing. */
  addClaim: 'INSERT INTO claims VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  claim: 'SELECT * FROM claims WHERE origin = ? AND scope = ? AND claim_key = ? AND number = ?',
  claimsOfKey: 'SELECT * FROM claims WHERE origin = ? AND scope = ? AND claim_key = ?',
  claimsOfScope: 'SELECT * FROM claims WHERE origin = ? AND scope = ? ORDER BY claim_key, number',
  claims: 'SELECT * FROM claims',
  setClaim:
    'UPDATE claims SET epoch = ?, at = ?, done = ?, session = ?, shown_key = ?, sum = ? WHERE origin = ? AND scope = ? AND claim_key = ? AND number = ?',
  dropClaim: 'DELETE FROM claims WHERE origin = ? AND scope = ? AND claim_key = ? AND number = ?',

  addListed: 'INSERT INTO listed VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  listed: 'SELECT * FROM listed WHERE run = ? ORDER BY id',
  dropListedId: 'DELETE FROM listed WHERE run = ? AND id = ?',
  dropListed: 'DELETE FROM listed WHERE run = ?',
} as const;
