/** The options that every command takes, before or after it. */
import type { Command, Option } from 'commander';
import type { Command as CommandRecord, Completes, Globals } from '../../command.ts';
import { formats } from '../../model/format.ts';

type GlobalOption = {
  flags: string;
  does: string;
  choices?: readonly string[];
  complete?: Completes;
  /** The commands in which it has an effect; absent: all. Help and completion offer it nowhere else. */
  within?(command: Pick<CommandRecord, 'effect' | 'takes'>): boolean;
};

export const globalOptions: readonly GlobalOption[] = [
  { flags: '-o, --output <format>', does: 'output format', choices: formats },
  { flags: '--columns <fields>', does: 'fields to print, separated by commas; "help" lists them', complete: 'columns' },
  { flags: '--profile <name>', does: 'profile to use; "sandbox" is the embedded service', complete: 'profiles' },
  { flags: '--base-url <url>', does: "address of the service, instead of the profile's" },
  { flags: '--yes', does: 'answer yes to every question' },
  { flags: '--no-input', does: 'never prompt; fail if an answer is required' },
  {
    flags: '--during-exam <reason>',
    does: 'act on a running exam; the reason is recorded',
    within: ({ takes }) => takes === true,
  },
  { flags: '--dry-run', does: 'show what would be sent; only reads are made', within: ({ effect }) => effect !== 'local' },
  { flags: '-q, --quiet', does: 'print only data and errors' },
  { flags: '--debug', does: 'show requests and answers on stderr, without secrets' },
  { flags: '--timeout <duration>', does: 'limit for one request, such as 30s or 2m' },
  { flags: '--timezone <zone>', does: 'time zone of local times, such as Europe/Vienna', complete: 'zones' },
  { flags: '--no-color', does: 'print without colours' },
  { flags: '--plain', does: 'for screen readers: words instead of bars and symbols' },
  { flags: '--show-secrets', does: 'print secrets in answers unmasked' },
];

/** The options of every command that have an effect in one; without it, all of them. */
export function globalOptionsOf(command?: Pick<CommandRecord, 'effect' | 'takes'>): readonly GlobalOption[] {
  return globalOptions.filter(({ within }) => command === undefined || within === undefined || within(command));
}

/** `make` creates an option of commander; help needs none. */
export function addGlobalOptions(root: Command, make: (flags: string, choices?: readonly string[]) => Option) {
  for (const { flags, choices } of globalOptions) root.addOption(make(flags, choices));
}

/** The values of the global options, as commander has parsed them. */
export function globalsOf(options: Record<string, unknown>): Globals {
  const { output, columns, profile, baseUrl, timeout, timezone, duringExam } = options as Partial<Record<string, string>>;
  const given = Object.fromEntries(
    Object.entries({ output, columns, profile, baseUrl, timeout, timezone, duringExam }).filter(([, value]) => value !== undefined),
  );
  return {
    ...given,
    yes: options.yes === true,
    noInput: options.input === false,
    dryRun: options.dryRun === true,
    quiet: options.quiet === true,
    debug: options.debug === true,
    noColor: options.color === false,
    plain: options.plain === true,
    showSecrets: options.showSecrets === true,
  };
}
