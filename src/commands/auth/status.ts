import { type Column, defineCommand } from '../../command.ts';
import { existingNameInForce, nameInForce, profileNamed, readConfig, sandboxProfile } from '../../config/profiles.ts';
import { settingsOf } from '../../config/settings.ts';
import { tokenSource } from '../../config/token.ts';
import { type CliError, expected } from '../../errors.ts';
import { maskedToken } from '../../model/secrets.ts';

const statusColumns: readonly Column[] = [
  { key: 'profile' },
  { key: 'current', as: 'boolean' },
  { key: 'baseUrl', title: 'base URL', identifies: 'whole' },
  { key: 'token' },
  { key: 'problem' },
];

export const command = defineCommand({
  name: 'auth status',
  summary: 'List the profiles, and what is wrong with each',
  details: 'Sends nothing. Fails if the current profile cannot be used; the hint names the command that fixes it.',
  effect: 'local',
  yields: true,
  columns: statusColumns,
  async run({ host, globals }) {
    const config = readConfig(host);
    // A typed name that is none may be a token: it is refused, not listed.
    const isTyped = globals.profile !== undefined || Boolean(host.env.PROCTOR_PROFILE);
    const current = isTyped ? existingNameInForce(host, globals, config) : nameInForce(host, globals, config);
    const all = new Set([current, ...Object.keys(config.profiles), sandboxProfile]);
    const rows = [];
    let failure: CliError | undefined;
    for (const name of globals.profile === undefined ? all : [current]) {
      const unknown: { baseUrl: string | null; token: string | null } = { baseUrl: null, token: null };
      const row = { profile: name, current: name === current, ...unknown };
      try {
        if (row.current) existingNameInForce(host, globals, config);
        const profile = profileNamed(config, name);
        const settings = settingsOf({ host, globals, name, profile });
        row.baseUrl = settings.sandbox ? 'built in' : settings.baseUrl;
        // Only the token command of the current profile is run.
        const hasToken = !settings.sandbox && (row.current || !tokenSource(host, name, profile)?.runs);
        if (hasToken) row.token = maskedToken(await settings.token());
        rows.push({ ...row, problem: null });
      } catch (error) {
        const problem = expected(error);
        if (row.current) failure = problem;
        rows.push({ ...row, problem: problem.message });
      }
    }
    return { kind: 'list', rows, columns: statusColumns, id: 'profile', failure };
  },
  examples: { 'proctor-cli auth status': 'every profile; sandbox is built in' },
});
