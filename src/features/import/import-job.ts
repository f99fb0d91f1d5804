/** The data that every step of an import uses: `prepare.ts` makes the plan, `execute.ts` carries it out. */
import type { Client } from '../../api/client.ts';
import type { Host } from '../../host/host.ts';
import type { Entries } from '../../roster/map/entries.ts';
import type { Sentence } from '../../text/sentence.ts';
import type { Presence } from './presence.ts';
import type { Aside } from './proof.ts';
import type { ImportOptions } from './request.ts';
import { comparedFields } from './roster-plan.ts';
import type { ListingOptions } from './whole-listing.ts';

/** The input of every step of an import. */
export type ImportJob = {
  entries: Entries;
  aside: Aside;
  options: ImportOptions;
  client: Client;
  host: Host;
  say(text: Sentence): void;
};

/** `planned`: the listing of the plan, once there is one. */
export function listingOf({ client, host, options, entries, say }: ImportJob, planned?: Presence): ListingOptions {
  const earlier = planned ? { earlier: planned.earlier } : {};
  return { client, host, exam: options.exam, compared: comparedFields(options), entries, patience: options.settle, ...earlier, say };
}
