import { defineCommand } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { type JsonObject, textOfJson } from '../../model/json.ts';
import { typedCommand, typedOption } from '../../model/shell-quote.ts';
import { sentence } from '../../text/sentence.ts';
import { put, timesColumns } from '../shared.ts';
import { sessionFields, sessions } from './shared.ts';

export const command = defineCommand({
  name: 'sessions update',
  summary: "Change students' sessions",
  details:
    'All sessions get the same values, and each has a row with its result. A failure does not stop the others, but makes the exit status non-zero. Three unclear answers in a row end the command.',
  args: { ids: sessions },
  effect: 'write',
  takes: true,
  flags: { ...sessionFields, put },
  writes: { resource: 'session', writing: 'update' },
  columns: timesColumns,
  async run(context, { ids, put, body, typedTimes }) {
    if (ids.length > 1) refuseSameStudent(ids, body, context.settings().dialect.sessionNameKey);
    const { updateSessions } = await import('../../features/crud/confirmed-writes.ts');
    return updateSessions(context, { ids, body, typedTimes, put: put === true });
  },
  examples: {
    'proctor-cli sessions update 5 --close-time +30m': 'let the student start within the next half hour',
    'proctor-cli sessions update 37 38 --open-time 2027-02-01T08:00Z': 'the same opening time for two students',
  },
});

/** All but one of the students would lose their own. */
function refuseSameStudent([id = '']: readonly string[], body: JsonObject, nameKey: string) {
  const key = ['email', nameKey].find((each) => Object.hasOwn(body, each));
  if (key === undefined) return;
  throw new CliError('usage', sentence`${key} would be the same for several students.`, {
    hint: sentence`Change it session by session: proctor-cli ${typedCommand('sessions update', [id], typedOption('-f', `${key}=${textOfJson(body[key] ?? '')}`))}`,
  });
}
