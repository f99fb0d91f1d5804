import { defineCommand } from '../../command.ts';
import { type SettingKey, settingKeys } from '../../config/profile-settings.ts';
import { readConfig } from '../../config/profiles.ts';
import { resolveSetting, settingSources } from '../../config/settings.ts';
import { unknownKeys } from '../../config/store.ts';
import { sentence } from '../../text/sentence.ts';
import { columns, settingRow } from './shared.ts';

export const command = defineCommand({
  name: 'config list',
  summary: 'List the settings, their values and their sources',
  effect: 'local',
  yields: true,
  flags: {
    all: { type: 'boolean', description: 'also the settings of the dialect that are not set' },
  },
  columns,
  async run(context, { all }) {
    const unknown = unknownKeys(readConfig(context.host));
    if (unknown) context.warn(sentence`warning: ${unknown}`);
    const sources = settingSources(context.host, context.globals);
    const isListed = (key: SettingKey) => all || !key.startsWith('dialect.') || resolveSetting(key, sources).from !== 'default';
    const rows = settingKeys.filter(isListed).map((key) => settingRow(key, sources));
    return { kind: 'list', rows, columns, id: 'setting' };
  },
  examples: {
    'proctor-cli config list': 'each comes from a flag, a variable, the profile or the default',
  },
});
