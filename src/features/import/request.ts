/** The request of `sessions import`: the file, how it is read, and how it is sent. */
import type { GrantList } from '../../model/granted.ts';
import type { JsonObject } from '../../model/json.ts';
import type { TableReading } from '../../roster/map/declaration.ts';
import type { RemovalOptions } from './remove-missing.ts';
import type { ImportScope } from './roster-plan.ts';

export type ImportRequest = {
  /** Path of the roster; - for stdin. */
  file: string;
  bytes: AsyncIterable<Uint8Array>;
  /** Where the journals of all imports are kept. */
  folder: string;
  reading: TableReading;
  constants: JsonObject;
  /** Uses the column of extra time. */
  extraTime: boolean;
  accommodations: GrantList | undefined;
  skipInvalid: boolean;
  startOver: boolean;
  rejects: string | undefined;
  report: string | undefined;
  /** Whether `rejects` and `report` may replace files. */
  force: boolean;
} & Omit<ImportOptions, 'dialect' | 'extra' | 'mapped' | 'zone'>;

export type ImportOptions = ImportScope & {
  /** Rows in flight at the most; undefined: as many as the pacer finds right. */
  concurrency: number | undefined;
  /** Requests a second at the most. */
  rate: number | undefined;
  /** Milliseconds to wait before a listing settles a request. */
  settle: number;
  /** A student who differs from the file counts as done. */
  acceptDifferent: boolean;
  /** Delete the students missing from the file; undefined: they are only counted. */
  removeMissing: RemovalOptions | undefined;
  /** Rows without an address are imported, and students whose address is not shown are no obstacle. */
  allowNoEmail: boolean;
};
