/** The same roster again, after a run that has finished: what that run registered is not registered twice, whatever a listing hides. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Data, embedded, type Trouble } from '../../../commands/embedded.ts';
import { exam, showing, states, three } from './importing.ts';

const students = Array.from({ length: 10 }, (_, at) => `student${at + 1}@example.org`);

/** A service whose lists of students are right in the first runs and show fewer of them from then on: those that are `shown` so many milliseconds after the first such list. */
async function registered(shown: (students: Data[], later: number) => Data[], { listings = 3 } = {}) {
  const { home, json, under } = embedded();
  const roster = join(home, 'roster.csv');
  writeFileSync(roster, `email\n${students.join('\n')}\n`);
  let passed = 0;
  let lists = 0;
  let from: number | undefined;
  const lying: Trouble = (service) => async (request, env) => {
    const answer = await service(request, env);
    if (request.method !== 'GET' || !/\/exams\/6\/student_sessions(\?|$)/.test(request.url) || ++lists <= listings) return answer;
    from ??= passed;
    return Response.json(shown((await answer.json()) as Data[], passed - from));
  };
  const { run } = await under(lying, { now: () => Date.now() + passed });
  const imports = () =>
    run(['sessions', 'import', roster, '--exam', '6', '--yes', '-o', 'json'], {
      onSleep(milliseconds) {
        passed += milliseconds;
      },
    });
  expect((await imports()).code).toBe(0);
  const inExam = async () => {
    const addresses = (await json<Data[]>('sessions list --exam 6')).map(({ email }) => String(email));
    return students.map((email) => addresses.filter((address) => address === email).length);
  };
  const idsOf = async (emails: readonly string[]) =>
    (await json<Data[]>('sessions list --exam 6')).flatMap(({ id, email }) => (emails.includes(String(email)) ? [String(id)] : []));
  return { imports, json, inExam, idsOf, slept: () => passed };
}

const once = students.map(() => 1);

test('A list that hides registered students for long stops the next run before it sends anything.', async () => {
  const { imports, inExam } = await registered((all) => all.slice(0, 8));
  for (let time = 1; time <= 2; time += 1) {
    const { code, stderr } = await imports();
    expect(code).toBe(8);
    expect(stderr).toContain('The list of exam 6 is incomplete: ');
  }
  expect(await inExam()).toEqual(once);
});

test('A list that is late is waited for, and the next run finds all students unchanged.', async () => {
  const { imports, inExam } = await registered((all, later) => (later < 20_000 ? all.slice(0, 8) : all));
  const { code, stdout } = await imports();
  expect({ code, unchanged: JSON.parse(stdout).unchanged }).toEqual({ code: 0, unchanged: 10 });
  expect(await inExam()).toEqual(once);
});

test('Students who were deleted or given another address since are registered again, without a wait.', async () => {
  const { imports, json, inExam, idsOf, slept } = await registered((all) => all);
  const [deleted = '', renamed = ''] = await idsOf(students.slice(0, 2));
  await json(`sessions delete ${deleted} --yes`);
  await json(`sessions update ${renamed} -F email=another@example.org`);
  const before = slept();
  const { code, stdout } = await imports();
  expect({ code, created: JSON.parse(stdout).created, waited: slept() - before }).toEqual({ code: 0, created: 2, waited: 0 });
  expect(await inExam()).toEqual(once);
});

test('A student that several runs registered, deleted in between, is read by the session of the last one.', async () => {
  const { imports, json, inExam, idsOf } = await registered(() => [], { listings: 15 });
  for (let again = 0; again < 3; again += 1) {
    for (const id of await idsOf(students)) await json(`sessions delete ${id} --yes`);
    expect((await imports()).code).toBe(0);
  }
  const { code, stderr } = await imports();
  expect(code).toBe(8);
  expect(stderr).toContain('The list of exam 6 is incomplete: ');
  expect(await inExam()).toEqual(once);
});

test('A student of an earlier run whom the first listing lacks, and the next one shows without an address, is not sent again.', async () => {
  const { service, imports } = exam({ showing: showing({ listed: () => '•••' }) });
  expect(states(await imports(three))).toEqual({ created: 3 });
  let listings = 0;
  service.fault = ({ method, path }) => {
    if (method !== 'GET' || path !== '/exams/6/student_sessions') return undefined;
    listings += 1;
    if (listings > 1) return undefined;
    return {
      answer: {
        status: 200,
        body: service.sessions.slice(1).map(({ id }) => ({ id, email: '•••' })),
      },
    };
  };
  expect(states(await imports(three))).toEqual({ unchanged: 3 });
  expect(service.posts()).toBe(3);
});

test('Students of an earlier run are not sent again although each listing lacks others of them.', async () => {
  const { service, imports } = exam();
  expect(states(await imports(three))).toEqual({ created: 3 });
  let listings = 0;
  service.fault = ({ method, path }) => {
    if (method !== 'GET' || path !== '/exams/6/student_sessions') return undefined;
    listings += 1;
    return { answer: { status: 200, body: service.sessions.filter((_, at) => at !== listings - 1) } };
  };
  expect(states(await imports(three))).toEqual({ unchanged: 3 });
  expect(listings).toBe(4);
  expect(service.posts()).toBe(3);
});

test('Two lines that mean the same session do not set each other back: the one whose address the exam shows is applied, the other named.', async () => {
  const { service, imports } = exam({ habits: { kept: (email) => email.replace('exämple', 'xn--exmple-cua') } });
  expect(states(await imports('email,name\neva@exämple.org,Eva\n'))).toEqual({ created: 1 });
  const both = 'email,name\neva@exämple.org,Eva B\neva@xn--exmple-cua.org,Eva C\n';
  for (let time = 1; time <= 2; time += 1) {
    const { report, code, stderr } = await imports(both, '--update --accept-different');
    expect({ code, updated: report.updated, different: report.different }).toEqual({ code: 9, updated: 2 - time, different: 1 });
    expect(report.problems).toMatchObject([{ line: 2, reason: expect.stringContaining('so it may be another student') }]);
    expect(stderr).toContain('remove lines that mean a student of another line');
    expect(service.sessions).toMatchObject([{ name: 'Eva C' }]);
  }
  expect(service.requests().filter((request) => request.startsWith('PATCH'))).toHaveLength(1);
});
