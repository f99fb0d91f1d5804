/** The table of commands, whole: what the tests of this room go through. */
import type { Command } from '../../src/command.ts';
import { nouns } from '../../src/commands/index.ts';

const loaded = await Promise.all(nouns.map(async (noun) => ({ noun, commands: await noun.load() })));

export const allCommands: readonly Command[] = loaded.flatMap(({ commands }) => commands);

export const commandsByNoun = loaded;
