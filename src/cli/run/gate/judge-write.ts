/**
 * Which operation a write is, however its path is spelled, and what it takes away. What the table of operations
 * does not have is judged by what it may be about: an exam, a session, or any exam.
 */

import type { OperationId } from '../../../api/operations.ts';
import { choosesMethod } from '../../../api/raw-fields.ts';
import { decoded, operationAt } from '../../../api/raw-path.ts';
import type { Outgoing } from '../../../api/request.ts';
import { Fields } from '../../../runs/gate/written-fields.ts';
import { sentence } from '../../../text/sentence.ts';
import { examIdOf, judgements, type Look, type Taking } from './judgements.ts';

export async function takingsOf({ method, path, body, exam }: Outgoing, look: Look): Promise<readonly Taking[]> {
  const [address = '', ...search] = path.split('?');
  const query = search.join('?');
  const fields = new Fields(body, query);
  const { operation, params } = operationAt(method, address);
  // Some services let a field choose another method.
  if (!operation || fields.besides([]).some(choosesMethod)) return unknownTakings(address, look);
  const judgement = judgements[operation.id as OperationId];
  if (typeof judgement === 'string') return [];
  const { id = '' } = params;
  const taken = await Promise.all(spellings(id).map((each) => judgement({ params: { ...params, id: each }, fields, exam }, look)));
  return taken.flat();
}

/** An ID as it stands, and those that a service may read in it, which may drop a suffix (`3.json`, `3;v=1`) or take a list. */
function spellings(id: string): string[] {
  return [...new Set([id, ...id.split(/[.;,]/)])].filter((each) => each.trim() !== '');
}

const unjudged = sentence`which is not an operation of the specification, so its effect on students is unknown`;

async function unknownTakings(path: string, look: Look): Promise<Taking[]> {
  const takings: Taking[] = [];
  const segments = decoded(path)
    .split('/')
    .filter((segment) => segment !== '');
  for (const [at, segment] of segments.entries()) {
    const collection = segment
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[.;].*$/s, '');
    for (const id of spellings(segments[at + 1] ?? '')) {
      if (collection === 'exams' && (await look.exam(id))) takings.push({ exam: id, why: unjudged });
      const session = collection === 'student_sessions' ? await look.session(id) : undefined;
      if (session) takings.push({ exam: examIdOf(session, look.dialect), why: unjudged });
    }
  }
  return takings.length > 0 ? takings : [{ exam: undefined, why: unjudged }];
}
