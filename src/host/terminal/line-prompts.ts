/** Questions as plain lines: the terminal itself echoes and edits, and nothing is drawn. */
import type { Terminal } from './plain-prompts.ts';
import { untilStopped } from './question.ts';

export function lineByLine(interrupted: AbortSignal): Terminal {
  return {
    ask: (question, { hidden } = { hidden: false }) =>
      untilStopped(interrupted, async ({ output, signal }) => {
        const [{ createInterface }, { Writable }] = await Promise.all([import('node:readline/promises'), import('node:stream')]);
        // Raw, the terminal does not show what is typed.
        const silence = new Writable({ write: (_chunk, _encoding, done) => done() });
        const lines = createInterface({ input: process.stdin, output: hidden ? silence : output, terminal: hidden });
        if (hidden) output.write(`${question} `);
        try {
          return await lines.question(hidden ? '' : `${question} `, { signal });
        } finally {
          lines.close();
          if (hidden) output.write('\n');
        }
      }),
    async tell(line) {
      process.stderr.write(`${line}\n`);
    },
  };
}
