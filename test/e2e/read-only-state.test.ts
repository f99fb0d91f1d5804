/** A state folder that may be read and not written, as one that was restored by another user. */
import { chmodSync, chownSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { ada, held } from '../support/algebra.ts';
import { temporaryFolder } from '../support/run.ts';
import { ended, internals, program, start } from './program.ts';

const isRoot = process.getuid?.() === 0;
const nobody = 65534;
const line = 'sessions update 7 --name Ada';

test.runIf(process.platform === 'linux' || !isRoot)(
  'a state folder that cannot be written is said with 3, before anything is sent',
  async () => {
    const service = await held({ sessions: [ada] }).listen();
    const home = temporaryFolder();
    const state = join(home, 'state');
    const env = { PROCTOR_BASE_URL: service.origin, PROCTOR_TOKEN: 'a-token-of-the-tests', PROCTOR_STATE_DIR: state };
    expect((await program('sessions update 7 --name Eve', { home, env })).code).toBe(0);
    // Rights are for users; root, as which containers run tests, has all of them.
    const update = () =>
      isRoot
        ? ended(start('setpriv', [`--reuid=${nobody}`, '--clear-groups', ...inject('command'), ...line.split(' ')], { home, env }))
        : program(line, { home, env });
    for (const path of [home, inject('installation')]) chmodSync(path, 0o755);
    const kept = readdirSync(state, { recursive: true, encoding: 'utf8' }).map((name) => join(state, name));
    if (isRoot) for (const path of [home, state, ...kept]) chownSync(path, nobody, nobody);
    chmodSync(state, 0o500);
    const sent = service.requests().length;
    const { code, stdout, stderr } = await update();
    chmodSync(state, 0o700);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(
      /^error: The state \S+ cannot be used: (permission denied( \(EACCES\))?|attempt to write a readonly database)\.\nhint: .+\n$/,
    );
    expect(stderr).not.toMatch(internals);
    expect(service.requests()).toHaveLength(sent);
    expect((await update()).code).toBe(0);
  },
);
