/** The completion at the cursor: words, or a request to the shell, this machine or the service. */
import type { Completes } from '../../command.ts';
import type { Candidate } from './candidates.ts';

/** `from`: the number of characters of the current word that are kept; the rest is completed. */
export type Wanted = { from: number } & (
  | {
      kind: 'words';
      candidates: readonly Candidate[];
      /** Something may follow without a space. */
      open?: true;
    }
  | {
      /** One candidate, which does not begin with the typed text. */
      kind: 'found';
      candidate: Candidate;
    }
  | { kind: 'files' }
  | { kind: 'folders' }
  | {
      kind: 'live';
      what: Completes;
      /** The exam whose sessions are completed, if the line names one. */
      exam?: string;
      /** Those that the line has already. */
      taken: readonly string[];
    }
);
