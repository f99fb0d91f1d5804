/** Who a line means, and what is known of them, where the service hides addresses, leaves out fields, stores others, or has only numbers. */
import { describe, expect, test } from 'vitest';
import type { Arrived, Showing } from '../../support/service.ts';
import { type Fields, withoutUnset } from '../../support/truth.ts';
import { counted, errorOf, exam, opening, three } from './importing.ts';

const isList = ({ method, path }: Arrived) => method === 'GET' && path.endsWith('/student_sessions');

/** Lists show an address as this; undefined: not at all. */
function listing(shown: (email: string) => string | null | undefined): Showing {
  return {
    as(record, request) {
      if (!isList(request) || typeof record.email !== 'string') return record;
      const { email, ...others } = record;
      const as = shown(String(email));
      return as === undefined ? others : { ...others, email: as };
    },
  };
}

test.each([
  ['email,Angemeldet,Wer\nann@example.org,ja,Ann\n', '', true],
  ['email,Angemeldet,Wer\nann@example.org,ja,Ann\n', ' --map name=Wer', false],
  ['email,Angemeldet,name\nann@example.org,ja,Ann\n', '', false],
  ['email,Angemeldet\nann@example.org,ja\n', '', false],
])('A roster of which no column is read as a name says how to read one: %j%s %s', async (roster, more, is) => {
  const columns = roster.includes('Wer') && more === '' ? ' --ignore-column Wer' : '';
  const ended = await exam().imports(roster, `--only Angemeldet=ja${columns}${more}`);
  expect([ended.code, ended.stderr.includes('--map name=HEADER')], ended.stderr).toEqual([0, is]);
});

test('A name with a comma is sent as it is, and named with the way to turn it', async () => {
  const { service, imports } = exam();
  const { stderr } = await imports('email,name\ngerd@example.org,"Fröhlich, Gerd"\nann@example.org,Ann\n');
  expect(stderr).toContain(
    String.raw`Names with a comma are sent as they are: \"Fröhlich, Gerd\" (line 2). If the last name stands first: --map last_name_first=`,
  );
  expect(service.sessions.map(({ name }) => name)).toEqual(['Fröhlich, Gerd', 'Ann']);
});

test('A time that only lists leave out is read by ID: what is set is not set again, and a later one is kept.', async () => {
  const as = ({ close_time, ...others }: Fields, request: Arrived) => (isList(request) ? others : { close_time, ...others });
  const { service, imports } = exam({ showing: { as } });
  service.add({ email: 'ann@example.org', close_time: '2127-02-01T10:00:00Z' });
  service.add({ email: 'bob@example.org', close_time: '2127-02-01T11:00:00Z' });
  const roster = 'email,close_time\nann@example.org,2127-02-01T10:00Z\nbob@example.org,2127-02-01T10:00Z\n';
  const ended = await imports(roster, '--update');
  expect([ended.code, ended.report.lines.map(({ action }) => action), service.writes()]).toEqual([0, ['unchanged', 'more'], []]);
});

describe.each([
  ['lists', (record: Fields, request: Arrived) => (isList(request) ? withoutUnset(record) : record)],
  ['records', (record: Fields, request: Arrived) => (isList(request) ? record : withoutUnset(record))],
  ['both', withoutUnset],
])('A service that leaves out unset times in %s', (_, as) => {
  const roster = 'email,close_time\nann@example.org,2127-02-01T10:00Z\nbob@example.org,2127-02-01T10:00Z\n';

  test('has a student without one: different, and set with --update.', async () => {
    const { service, imports } = exam({ showing: { as } });
    service.add({ email: 'ann@example.org' });
    service.add({ email: 'bob@example.org', close_time: '2127-02-01T10:00:00Z' });
    const first = await imports(roster);
    expect([first.code, counted(first)]).toEqual([11, { different: 1, unchanged: 1 }]);
    expect(first.report.lines[0]?.changes).toEqual([{ field: 'close_time', from: null, to: '2127-02-01T10:00:00Z' }]);
    const updated = await imports(roster, '--update');
    expect([updated.code, service.sessions.map(({ close_time }) => close_time)]).toEqual([0, Array(2).fill('2127-02-01T10:00:00Z')]);
    expect((await imports(roster, '--check')).code).toBe(0);
  });

  test('gets open times, which are not set twice.', async () => {
    const { service, imports } = exam({ showing: { as } });
    expect([(await imports(opening)).code, (await imports(opening, '--update')).code]).toEqual([0, 0]);
    expect(service.writes()).toHaveLength(2);
  });
});

test('Where the list shows the times, no student is read one by one.', async () => {
  const { service, imports } = exam();
  const roster = `email,close_time\n${Array.from({ length: 200 }, (_, at) => `s${at}@example.org,2127-02-01T10:00Z\n`).join('')}`;
  await imports(roster);
  await imports(roster.replaceAll('10:00Z', '10:30Z'), '--update');
  const reads = service.requests().filter((request) => request.startsWith('GET'));
  expect([service.posts(), service.writes().length, reads.length]).toEqual([200, 400, expect.any(Number)]);
  expect(reads.filter((request) => request.startsWith('GET /student_sessions')).length).toBeLessThanOrEqual(8);
  expect(reads.filter((request) => request === 'GET /exams/6/student_sessions').length).toBeLessThanOrEqual(6);
});

test('A field that the service does not show is named as not shown, and is no difference.', async () => {
  const hidden: Showing = { as: ({ seat: _, ...others }) => others };
  const { imports } = exam({ showing: hidden });
  const roster = 'email,Seat\nann@example.org,12\n';
  await imports(roster, '--map seat=Seat');
  const ended = await imports(roster, '--map seat=Seat');
  expect([ended.code, counted(ended)]).toEqual([0, { unchanged: 1 }]);
  expect(ended.stderr).toContain('The service does not show seat of its students: it is not compared.');
  expect(ended.report.lines[0]?.reason).toBe('the service does not show seat');
  expect(ended.stderr).not.toContain('line 2');
});

describe('A list that hides', () => {
  test.each([
    ['all addresses', () => '•••', 'are (it shows •••): '],
    ['the field itself', () => undefined, 'are: '],
  ])('%s refuses an import, and nothing is sent.', async (_, shown, words) => {
    const { service, imports } = exam({ showing: listing(shown) });
    service.add({ email: 'zoe@example.org' });
    const ended = await imports(three);
    expect([ended.code, counted(ended), service.writes()]).toEqual([3, { not_sent: 3 }, []]);
    const { message } = errorOf(ended.stderr);
    expect(message).toContain(`The list of exam 6 does not show who some of its students ${words}`);
    expect(message).toContain(' line 2, line 3, line 4.');
  });

  test('the address of somebody who may be a line refuses to create that line; who cannot be it holds up nobody.', async () => {
    const { service, imports } = exam({ showing: listing((email) => (email.startsWith('b') ? 'b***@example.org' : email)) });
    service.add({ email: 'ann@example.org', name: 'Ann' });
    service.add({ email: 'bob@example.org', name: 'Bob' });
    const ended = await imports(three);
    expect([ended.code, service.writes()]).toEqual([3, []]);
    expect(errorOf(ended.stderr).message).toContain('line 3');
    expect(counted(await imports('email,name\nann@example.org,Ann\n'))).toMatchObject({ unchanged: 1 });
  });
});

test.each([
  ['a***@example.org', (email: string) => email.replace(/(?<=^.)[^@]*/, '***')],
  ['•••', () => '•••'],
  ['nothing', () => null],
])('An answer that shows the address as %s names no other student: it is that of the line, and nobody is sent twice.', async (_, mask) => {
  const as: Showing['as'] = (record, { method }) => (method === 'POST' ? { ...record, email: mask(String(record.email)) } : record);
  const { service, imports } = exam({ showing: { as } });
  const first = await imports(three);
  expect([first.code, counted(first)]).toEqual([0, { created: 3 }]);
  const again = await imports(three, '--update');
  expect([again.code, counted(again), service.posts()]).toEqual([0, { unchanged: 3 }, 3]);
});

test.each<[string, Showing['as']]>([
  ['null in lists', (record, { method, path }) => (method === 'GET' && path.endsWith('_sessions') ? { ...record, email: null } : record)],
  ['null everywhere', (record) => ({ ...record, email: null })],
  ['nowhere', ({ email: _, ...record }) => record],
])('Addresses that the service shows %s: an import says that its record alone knows the students, and how to see them.', async (_, as) => {
  const { service, imports } = exam({ showing: { as } });
  await imports(three);
  for (const options of ['', '--check', '--update']) {
    const { code, stderr, report } = await imports(three, options);
    expect([code, report.lines.map(({ result, changes }) => [result, changes])]).toEqual([11, Array(3).fill(['different', []])]);
    expect(report.lines[0]?.reason).toMatch(/does not show whose session 100 is: only the record of runs/);
    expect(errorOf(stderr).hint).toMatch(/token that may read addresses, or .*config set dialect\.sessionNumberKey/);
    if (options !== '--update') expect(errorOf(stderr).hint).not.toContain('--update');
  }
  expect([(await imports(three, '--accept different')).code, service.posts()]).toEqual([0, 3]);
});

test('Who alone is shown without an address, where others show theirs, is different.', async () => {
  const { service, imports } = exam();
  await imports(three);
  service.change('session', 101, { email: null });
  const { report } = await imports(three);
  expect(report.lines.map(({ result, reason }) => reason ?? result)).toEqual([
    'unchanged',
    'email is empty, not "bob@example.org"',
    'unchanged',
  ]);
});

test('A list that is late shows nobody who was created from here: they are read by their sessions, and sent to nobody twice.', async () => {
  const { service, imports } = exam();
  await imports(three);
  service.showing = { lag: 3_600_000 };
  const again = await imports(three);
  expect([again.code, counted(again), service.posts()]).toEqual([0, { unchanged: 3 }, 3]);
});

test.each([
  ['in lower case', (email: string) => email.toLowerCase(), 'Ada@Example.org'],
  ['in another Unicode form', (email: string) => email.normalize('NFD'), 'ren\u00e9@example.org'],
  ['as punycode', (email: string) => email.replace('exämple', 'xn--exmple-cua'), 'eva@exämple.org'],
])('A service that stores addresses %s has each student once, however often the import is run.', async (_, kept, email) => {
  const { service, imports } = exam({ habits: { kept } });
  const roster = `email,name\n${email},A\nbob@example.org,B\n`;
  for (let time = 1; time <= 3; time += 1) {
    const ended = await imports(roster, time === 3 ? '--update' : '');
    expect([ended.code, counted(ended)]).toEqual([0, time === 1 ? { created: 2 } : { unchanged: 2 }]);
  }
  expect(service.posts()).toBe(2);
});

test("A session that was created for a line is nobody else's, also where another line has the address that it shows.", async () => {
  const { service, imports } = exam({ habits: { kept: (email) => email.replace('exämple', 'example') } });
  await imports('email,name\neva@exämple.org,Eva\n');
  const both = 'email,name\neva@exämple.org,Eva B\neva@example.org,Eva C\n';
  for (let time = 1; time <= 2; time += 1) {
    const ended = await imports(both, '--update --accept different');
    expect([ended.code, counted(ended)]).toEqual(time === 1 ? [0, { created: 1, updated: 1 }] : [0, { unchanged: 2 }]);
    expect(service.sessions).toMatchObject([{ name: 'Eva B' }, { name: 'Eva C' }]);
  }
});

test('A student whom the service shows with the ASCII form of the domain is the one of the file.', async () => {
  const { service, imports } = exam({ habits: { kept: (email) => email.replace('exämple', 'xn--exmple-cua') } });
  for (const domain of ['exämple', 'xn--exmple-cua', 'exa\u0308mple'])
    expect((await imports(`email,name\neva@${domain}.org,Eva\n`)).code).toBe(0);
  expect(service.posts()).toBe(1);
});

test('A student whose answer is lost and who is stored under the address of another line is not registered twice.', async () => {
  const { service, imports } = exam({ habits: { kept: (email) => email.replace('+tag', '') } });
  service.add({ email: 'ann@example.org', name: 'A' });
  service.next('POST', { done: 'now', answer: 'lost' });
  const roster = 'email,name\nann@example.org,Ann\nann+tag@example.org,Tag\n';
  expect((await imports(roster, '--update')).code).toBe(10);
  await imports(roster, '--update');
  expect(service.posts()).toBe(1);
});

test('A column of numbers that is not used is named with the whole command, where the students of the exam show the field.', async () => {
  const { service, imports } = exam();
  service.add({ email: 'zoe@example.org', matriculation_number: '007009' });
  const { stderr } = await imports('Matrikelnummer,email\n007010,ann@example.org\n');
  expect(stderr).toContain('proctor-cli config set dialect.sessionNumberKey matriculation_number"');
});

describe('Where a field with the number is declared,', () => {
  const numbers = Array.from({ length: 12 }, (_, at) => `0070${at + 10}`);
  const rosterOf = (of: readonly string[]) => `Matrikelnummer,name\n${of.map((number) => `${number},N ${number}\n`).join('')}`;
  const declared = async () => {
    const made = exam();
    await made.service.run('config set dialect.sessionNumberKey matriculation_number');
    return made;
  };

  test('twelve students without addresses are there once, imported twice, and the one that a roster lacks is removed.', async () => {
    const { service, imports } = await declared();
    const first = await imports(rosterOf(numbers));
    expect([first.code, counted(first)]).toEqual([0, { created: 12 }]);
    const who = /12 students without an address \(line 2.*, .*and 7 more\) will get no mail. To name .*: --map email=HEADER/;
    expect(first.stderr).toMatch(who);
    expect(first.stderr).toContain(String.raw`(line 2: \"N 007010 007010\", line 3`);
    const plan = await service.run(['sessions', 'import', '-', '--exam', '6', '--check'], { stdin: `${rosterOf(numbers)}7,Sum\n` });
    expect(plan.stdout).toMatch(/^14 +6 +- +- +7 +create/m);
    const again = await imports(rosterOf(numbers));
    expect(again.stderr).not.toMatch('without an address');
    expect([again.code, counted(again), service.posts()]).toEqual([0, { unchanged: 12 }, 12]);
    const less = await imports(rosterOf(numbers.slice(1)), '--remove-missing 1');
    expect([less.code, counted(less)]).toEqual([0, { unchanged: 11, not_in_file: 1, removed: 1 }]);
    expect([less.report.notInFile[0]?.number, less.stderr]).toEqual(['007010', expect.stringContaining('N 007010, 007010, session')]);
    expect(service.sessions.map(({ matriculation_number }) => matriculation_number)).toEqual(numbers.slice(1));
  });

  test('a lost answer is looked up by it, and the same number twice in a file is a problem of its line.', async () => {
    const { service, imports } = await declared();
    service.next('POST', undefined, { answer: 'lost' });
    expect(counted(await imports(rosterOf(numbers)))).toEqual({ created: 12 });
    service.truth.set('session', { ...service.sessions[0], email: 'a***@example.org' });
    expect(counted(await imports(rosterOf([...numbers, '007099'])))).toEqual({ created: 1, unchanged: 12 });
    const twice = await imports(rosterOf(['007010', '007010']));
    expect([twice.code, twice.report.problems]).toMatchObject([3, [{ line: 3, reason: '"007010" is in line 2, too.' }]]);
  });

  test('who had only a number is the same with an address, which --update sets.', async () => {
    const { service, imports } = await declared();
    await imports(rosterOf(['007010']));
    const roster = 'Matrikelnummer,email,name\n007010,ann@example.org,N 007010\n';
    expect([(await imports(roster)).code, service.posts()]).toEqual([11, 1]);
    expect((await imports(roster, '--accept different')).code).toBe(0);
    expect(counted(await imports(roster, '--update'))).toEqual({ updated: 1 });
    expect(counted(await imports(roster))).toEqual({ unchanged: 1 });
    expect(service.sessions).toMatchObject([{ email: 'ann@example.org', matriculation_number: '007010' }]);
    service.change('session', 100, { email: 'zoe@example.org' });
    const moved = await imports(roster, '--update');
    expect([moved.code, counted(moved), service.posts()], 'the number is registered already').toEqual([11, { different: 1 }, 1]);
    const { hint } = errorOf(moved.stderr);
    const check = await service.run(['sessions', 'import', '-', '--exam', '6', '--check'], { stdin: roster });
    expect(check.stderr).toContain('Plan: 1 with another address.');
    expect(check.stderr, 'no import changes it').toContain(`hint: ${hint}`);
    expect(hint).toContain('proctor-cli sessions get 100');
    const [, command = ''] = /If it is the student of line 2: proctor-cli (sessions update 100 --email \S+)$/.exec(hint) ?? [];
    expect((await service.run(command)).code).toBe(0);
    expect(counted(await imports(roster))).toEqual({ unchanged: 1 });
  });

  test('a number that the exam or another line has with another address creates nobody, in any way.', async () => {
    const { service, imports } = await declared();
    await imports('Matrikelnummer,email\n007010,ann@example.org\n');
    const twice = await imports('Matrikelnummer,email\n007011,bob@example.org\n007011,rob@example.org\n');
    expect([twice.code, twice.report.problems]).toMatchObject([3, [{ line: 3, reason: '"007011" is in line 2, too.' }]]);
    const create = 'sessions create --exam 6 --email annie@example.org -f matriculation_number=007010';
    const refused = await service.run(create);
    expect([refused.code, refused.stderr]).toEqual([11, expect.stringContaining('007010 is in exam 6 already, as session 100')]);
    expect((await service.run(`${create} --if-not-exists`)).code).toBe(11);
    expect([(await service.run(`${create} --allow-duplicate`)).code, service.posts()]).toEqual([0, 2]);
  });

  test('one line with the address and another one with the number of a student are not both carried out, in turns.', async () => {
    const { service, imports } = await declared();
    await imports('Matrikelnummer,email,name\n007010,ann@example.org,Ann\n');
    const both = await imports('Matrikelnummer,email,name\n,ann@example.org,Ann A\n007010,,Ann B\n', '--update');
    expect([both.code, errorOf(both.stderr).message]).toEqual([
      3,
      'Several lines are one student: line 2, line 3 (session 100 of exam 6). Nothing was sent.',
    ]);
    expect(service.sessions).toMatchObject([{ name: 'Ann' }]);
  });

  test('an address or a whole line in the place of a number is invalid.', async () => {
    const { service, imports } = await declared();
    const ended = await imports('Matrikelnummer;name;email\n007010,Ann,ann@example.org\n007011,Bob,bob@example.org\n');
    expect([ended.code, ended.report.problems.map(({ line }) => line), service.posts()]).toEqual([3, [2, 3], 0]);
  });
});

test('Without it, a student without an address stops the file.', async () => {
  const { service, imports } = exam();
  const ended = await imports('email,name\n,Ann\nbob@example.org,Bob\n', '--skip-invalid');
  expect([ended.code, service.writes()]).toEqual([3, []]);
});

describe('A session that a colleague gives to another student as soon as it was created', () => {
  const eve = { email: 'eve@example.org', name: 'Eve' };
  const given = async (roster: string) => {
    const it = exam();
    it.service.onAnswer = ({ method }) => {
      if (method === 'POST') it.service.change('session', 100, eve);
    };
    const { code, report } = await it.imports(roster);
    expect([code, report.lines[0]?.result]).toEqual([9, 'different']);
    return { ...it, run: report.run, writes: it.service.writes().length };
  };

  test.each(['', '--update', '--accept different', '--remove-missing 5'])('is neither updated nor created again: %s', async (flags) => {
    const { service, imports, writes } = await given(opening);
    const { code, report, stderr } = await imports(opening, flags);
    expect([code, report.lines[0]?.changes]).toEqual([11, [{ field: 'email', from: eve.email, to: 'ann@example.org' }]]);
    expect(stderr, 'no flag takes it from somebody else').toContain('proctor-cli sessions get 100');
    expect([service.writes().length, service.sessions]).toEqual([writes, [expect.objectContaining({ ...eve, open_time: null })]]);
  });

  test('is no success of --if-not-exists, and is not deleted by an undo.', async () => {
    const { service, run, writes } = await given('email\nann@example.org\n');
    const created = await service.run('sessions create --exam 6 --email ann@example.org --if-not-exists');
    expect([created.code, created.stderr.includes(eve.email)], created.stderr).toEqual([11, true]);
    const undone = await service.run(`runs undo ${run} --yes`);
    expect([undone.code, undone.stderr.includes(eve.email)], undone.stderr).toEqual([11, true]);
    expect([service.writes().length, service.sessions]).toEqual([writes, [expect.objectContaining(eve)]]);
  });

  test('is the student of its line once it has the address again.', async () => {
    const { service, imports } = await given(opening);
    service.change('session', 100, { email: 'ann@example.org' });
    expect((await imports(opening)).code).toBe(0);
    expect(service.sessions).toEqual([expect.objectContaining({ email: 'ann@example.org', open_time: '2127-02-01T08:30:00Z' })]);
  });

  test('is the one of the line whose address it has.', async () => {
    const { service, imports, writes } = await given('email\nann@example.org\n');
    const { report } = await imports('email\nann@example.org\neve@example.org\n');
    expect(report.lines.map(({ result }) => result)).toEqual(['different', 'unchanged']);
    expect(service.writes()).toHaveLength(writes);
  });
});
