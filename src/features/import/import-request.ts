/** The request of `sessions import`: the file, how it is read, and how it is sent. */
import { type JsonObject, stringifyJson } from '../../model/json.ts';
import type { TableReading } from '../../roster/map/declaration.ts';
import type { ExamSelection } from '../exam-selection.ts';
import type { ImportScope } from './roster-plan.ts';

/** Into which exams: all lines into one, or each into the one that it names among these. `typed`: how these are selected, as it was typed. */
export type ImportInto = { exam: string } | { among: Omit<ExamSelection, 'exam'>; typed: readonly string[] };

export type ImportRequest = {
  into: ImportInto;
  /** Path of the roster; - for stdin. */
  file: string;
  bytes: AsyncIterable<Uint8Array>;
  reading: TableReading;
  constants: JsonObject;
  skipInvalid: boolean;
  rejects: string | undefined;
  result: string | undefined;
  /** Whether `rejects` and `result` may replace files. */
  force: boolean;
  /** Lines in flight at the most; undefined: as many as the pacer finds right. */
  concurrency: number | undefined;
  /** Requests a second at the most. */
  rate: number | undefined;
  /** Milliseconds to wait before a reading settles a request. */
  settle: number;
  /** Lines without an address are imported. */
  allowNoEmail: boolean;
  /** Students whose address is not shown are no obstacle. */
  unmatched: boolean;
  /** Sends lines again that two reads do not show. */
  resendAbsent: boolean;
} & Omit<ImportScope, 'exams' | 'dialect' | 'extra' | 'mapped' | 'zone'>;

export const importKind = 'sessions import';

/**
 * By what an unfinished import is found again: the exam, or among which exams lines name theirs, and the options that change what is sent; not what is in the file,
 * which may have been corrected since.
 */
export function identityOf({ into, update, updateOnly, removeMissing, constants }: ImportRequest): string[] {
  return [
    'exam' in into ? into.exam : stringifyJson(into.typed),
    updateOnly ? 'update-only' : update ? 'update' : '',
    removeMissing ? 'remove-missing' : '',
    stringifyJson(constants),
  ];
}
