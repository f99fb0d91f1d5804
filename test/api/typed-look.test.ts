/** The command that shows whether a write happened names its exam or session, whatever the ID looks like. */
import { expect, test } from 'vitest';
import { operations, typedLook } from '../../src/api/operations.ts';

test.each([
  [operations.deleteSession.look, { id: '5' }, 'sessions get 5'],
  [operations.deleteSession.look, { id: '--yes' }, 'sessions get -- --yes'],
  [operations.sendEmails.look, { id: '5' }, 'sessions list --exam 5'],
  [operations.sendEmails.look, { id: '--yes' }, 'sessions list --exam=--yes'],
  [operations.sendEmails.look, {}, 'sessions list --exam :id'],
])('%s with %j is %s', (look, params, line) => {
  expect(typedLook(look, params)).toBe(line);
});
