/**
 * A service that masks addresses, in its answers, in its listings or in both: a mask names no other student, and where the
 * listing cannot tell whether a row is in the exam, the row stays unknown. However the command is run again, no student is registered twice.
 */
import { describe, expect, test } from 'vitest';
import { type Exam, exam, showing, states } from './importing.ts';

const rows = ['ada@example.org', 'bob@example.org', 'cyd@example.org'];
const roster = `email\n${rows.join('\n')}\n`;

const masks: [name: string, mask: (email: string) => string | null | undefined][] = [
  ['a***@example.org', (email) => email.replace(/(?<=^.)[^@]*/, '***')],
  ['a…@…', (email) => `${email[0]}…@…`],
  ['ad...@example.org', (email) => email.replace(/(?<=^..)[^@]*/, '...')],
  ['axxxx@example.org', (email) => email.replace(/(?<=^.)[^@]*/, 'xxxx')],
  ['•••', () => '•••'],
  ['hidden', () => 'hidden'],
  ['null', () => null],
  ['', () => undefined],
];
const full = (email: string) => email;

function masking(answered: (email: string) => string | null | undefined, listed: (email: string) => string | null | undefined) {
  const made = exam({ showing: showing({ answered, listed }) });
  return { ...made, again: (args = '') => made.imports(roster, `--concurrency 1 ${args}`) };
}

/** Each row, and how often it is in the exam. */
const registered = ({ service }: Pick<Exam, 'service'>) => rows.map((row) => service.sessions.filter(({ email }) => email === row).length);

describe.each(masks)('An address shown as "%s"', (_, mask) => {
  test('in an answer names no other student: the session of the answer is that of the row.', async () => {
    for (const listed of [full, mask, () => '[redacted]']) {
      const { again, ...made } = masking(mask, listed);
      expect(states(await again())).toEqual({ created: 3 });
      expect(states(await again('--resend-absent'))).toEqual({ unchanged: 3 });
      expect(made.service.posts()).toBe(3);
    }
  });

  test('in a listing never lets a row without an answer be sent again.', async () => {
    for (const answered of [full, mask]) {
      const { again, ...made } = masking(answered, mask);
      made.posts({ 2: { answer: 'lost', done: 'now' } });
      const ended = await again();
      expect(ended.code).toBe(10);
      expect(states(ended)).toEqual({ created: 2, unknown: 1 });
      expect(ended.stderr).toMatch(/with what stays unknown: proctor-cli runs close \S+/);
      expect(states(await again('--resend-absent'))).toEqual({ created: 2, unknown: 1 });
      expect(registered(made)).toEqual([1, 1, 1]);
    }
  });

  test('in a listing does not hide that a request did nothing, where no student came since.', async () => {
    const { again, ...made } = masking(mask, mask);
    made.posts({ 2: { answer: 'lost', done: 'never' } });
    expect(states(await again())).toEqual({ absent: 1, created: 2 });
    expect(states(await again('--resend-absent'))).toMatchObject({ created: 3 });
    expect(registered(made)).toEqual([1, 1, 1]);
  });
});

test('A student whose address is masked may be any row: another machine registers none, also if the listing shows other addresses.', async () => {
  const made = exam({ showing: showing({ listed: (email) => (email === 'bob@example.org' ? 'b***@example.org' : email) }) });
  made.service.add({ email: 'ada@example.org' });
  made.service.add({ email: 'bob@example.org' });
  const ended = await made.imports(roster);
  expect(ended.code).toBe(3);
  expect(ended.stderr).toContain('shows no address of 1 student');
  expect(made.service.posts()).toBe(0);
});

test.each(['maxxx@example.org', 'office@xxxlutz.example', 'a..b@docomo.example', '"Max, M."@example.org', 'Max <max@example.org>'])(
  'A student with the address %s, who is in no row, does not keep the rows from being registered.',
  async (email) => {
    for (const others of [[], ['zoe@example.org']]) {
      const made = exam({});
      for (const each of [email, ...others]) made.service.add({ email: each });
      expect(states(await made.imports(roster))).toEqual({ created: 3 });
    }
  },
);

test('An address that resembles a mask is not taken for that of another row, and another machine registers no row twice.', async () => {
  const made = exam({ showing: showing({ listed: (email) => email.replace(/(?<=^.)[^@]*/, 'xxxx') }) });
  made.service.add({ email: 'ada@example.org' });
  const ended = await made.imports(roster);
  expect(ended.code).toBe(3);
  expect(ended.stderr).toContain('shows no address of 1 student');
  expect(made.service.posts()).toBe(0);
});

test('An update that the service ignored is told, also where the address that stays resembles a mask.', async () => {
  const made = exam({});
  const { id } = made.service.add({ email: 'maxxx@example.org' });
  made.service.fault = ({ method }) =>
    method === 'PATCH' ? { answer: { status: 200, body: { id, email: 'maxxx@example.org' } } } : undefined;
  expect((await made.service.run(['sessions', 'update', String(id), '--email', 'zoe@example.org'])).code).toBe(7);
});

test('A service that shows another address than was sent, in the answer as in the listing, has each student once, and it is said.', async () => {
  const alias = (email: string) => `student-${email.length}-${email.charCodeAt(0)}@anonymous.example`;
  const { again, ...made } = masking(alias, alias);
  const first = await again();
  expect(first.code).toBe(0);
  expect(states(first)).toEqual({ created: 3 });
  expect(first.report.stored_as).toEqual(rows.map((email, at) => ({ line: at + 2, email, stored: alias(email) })));
  for (const args of ['', '--resend-absent']) expect(states(await again(args))).toEqual({ unchanged: 3 });
  expect(registered(made)).toEqual([1, 1, 1]);
});

test('A listing that shows another address of a session than was sent proves nothing of a row without an answer.', async () => {
  const { again, ...made } = masking(full, (email) => `student.${email}`);
  made.posts({ 2: { answer: 'lost', done: 'now' } });
  for (const args of ['', '--resend-absent']) expect(states(await again(args))).toEqual({ different: 2, unknown: 1 });
  // Another import, which does not resume that run, does not send the line again either.
  await made.service.clock.pass(600_000);
  const other = await made.imports(roster, '--update --resend-absent');
  expect(states(other)).toEqual({ different: 2, not_sent: 1 });
  expect(other.report.problems.map(({ reason }) => reason)).toContainEqual(
    expect.stringMatching(/^Run \S+ has sent a request for the same student, and its outcome is unknown/),
  );
  expect(registered(made)).toEqual([1, 1, 1]);
});

test('A listing that shows neither addresses nor IDs never shows that a row is absent.', async () => {
  const made = exam({ showing: showing({ hidden: ['id', 'email'] }) });
  made.posts({ 1: { answer: 'lost', done: 'now' } });
  for (let time = 1; time <= 3; time += 1) {
    const ended = await made.imports(roster, '--concurrency 1 --resend-absent');
    expect(states(ended)).toEqual({ unknown: 3 });
  }
  expect(registered(made)).toEqual([1, 1, 1]);
});

test('An answer with a session that was in the exam before is that of a student who was there: not changed, not deleted by undo.', async () => {
  const made = exam({ showing: showing({ answered: () => null, listed: () => '•••' }) });
  const ada = made.service.add({ email: 'ada@example.org', open_time: '2127-02-01T08:00:00Z' });
  made.posts({ 1: { done: 'never', answer: { status: 200, body: { ...ada, email: null } } } });
  const opening = 'email,open_time\nada@example.org,2127-02-01T09:00:00Z\nbob@example.org,2127-02-01T09:00:00Z\n';
  const ended = await made.imports(opening, '--concurrency 1 --unmatched');
  expect(ended.code).toBe(9);
  expect(states(ended)).toEqual({ created: 1, different: 1 });
  expect(ada.open_time).toBe('2127-02-01T08:00:00Z');
  await made.service.run(['runs', 'undo', String(ended.report.run), '--yes']);
  expect(made.service.sessions).toContain(ada);
  // --update changes it, like any other student of the exam.
  const updated = await made.imports(opening.split('bob')[0] ?? '', '--concurrency 1 --unmatched --update');
  expect(states(updated)).toEqual({ updated: 1 });
  expect(ada.open_time).toBe('2127-02-01T09:00:00Z');
});

test('A session that an earlier run created is that of its row, if the run never saw its address and the service shows another one later.', async () => {
  let shows = false;
  const made = exam({
    habits: { kept: (email) => email.replace('+1', '') },
    showing: showing({ answered: () => null, listed: (email) => (shows ? email : '•••') }),
  });
  const aliases = 'email\nada+1@example.org\nbob+1@example.org\n';
  expect(states(await made.imports(aliases))).toEqual({ created: 2 });
  shows = true;
  for (const args of ['', '--resend-absent']) {
    const ended = await made.imports(aliases, args);
    expect(states(ended)).toEqual({ different: 2 });
    expect(ended.report.problems[0]?.reason).toContain('ada@example.org');
  }
  expect(made.service.posts()).toBe(2);
});

test('A run that ended before a listing showed its students knows them by their sessions, whatever address the service keeps.', async () => {
  const made = exam({ habits: { kept: (email) => email.replace('+1', '') }, showing: showing({ answered: () => null }) });
  made.posts({ 2: { answer: { status: 401 } } });
  const aliases = 'email\nada+1@example.org\nbob@example.org\n';
  expect(states(await made.imports(aliases, '--concurrency 1'))).toEqual({ created: 1, not_sent: 1 });
  made.posts({});
  // The run has never seen the address that the list shows now: it cannot tell a spelling from another student.
  expect(states(await made.imports(aliases))).toEqual({ created: 1, changed: 1 });
  for (let time = 1; time <= 2; time += 1) expect(states(await made.imports(aliases))).toEqual({ unchanged: 1, different: 1 });
  expect(made.service.posts('ada+1@example.org')).toBe(1);
});

test('An answer with the session of another row makes the row no student, and one with a session that was there before is compared with it.', async () => {
  const made = exam({ showing: showing({ answered: () => null, listed: () => '•••' }) });
  const rows = 'email,name\nada@example.org,Ada\nbob@example.org,Bob\n';
  made.posts({ 2: { answer: { status: 401 } } });
  await made.imports(rows, '--concurrency 1');
  const [ada] = made.service.sessions;
  made.posts({ 3: { done: 'never', answer: { status: 200, body: { ...ada, email: null } } } });
  const ended = await made.imports(rows);
  expect(ended.code).toBe(9);
  expect(states(ended)).toEqual({ created: 1, different: 1 });
  expect(ended.report.problems).toMatchObject([
    { line: 3, reason: expect.stringContaining(`session ${ada?.id}, which it gave to line 2`) },
  ]);
  expect(states(await made.imports(rows))).toEqual({ created: 1, unchanged: 1 });
  expect(made.service.sessions.map(({ email }) => email)).toEqual(['ada@example.org', 'bob@example.org']);
  const other = exam();
  const cyd = other.service.add({ email: 'cyd@example.org', name: 'Dan' });
  other.posts({ 1: { done: 'never', answer: { status: 200, body: cyd } } });
  expect(states(await other.imports('email,name\n,Dan\n', '--allow-no-email'))).toEqual({ unchanged: 1 });
  other.posts({ 2: { done: 'never', answer: { status: 200, body: cyd } } });
  expect(states(await other.imports('email,name\n,Eve\n', '--allow-no-email'))).toEqual({ different: 1 });
});

test('A student who was there before under a hidden address, and whom a listing shows after a lost answer, is no student of this run', async () => {
  let shows = false;
  const { service, imports, posts } = exam({ showing: showing({ listed: (email) => (shows ? email : '•••') }) });
  const theirs = service.add({ email: 'ada@example.org' });
  service.onArrival = ({ method }) => {
    shows ||= method === 'POST';
  };
  posts({ 1: { answer: 'lost', done: 'never' } });
  const ended = await imports('email\nada@example.org\n', '--unmatched');
  expect(states(ended)).toEqual({ unchanged: 1 });
  await service.run(['runs', 'undo', String(ended.report.run), '--yes']);
  expect(service.sessions).toEqual([theirs]);
});
