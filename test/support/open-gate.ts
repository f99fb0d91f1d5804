/** A gate that lets everything through, for tests of clients: `test/cli/gate` is about the one of the program. */
import type { Gate } from '../../src/api/gate.ts';

export const openGate: Gate = { admit: async () => {}, admitRemoval: async () => {}, saw() {}, created() {} };
