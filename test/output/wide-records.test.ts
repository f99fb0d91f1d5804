/** A record may have any number of fields: as arguments of one call, that many would overflow the stack. */
import { expect, test } from 'vitest';
import { ada, held } from '../support/algebra.ts';

const fields = Object.fromEntries(Array.from({ length: 150_000 }, (_, at) => [`f${at}`, at]));

test('150,000 fields are shown, alone and in a list whose columns nobody has named, and kept in the record of runs', async () => {
  const service = held({ sessions: [ada] });
  service.showing.as = (record) => ('email' in record ? { ...record, ...fields } : record);
  const shown = async (line: string) => {
    const { code, stdout } = await service.run(`${line} -o table`, { tty: true, columns: 80 });
    return [code, /\bf149999\b/i.test(stdout), /^ID.* \+1\d{5}$/m.test(stdout)];
  };
  expect(await shown('sessions get 7')).toEqual([0, true, false]);
  expect(await shown('api GET /exams/1/student_sessions')).toEqual([0, false, true]);
  expect((await service.run('sessions update 7 --name Eva --yes')).code).toBe(0);
}, 60_000);
