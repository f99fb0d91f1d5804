/** Whoever does what the first printed command says, or else the same command again, comes to the right end in three steps. */
import { expect, test } from 'vitest';
import { ada, bob, serviceWithExam } from '../support/algebra.ts';
import { lostBefore, type Reply, refused } from '../support/service.ts';
import { create, holds, killed, newExam } from './small-office.ts';

const acknowledged = refused(201, { id: 77123 });
const three = [ada, bob, { ...ada, id: 9, email: 'cy@example.org' }];

/** The first command of a hint, without the program's name. */
const firstCommand = (stderr: string) => /^hint:.*?proctor-cli ([^;:,\n]+)/m.exec(stderr)?.[1]?.replace(/\.$/, '').trim();
const tty = { tty: true, columns: 1000, answers: [true, true, true] };

type Story = [what: string, line: string, replies: [to: string, ...replies: (Reply | undefined)[]], codes: number[], is: object];
const stories: Story[] = [
  ['a create that no read shows', create, ['POST', acknowledged], [10, 10, 10, 10], { writes: 1 }],
  ['an exam that no read shows', newExam, ['POST', acknowledged], [10, 10, 10, 10], { writes: 1 }],
  ['a create without an ID', create, ['POST', refused(201)], [10, 10, 10, 10], { writes: 1 }],
  ['a create that was lost', create, ['POST', lostBefore], [8, 0], { who: 'ada bob cy eve' }],
  ['a create that was lost twice', create, ['POST', lostBefore, lostBefore], [8, 8, 0], { who: 'ada bob cy eve' }],
  ['an exam that was lost', newExam, ['POST', lostBefore], [8, 0], { exams: 'Algebra Optics' }],
  ['a create that was refused', create, ['POST', ...Array(10).fill(refused(429))], [8, 0], { who: 'ada bob cy eve' }],
  ['a create that was done twice', create, ['POST', { done: 'twice' }], [9, 0], { who: 'ada bob cy eve' }],
  ['an update that was lost', 'sessions update 7 --name Eve', ['PATCH', lostBefore], [7, 0], { name: 'Eve' }],
  ['a deletion that was lost', 'sessions delete 7', ['DELETE', lostBefore], [7, 0], { who: 'bob cy' }],
  ['deletions, one of them rejected', 'sessions delete 7 8 9', ['DELETE', undefined, refused(422)], [9, 0], { who: '' }],
  ['deletions that stopped', 'sessions delete 7 8 9', ['DELETE', undefined, refused(401)], [9, 0], { who: '' }],
  ['deletions, one of them lost', 'sessions delete 7 8 9', ['DELETE', undefined, lostBefore], [9, 0], { who: '' }],
  ['a pool that was lost', 'proctors add 4 --exam 1', ['POST', lostBefore], [7, 0], { pool: '4' }],
  ['mails that were refused', 'exams send-emails 1', ['POST', refused(429)], [8, 0], { writes: 2 }],
  ['mails that were lost', 'exams send-emails 1', ['POST', lostBefore], [10, 0], { writes: 2 }],
];

test.each(stories)('After %s: %s', async (_what, line, replies, codes, is) => {
  const service = serviceWithExam({ sessions: three });
  service.next(...replies);
  const came: number[] = [];
  let next = line;
  let said = '';
  while (came.length < 4) {
    const { code, stderr } = await service.run(next, tty);
    came.push(code);
    said += `\n$ ${next}\n${stderr}`;
    if (code === 0) break;
    next = firstCommand(stderr) ?? line;
  }
  expect([came, holds(service)], said).toMatchObject([codes, is]);
});

/** What is left open, what is to be done then, what that ends with, and what its hint and the same line again end with. */
test.each([
  ['deletions', create, [11, 0, 0]],
  ['deletions', 'exams send-emails 1', [11, 0, 0]],
  ['deletions', 'sessions delete 9', [0]],
  ['deletions', 'exams update 1 --allow-headphones', [11, 0, 0]],
  ['a create', 'exams send-emails 1', [11, 10, 11]],
  ['a create', 'students add --exam 1 --email EVE@example.org', [10, 10, 10]],
  ['a create', 'students add --exam 1 --email fay@example.org', [0]],
])('Where %s is open that a run has to finish, and then: %s', async (what, line, codes) => {
  const service = serviceWithExam({ sessions: three });
  if (what === 'a create') service.next('POST', acknowledged);
  const home = what === 'a create' ? service.home : await killed(service, 'sessions delete 7 8', tty);
  if (what === 'a create') expect((await service.run(create)).code).toBe(10);
  const before = service.writes().length;
  const first = await service.run(line, { home, ...tty });
  const came = [first.code];
  if (first.code !== 0) {
    expect([service.writes().length, first.stderr]).toEqual([before, expect.stringMatching(/runs resume .*runs show .*runs close /)]);
    for (const next of [firstCommand(first.stderr) ?? '', line]) came.push((await service.run(next, { home, ...tty })).code);
  }
  expect(came).toEqual(codes);
});
