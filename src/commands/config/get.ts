import { defineCommand } from '../../command.ts';
import { profileSettings, settingKey } from '../../config/profile-settings.ts';
import { settingSources } from '../../config/settings.ts';
import { CliError } from '../../errors.ts';
import { sentence } from '../../text/sentence.ts';
import { columns, keyArgument, settingRow } from './shared.ts';

export const command = defineCommand({
  name: 'config get',
  summary: 'Print the current value of a setting',
  effect: 'local',
  yields: true,
  args: { key: keyArgument },
  columns,
  async run(context, values) {
    const key = settingKey(values.key);
    const row = settingRow(key, settingSources(context.host, context.globals));
    if (!profileSettings[key].secret) return { kind: 'one', row, columns, only: 'value' };
    throw new CliError('invalid_input', sentence`The ${key} is not shown here.`, {
      hint: 'Print it with: proctor-cli auth token',
    });
  },
  examples: { 'proctor-cli config get timeout': 'the limit for one request' },
});
