/** No request that writes leaves before its intent is durable: held against the bytes of the record when the request arrives. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Whether a step of a run may have been sent, as another process would read it; true where the record is elsewhere. */
export function hasIntent(home: string): boolean {
  const path = join(home, 'state', 'record.sqlite');
  if (!existsSync(path)) return true;
  const record = new DatabaseSync(path, { readOnly: true, timeout: 1_000 });
  try {
    return record.prepare(`SELECT 1 FROM steps WHERE state IN ('sending', 'unknown')`).get() !== undefined;
  } finally {
    record.close();
  }
}
