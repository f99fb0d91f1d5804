/** All pages of help in their order: what the reference page and the man page are made of. */
import type { Example } from '../../command.ts';
import { nouns } from '../../commands/index.ts';
import type { Page } from './page.ts';
import { commandPage, firstSteps, nounPage, rootPage } from './pages.ts';
import { topics } from './topics/index.ts';

export type Book = {
  root: Page;
  firstSteps: readonly Example[];
  nouns: readonly { noun: Page; commands: readonly Page[] }[];
  topics: readonly Page[];
};

export async function wholeBook(): Promise<Book> {
  return {
    root: rootPage(nouns, topics),
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
