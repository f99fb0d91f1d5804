/** The entry of the bundle: the real world, the program, its exit status. */
import { realHost } from './host.ts';
import { main } from './main.ts';

process.exitCode = await main(realHost());
