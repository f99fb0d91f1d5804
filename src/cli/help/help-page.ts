/**
 * One page of help, as data. The terminal (`help.ts`), the reference and the man page
 * (`src/cli/help/reference`) each lay out the same pages.
 */
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
  /** The subject of the page, as typed after the program's name: `exams list`, `help times`; empty for the program. */
  subject: string;
  summary: string;
  /** Paragraphs. */
  about?: readonly string[];
  /** The command line, with placeholders; absent where there is nothing to run. */
  usage?: string;
  sections: readonly Section[];
};
