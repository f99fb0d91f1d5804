import { defineCommand } from '../../command.ts';
import { CliError } from '../../errors.ts';

export const command = defineCommand({
  name: 'auth token',
  summary: 'Print the current token',
  details: 'No other command prints it.',
  effect: 'local',
  columns: [{ key: 'token' }],
  async run(context) {
    const { sandbox, token: fetch } = context.settings();
    if (sandbox)
      throw new CliError('not_logged_in', 'The profile sandbox has no lasting token to print.', {
        hint: 'See: proctor-cli sandbox serve --help',
      });
    return { kind: 'one', row: { token: await fetch() }, columns: [{ key: 'token' }], only: 'token', reveal: true };
  },
  examples: { 'proctor-cli auth token': 'the token of the current profile, for another program' },
});
