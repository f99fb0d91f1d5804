/** exams check and apply with --accommodations: the exams of the timetable have the extra time of the list at the end. */
import { describe, expect, test } from 'vitest';
import { type Office, office } from './office.ts';

const header = 'key,name,date,start,end,roster';
const line = (ends: string) => `A,Algebra,2027-02-08,09:00,${ends},algebra.csv`;
const roster = 'email,name\nada@example.org,Ada\nbob@example.org,Bob\n';
const list = 'version: 1\nstudents:\n  - email: ada@example.org\n    extra: 25%\n';

async function set(): Promise<{ made: Office; options: string; closes(): unknown[] }> {
  const made = await office();
  made.timetable(header, line('11:00'));
  made.machine.file('algebra.csv', roster);
  const options = `--accommodations ${made.machine.file('list.yaml', list)} --timezone UTC`;
  const closes = () => [...made.service.truth.sessions.values()].map(({ close_time: closes = null }) => closes);
  return { made, options, closes };
}

describe('exams apply --accommodations', () => {
  test('sets the extra time in an exam that it has just created, and applied again it sends nothing', async () => {
    const { made, options, closes } = await set();
    const { code, plan, stderr } = await made.apply(options);
    expect(code, stderr).toBe(0);
    expect(closes()).toEqual(['2027-02-08T11:30:00Z', null]);
    expect(plan?.accommodations).toMatchObject([{ email: 'ada@example.org', state: 'missing', result: 'set' }]);
    const again = await made.apply(options);
    expect([again.code, again.writes, again.plan?.accommodations]).toMatchObject([0, [], [{ state: 'ok', result: 'unchanged' }]]);
  });

  test('computes it from the times that the timetable has set', async () => {
    const { made, options, closes } = await set();
    await made.apply(options);
    made.timetable(header, line('13:00'));
    expect((await made.apply(options)).code).toBe(0);
    expect(closes()).toEqual(['2027-02-08T14:00:00Z', null]);
  });

  test('says in check what is missing, without a name in Markdown, and ends with 11', async () => {
    const { made, options } = await set();
    await made.apply('--timezone UTC');
    const { code, error, writes } = await made.check(options);
    expect([code, error?.code, writes]).toEqual([11, 'differences', []]);
    expect(error?.hint).toContain('--accommodations');
    const page = await made.run(`exams check ${made.machine.folder}/period.csv ${options} -o markdown`);
    expect(page.stdout).toContain('Extra time of 1 session: 1 missing.');
    expect(page.stdout).toMatch(/`proctor-cli .*exams apply .* --accommodations .* --expect-plan \w{16}`/);
    expect(page.stdout).not.toContain('ada');
  });

  test('refuses a list with a problem before anything is sent', async () => {
    const { made, options } = await set();
    made.machine.file('list.yaml', list.replace('25%', 'a bit'));
    const { code, writes } = await made.apply(options);
    expect([code, writes]).toEqual([3, []]);
  });

  test('ends with the truth where the exams were applied and the extra time was not', async () => {
    const { made, options, closes } = await set();
    made.service.fault = ({ method }) => (method === 'PATCH' ? { answer: { status: 422 } } : undefined);
    const { code, plan, stderr } = await made.apply(options);
    expect([code, plan?.plan[0]?.result], stderr).toEqual([9, 'created']);
    made.service.fault = () => undefined;
    expect((await made.apply(options)).code).toBe(0);
    expect(closes()).toEqual(['2027-02-08T11:30:00Z', null]);
  });
});
