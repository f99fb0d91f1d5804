/** All pages of help in their order: what the reference page and the man page are made of. */
import type { Example } from '../../command.ts';
import { nouns } from '../../commands/index.ts';
import type { HelpPage } from './help-page.ts';
import { commandPage, firstSteps, nounPage, rootPage } from './pages.ts';
import { topics } from './topics/index.ts';

export type Book = {
  root: HelpPage;
  firstSteps: readonly Example[];
  nouns: readonly { noun: HelpPage; commands: readonly HelpPage[] }[];
  topics: readonly HelpPage[];
};

export async function wholeBook(): Promise<Book> {
  return {
    root: rootPage(nouns, topics),
    firstSteps,
    nouns: await Promise.all(
      nouns.map(async (noun) => {
        const commands = await noun.load();
        return { noun: nounPage(noun, commands), commands: commands.map((command) => commandPage(command)) };
      }),
    ),
    topics: await Promise.all(topics.map(({ load }) => load())),
  };
}
