/** A process that serves the folder given on its command line, and says on stdout where. */
import { startSandbox } from '../../src/sandbox/index.ts';

const { baseUrl, token } = await startSandbox({ folder: process.argv[2] ?? '' });
process.stdout.write(`${JSON.stringify({ baseUrl, token })}\n`);
