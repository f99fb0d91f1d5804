/** What main loads once it is clear that a command will run: context, execution, printing. */
import type { Result } from '../command.ts';
import { render } from '../output/index.ts';
import { outputFormat, type RunContext } from './context.ts';

export { createContext } from './context.ts';
export { execute } from './execute.ts';

/** Prints a result in the format in force. */
export async function print(result: Result, context: RunContext): Promise<void> {
  if (result.kind === 'nothing') return context.release();
  const { host, globals } = context;
  const reveal = globals.showSecrets || result.reveal === true;
  const settings = quietSettings(context);
  await render(result, {
    format: outputFormat(context),
    ...(globals.columns === undefined ? {} : { columns: globals.columns }),
    showSecrets: reveal,
    secrets: reveal ? [] : context.secrets,
    timeZone: settings?.timeZone ?? host.zone(),
    idKey: settings?.dialect.idKey ?? 'id',
    color: wantsColor(context),
    stdout: host.stdout,
    note: context.say,
  });
  if (!result.failure) context.release();
  if (result.kind === 'one') await result.meanwhile?.();
}

/** Settings for printing; a broken configuration must not keep `doctor` or `config path` from printing. */
function quietSettings(context: RunContext) {
  try {
    return context.settings();
  } catch {
    return undefined;
  }
}

function wantsColor({ host, globals }: RunContext): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = host.env;
  if (globals.noColor || NO_COLOR) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return host.stdout.isTTY && TERM !== 'dumb';
}
