/** Configuration files, mutated: read, or refused with status 3 and without a word of what may be a token. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { refusing } from './answers.ts';
import { mutated } from './mutate.ts';
import { type Target, textIn } from './target.ts';
import { broken, home, run } from './world.ts';

const token = 'tok-5e01c9a7d2';
const sample = JSON.stringify(
  {
    current: 'work',
    profiles: {
      work: { baseUrl: 'https://proctor.example/api/v1', institute: '7', token, timezone: 'Europe/Vienna', timeout: '30s' },
      other: { baseUrl: 'http://127.0.0.1:8080', tokenFile: '/x/y', 'dialect.listKey': 'data', caFile: 'ca.pem' },
    },
  },
  undefined,
  2,
);
const lines = [
  ['config', 'list'],
  ['exams', 'list'],
  ['config', 'get', 'baseUrl'],
  ['auth', 'status'],
];

export const configurations: Target = {
  name: 'configurations',
  weight: 10,
  draw: (random) => ({
    line: [...random.pick(lines), ...(random.chance(0.4) ? ['-o', 'json'] : [])],
    bytes: mutated(sample, random, [sample]),
  }),
  async judge(input) {
    const bytes = textIn(input, 'bytes');
    writeFileSync(join(home, 'config', 'config.json'), bytes, { encoding: 'latin1', mode: 0o600 });
    const line = [input.line ?? []].flat();
    const printed = await run(line, refusing, '', {
      PROCTOR_CONFIG_DIR: join(home, 'config'),
      PROCTOR_BASE_URL: '',
      PROCTOR_TOKEN: '',
      PROCTOR_INSTITUTE: '',
    });
    if ((printed.stdout + printed.stderr).includes(token)) return 'it printed the token';
    return broken(printed, line, bytes);
  },
};
