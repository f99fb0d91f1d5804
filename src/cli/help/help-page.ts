/** One page of help, as data: laid out for a terminal (`help.ts`), and for docs/commands.md (`scripts/reference.ts`). */
import type { Example } from '../../command.ts';

export type Term = readonly [term: string, does: string];

export type Section = {
  title: string;
  /** Paragraphs. */
  text?: readonly string[];
  terms?: readonly Term[];
  examples?: readonly Example[];
};

export type HelpPage = {
  summary: string;
  /** Paragraphs. */
  about?: readonly string[];
  /** The command line, with placeholders; absent where there is nothing to run. */
  usage?: string;
  sections: readonly Section[];
};
