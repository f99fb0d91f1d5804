/**
 * The run of an import and its journal: resumed, or begun at the first write. The holder of a run
 * also holds the lock of the exam.
 */
import type { Client } from '../../api/client.ts';
import type { Context } from '../../command.ts';
import type { HeldLock } from '../../state/lock.ts';
import { createJournal, type Journal } from './journal/journal.ts';
import type { Presence } from './presence.ts';
import type { ImportResult } from './proof.ts';
import type { ImportTarget } from './resume.ts';

type RunOptions = { target: ImportTarget; client: Client; lock: HeldLock; rows: number };

export class ImportRun {
  readonly #context: Context;
  readonly #options: RunOptions;
  #journal: Journal | undefined;

  /** `resumed`: the journal of an unfinished run of the same import; `rows`: of the file. */
  constructor(context: Context, options: RunOptions, resumed: Journal | undefined) {
    this.#context = context;
    this.#options = options;
    this.#journal = resumed;
    this.#describe();
  }

  /** Undefined until the run is resumed or begun. */
  get journal(): Journal | undefined {
    return this.#journal;
  }

  /** The journal, begun where the run has none. `baseline`: the exam's students before the first request. Throws `journal_failed`. */
  async begin(baseline: Presence): Promise<Journal> {
    if (this.#journal) return this.#journal;
    const { target, client, rows } = this.#options;
    const { host, secrets } = this.#context;
    const ids = client.idType('exam');
    const header = { ...target.identity, baseline: baseline.digest(), rows, ...(ids ? { ids } : {}) };
    const world = { now: host.now, secrets, idType: () => client.idType('session') };
    this.#journal = await createJournal(target.folder, header, world);
    this.#describe();
    return this.#journal;
  }

  /** The journal, ready for deletions that follow a complete import. */
  async continueWithRemovals(baseline: Presence, { untouched }: ImportResult): Promise<Journal> {
    if (this.#journal) {
      await this.#journal.note('resumed');
      return this.#journal;
    }
    const journal = await this.begin(baseline);
    await journal.note('planned', { untouched });
    return journal;
  }

  async close(): Promise<void> {
    // All is durable since the last note, or the result tells why not.
    await this.#journal?.close().catch(() => {});
  }

  #describe() {
    if (this.#journal) this.#options.lock.describe({ run: this.#journal.header.run });
  }
}
