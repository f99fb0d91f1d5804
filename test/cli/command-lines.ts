/** The command lines in a text for people, as a person would copy them, and whether they are ours. */
import { parse } from '../../src/cli/parse/program.ts';
import { nouns } from '../../src/commands/index.ts';
import { wordsOf } from '../commands/embedded.ts';

const beginnings = nouns.map(({ name }) => name).join('|');
// It runs to the end of its clause; pipes and redirections are the shell's, and X in place of a verb is not known here.
const ends = ['[,;] ', '[).]* *$', '\\)', '\\. ', '"[.,)]', ' - ', ' [|<>]', '[`…<\\n]', ' {2}'].join('|');
const line = new RegExp(`proctor-cli ((?:--[a-z-]+ [^\\s-]+ )?(?:help(?! TOPIC)|(?:${beginnings})(?! X))\\b.*?)(?=${ends})`, 'gm');

export function commandLinesIn(text: string): string[] {
  return [...text.matchAll(line)].map(([, words = '']) => words.trim());
}

/** Why a command line cannot be parsed; undefined if it can. */
export async function problemOf(words: string): Promise<string | undefined> {
  try {
    await parse(wordsOf(words));
    return undefined;
  } catch (error) {
    const { message } = error as Error;
    // A placeholder stands for one of the choices, too.
    return / X\b/.test(words) && message.includes('must be one of') ? undefined : `proctor-cli ${words}: ${message}`;
  }
}
