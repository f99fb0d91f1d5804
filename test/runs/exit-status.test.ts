/** The one exit status of a command of which several things came: the first of 130/143, 10, 9, 4, 12, 11, 7, 8, 6 decides. */
import { expect, test } from 'vitest';
import { ada, algebra, serviceWithExam } from '../support/algebra.ts';
import { doneButReplies, lostBefore, type Reply, refused } from '../support/service.ts';
import { done } from '../support/story.ts';

const [first, second] = ['DELETE /student_sessions/11', 'DELETE /student_sessions/12'];
const office = () =>
  serviceWithExam({
    exams: [algebra, { ...algebra, id: 2, name: 'Analysis' }],
    sessions: [11, 12].map((id, at) => ({ ...ada, id, exam_id: 1 + at, email: `s${id}@example.org` })),
  });
const busy = Array(10).fill(refused(429));
const gone = doneButReplies(404);
const unseen = refused(500);

/** What the two deletions are answered with, in turn; `unseen`: what was lost cannot be looked at. */
const rows: [what: string, one: (Reply | undefined)[], other: (Reply | undefined)[], exit: number][] = [
  ['both done', [], [], 0],
  ['both rejected', [refused(422)], [refused(422)], 7],
  ['rejected, gone', [refused(422)], [gone], 7],
  ['both gone', [gone], [gone], 6],
  ['gone, never taken', [gone], busy, 8],
  ['rejected, never taken', [refused(422)], busy, 7],
  ['forbidden, rejected', [refused(403)], [refused(422)], 4],
  ['done, gone', [], [gone], 9],
  ['done, rejected', [], [refused(422)], 9],
  ['done, never taken', [], busy, 9],
  ['done, forbidden', [], [refused(403)], 9],
  ['done, lost and not carried out', [], [lostBefore], 9],
  ['done, unknown', [], [unseen], 10],
  ['rejected, unknown', [refused(422)], [unseen], 10],
];

test.each(rows)('%s', async (_what, one, other, exit) => {
  const service = office();
  service.next(first, ...one);
  service.next(second, ...other);
  if (other[0] === unseen)
    service.fault = ({ line }) => (line === 'GET /student_sessions/12' && service.writes().includes(second) ? unseen : undefined);
  const { stderr } = await done(service, 'sessions delete 11 12 --yes', exit);
  // What is unknown has not failed.
  if (exit === 10) expect(stderr).toContain(one.length === 0 ? '1 of 2 deleted, 1 unknown' : '0 of 2 deleted, 1 failed, 1 unknown');
});

test('After a refused token, the way on begins with another token.', async () => {
  const service = office();
  service.next(second, refused(401));
  await done(service, 'sessions delete 11 12 --yes', 9, /^hint: .*(log in|token).*proctor-cli runs resume /im);
});
