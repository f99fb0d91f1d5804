/** Checks how the lists of the service continue, and proposes the setting that declares it. */

import { findPaging } from '../../api/find-paging.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { type DoctorContext, type Finding, failed, ok } from './doctor-check.ts';

export async function paging(context: DoctorContext): Promise<Finding> {
  const { dialect, origin, baseUrl } = context.settings();
  const service = { dialect, origin, basePath: new URL(baseUrl).pathname };
  const found = await findPaging(service, (list, path) => context.answer(list, { path }));
  if (!found) return ok(dialect.paging === 'auto' ? 'each list is on one page' : `as dialect.paging says: ${dialect.paging}`);
  if (found.is === 'unclear') throw found.error;
  const { name, value, followed } = found;
  const line = `proctor-cli ${typedCommand('config set dialect.paging', [value], context.profileOption())}`;
  if (followed) return ok(`the list of ${name} has more pages, which are read`, `To follow them by this way alone, set: ${line}`);
  return failed(
    'bad_answer',
    `the list of ${name} has more pages, which are not read with dialect.paging ${dialect.paging}`,
    `Set how they are requested: ${line}`,
  );
}
