/** Lists of accommodations, mutated: read whole with good addresses and times, or refused with the place. */
import type { Context } from '../../src/command.ts';
import { CliError } from '../../src/errors.ts';
import { readAccommodations } from '../../src/features/accommodations/accommodation-list.ts';
import { addressFault } from '../../src/roster/map/address.ts';
import { undeclared } from '../features/accommodations/lists.ts';
import { mutated } from './mutate.ts';
import { type Input, oddWords, type Target, textIn } from './target.ts';

const samples = [
  'email,extra,exams,until,reference\nada@example.org,25% + 10m,Linear*;7,2027-03-31,DS-1\nbob@example.org,15 min,,31.03.2027,\n',
  'E-Mail;Zeitverlängerung;Prüfung\nada@example.org;12,5 %;\ncy@example.org;1.25x;"Algebra | Geometry"\nbob@example.org;;\n',
  '[{"email":"ada@example.org","extra":"25%","exams":"Linear*|7"},{"email":"bob@example.org","extra":"10m"}]',
];

async function judge(input: Input): Promise<string | undefined> {
  const bytes = Buffer.from(textIn(input, 'bytes'), 'latin1');
  async function* arriving() {
    yield bytes;
  }
  const quiet = () => {};
  const host = { interrupted: new AbortController().signal, stdin: { bytes: arriving, isTTY: false }, env: {} };
  const settings = () => ({ timeZone: 'Europe/Vienna' });
  const context = { host, settings, globals: { noInput: true }, say: quiet, warn: quiet } as unknown as Context;
  try {
    const list = await readAccommodations(context, { file: '-', reading: undeclared });
    for (const [key, rows] of list.students) {
      for (const { email, exams, extra, key: own } of rows) {
        if (addressFault(email) || own !== key) return `a row has the address ${email}`;
        const whole = Number.isSafeInteger(extra.share) && Number.isSafeInteger(extra.plus);
        if (!whole || extra.share < 0 || extra.plus < 0 || extra.plus > 86_400_000) return `a row grants ${JSON.stringify(extra)}`;
        if (extra.share + extra.plus === 0 && exams.length === 0) return 'a row grants nothing';
      }
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof CliError) || error.code === 'internal') throw error;
    return oddWords(error.message, textIn(input, 'bytes'));
  }
}

export const accommodations: Target = {
  name: 'accommodations',
  weight: 12,
  draw: (random) => ({ bytes: mutated(Buffer.from(random.pick(samples)).toString('latin1'), random, samples) }),
  judge,
};
