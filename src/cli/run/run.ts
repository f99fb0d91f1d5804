/** Loaded by main once a command will run: context, execution, printing. */
import type { Result } from '../../command.ts';
import { inCI } from '../../host/host.ts';
import type { Format } from '../../model/format.ts';
import { render } from '../../output/index.ts';
import type { RunContext } from './context.ts';

export { createContext } from './context.ts';
export { execute } from './invocation.ts';

/** Prints a result in the current format. */
export async function print(result: Result, context: RunContext): Promise<void> {
  if (result.kind === 'nothing') return context.release();
  const { host, globals } = context;
  const reveal = globals.showSecrets || result.reveal === true;
  context.secrets.revealed = reveal;
  const settings = quietSettings(context);
  // A live result may run for hours, so its messages are not held back.
  if (result.kind === 'live') context.release();
  await render(result, {
    format: formatOf(result, context),
    ...(globals.columns === undefined ? {} : { columns: globals.columns }),
    showSecrets: reveal,
    secrets: context.secrets,
    timeZone: settings?.timeZone ?? host.zone(),
    color: wantsColor(context),
    plain: globals.plain,
    stdout: host.stdout,
    note: context.say,
    ...(context.written() ? { afterWrite: { warn: context.warn } } : {}),
    ...(wantsScreen(context) ? { terminal: host } : {}),
  });
  if (formatOf(result, context) === 'table') for (const line of result.advice ?? []) context.say(line);
  if (!result.failure) context.release();
  if (result.kind === 'one') await result.meanwhile?.();
}

function formatOf(result: Exclude<Result, { kind: 'nothing' }>, context: RunContext): Format {
  const { format } = context;
  return result.raw && format === 'table' && context.globals.output === undefined ? 'json' : format;
}

/** Settings for printing; a broken configuration must not keep `doctor` from printing. */
function quietSettings(context: RunContext) {
  try {
    return context.settings();
  } catch {
    return undefined;
  }
}

function wantsColor({ host, globals }: RunContext): boolean {
  const { NO_COLOR, FORCE_COLOR } = host.env;
  if (globals.noColor || NO_COLOR) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return host.stdout.isTTY && !globals.plain;
}

/** Whether a view may take over the terminal: not for a screen reader, a log or a debug run. */
function wantsScreen({ host, globals }: RunContext): boolean {
  return host.stdout.isTTY && !globals.plain && !globals.debug && !inCI(host);
}
