/** A list of accommodations as an import uses it: what an address has been granted in the exam. */
import type { Context } from '../../command.ts';
import { addressKey } from '../../model/address-key.ts';
import type { GrantList } from '../../model/granted.ts';
import { ExamScope } from './accommodation.ts';
import { listFor } from './accommodation-check.ts';
import type { ListRequest } from './accommodation-list.ts';

/** Throws `invalid_input` for a list with problems; `grantedIn` for two rows that contradict each other. */
export async function accommodationsForImport(context: Context, request: ListRequest): Promise<GrantList> {
  const list = await listFor(context, request);
  return {
    name: list.name,
    digest: list.digest,
    grantedIn(exam) {
      const scope = new ExamScope(list, exam, context.zone());
      return (email) => scope.granted(addressKey(email));
    },
  };
}
