/**
 * By what an unfinished import is found again: the exam, the share, and the options that change what is sent; not what is in the file,
 * which may have been corrected since.
 */
import { stringifyJson } from '../../model/json.ts';
import type { ImportRequest } from './request.ts';

export const importKind = 'sessions import';

export function identityOf({
  exam,
  shard,
  update,
  updateOnly,
  removeMissing,
  constants,
  extraTime,
  accommodations,
}: ImportRequest): string[] {
  return [
    exam,
    shardText({ shard }) ?? '',
    updateOnly ? 'update-only' : update ? 'update' : '',
    removeMissing ? 'remove-missing' : '',
    stringifyJson(constants),
    extraTime ? 'extra-time' : '',
    accommodations ? 'accommodations' : '',
  ];
}

function shardText({ shard }: Pick<ImportRequest, 'shard'>): string | undefined {
  return shard && `${shard.index}/${shard.count}`;
}
