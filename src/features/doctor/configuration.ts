/** Checks the setup: the file and its permissions, the zone, the address, the token. */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { configPath } from '../../config/file.ts';
import { configFolderIfAny } from '../../config/folders.ts';
import { shellQuoted } from '../../model/shell-quote.ts';
import { type Check, failed, ok, skipped, warning } from './check.ts';

export const configuration: Check = {
  name: 'configuration',
  find(context) {
    const { host } = context;
    const { profile } = context.settings();
    if (configFolderIfAny(host) === undefined) return ok(`profile ${profile}; no folder for the configuration`);
    const path = configPath(host);
    if (modeOf(path) === undefined) return ok(`profile ${profile}; not stored yet (${path})`);
    const open = host.platform === 'win32' ? [] : [dirname(path), path].filter((each) => ((modeOf(each) ?? 0) & 0o077) !== 0);
    if (open.length === 0) return ok(`profile ${profile} of ${path}`);
    return warning(
      `profile ${profile}; ${open.join(' and ')} can be read by others`,
      `Make it private: chmod go= ${open.map(shellQuoted).join(' ')}`,
    );
  },
};

function modeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mode;
}

/** Found out here: without it, each request would fail for it. */
export const log: Check = {
  name: 'log',
  after: ['configuration'],
  async find({ host, settings, profileOption }) {
    const { log: set } = settings();
    if (!set) return ok('none is written');
    const [{ checkLogFile }, { whyNotWritten }] = await Promise.all([
      import('../../state/log-file.ts'),
      import('../../state/why-not-written.ts'),
    ]);
    try {
      checkLogFile(set.path, host.platform);
    } catch (error) {
      const remedy = set.source.startsWith('profile')
        ? `Log to another file, or to none: proctor-cli config unset logFile${profileOption()}`
        : `Name another file, or /dev/null, in ${set.source}.`;
      return failed('output_failed', `${set.path} (${set.source}) cannot be written: ${whyNotWritten(error)}`, remedy);
    }
    return ok(`${set.path} (${set.source})`);
  },
};

export const timeZone: Check = {
  name: 'time zone',
  after: ['configuration'],
  find(context) {
    const { timeZone: zone } = context.settings();
    if (zone !== undefined) return ok(zone);
    const here = shellQuoted(context.host.zone());
    return warning(
      'none set: times without an offset are refused',
      `Set the zone of your exams: proctor-cli config set timezone ${here}${context.profileOption()}`,
    );
  },
};

export const origin: Check = {
  name: 'origin',
  after: ['configuration'],
  find(context) {
    const { sandbox, baseUrl } = context.settings();
    if (sandbox) return ok('the embedded service, on this machine');
    if (baseUrl !== '') return ok(`${baseUrl} (from: ${context.addressSource()})`);
    return failed('not_logged_in', 'no service address is set', `Log in with: proctor-cli auth login${context.profileOption()}`);
  },
};

export const token: Check = {
  name: 'token',
  after: ['configuration', 'origin'],
  async find(context) {
    const { sandbox, token: fetch } = context.settings();
    if (sandbox) return ok('from the embedded service');
    if (context.offline && context.tokenRuns()) return skipped('offline: the token command may need the network');
    const { source } = await fetch();
    const file = context.host.env.PROCTOR_TOKEN_FILE;
    if (file && context.host.platform !== 'win32' && ((modeOf(file) ?? 0) & 0o077) !== 0) {
      return warning(`from ${source}, which can be read by others`, `Make it private: chmod go= ${shellQuoted(file)}`);
    }
    return ok(`from ${source}`);
  },
};
