/** The command that shows whether a write happened names its exam or session, whatever the ID looks like. */
import { expect, test } from 'vitest';
import { operations } from '../../src/api/operations.ts';

test.each([
  ['5', 'sessions get 5', 'sessions list --exam 5'],
  ['--yes', 'sessions get -- --yes', 'sessions list --exam=--yes'],
])('for the ID %s: %s, %s', (id, session, students) => {
  const { deleteSession, sendEmails, createSession } = operations;
  expect([deleteSession.look({ id }), sendEmails.look({ id }), createSession.look({ exam_id: id })]).toEqual([session, students, students]);
});
