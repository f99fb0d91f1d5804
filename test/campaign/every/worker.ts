/** Tells the stories that it is given, one after the other. */
import { waysOf } from './every.ts';

process.on('message', async (title: string) => process.send?.(await waysOf(title)));
