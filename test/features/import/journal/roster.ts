/** What a run of these tests imports. */
export const identity = { origin: 'https://proctor.example', exam: '42', input: 'sha256:aa', mapping: 'sha256:bb' };
export const roster = { ...identity, baseline: 'sha256:cc', rows: 10 };
