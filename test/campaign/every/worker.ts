/** Tells the stories that it is given, one after the other: those of a command, or a walk by its number. */
import { walked } from '../walks/walk.ts';
import { waysOf } from './every.ts';

process.on('message', async (title: string) => process.send?.(await (/^\d+:/.test(title) ? walked(title) : waysOf(title))));
