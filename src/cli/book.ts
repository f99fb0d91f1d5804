/** All pages of help in their order: what the reference page and the man page are made of. */
import type { Example } from '../command.ts';
import { nouns } from '../commands/index.ts';
import type { Page, Term } from './page.ts';
import { commandPage, firstSteps, globalTerms, nounPage, rootPage } from './pages.ts';
import { topics } from './topics/index.ts';

export type Book = {
  root: Page;
  /** The options of every command. */
  options: readonly Term[];
  firstSteps: readonly Example[];
  nouns: readonly { noun: Page; commands: readonly Page[] }[];
  topics: readonly Page[];
};

export async function wholeBook(): Promise<Book> {
  return {
    root: rootPage(nouns, topics),
    options: globalTerms(),
    firstSteps,
    nouns: await Promise.all(
      nouns.map(async (noun) => {
        const commands = await noun.load();
        return { noun: nounPage(noun, commands), commands: commands.map(commandPage) };
      }),
    ),
    topics: await Promise.all(topics.map(({ load }) => load())),
  };
}
