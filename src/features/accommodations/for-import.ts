/** A list of accommodations as an import uses it: what an address has been granted in the exam. */
import type { Context } from '../../command.ts';
import { addressKey } from '../../model/address-key.ts';
import { type ExamOfList, ExamScope, type Granted } from './accommodation.ts';
import { listFor } from './check.ts';

export type ListForImport = {
  name: string;
  digest: string;
  grantedIn(exam: ExamOfList): (email: string) => Granted | undefined;
};

/** Throws `invalid_input` for a list with problems; `grantedIn` for two rows that contradict each other. */
export async function accommodationsForImport(context: Context, file: string): Promise<ListForImport> {
  const list = await listFor(context, { file });
  return {
    name: list.name,
    digest: list.digest,
    grantedIn(exam) {
      const scope = new ExamScope(list, exam, context.zone());
      return (email) => scope.granted(addressKey(email));
    },
  };
}
