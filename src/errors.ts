/** Every way in which proctor-cli can fail. */
import { getSystemErrorMessage } from 'node:util';
import type { Said, Sentence } from './text/sentence.ts';

/** The exit status of each code, and the hint if there is no better one. */
export const errorTable = {
  internal: { exit: 1, hint: 'No request that changes anything was sent. Report this bug with the output of --debug.' },
  usage: { exit: 2, hint: 'Add --help to see what the command takes.' },
  needs_confirmation: { exit: 2, hint: 'Add --yes to confirm.' },
  needs_terminal: { exit: 2, hint: 'Give the missing values on the command line.' },
  invalid_input: { exit: 3, hint: 'Nothing was sent. Correct the value and run the command again.' },
  invalid_config: { exit: 3, hint: 'Show the configuration with: proctor-cli config list' },
  list_in_doubt: { exit: 3, hint: 'Nothing was sent. See what the lists of the service show: proctor-cli doctor' },
  output_failed: { exit: 3, hint: 'Free some space, or choose another place for the output.' },
  state_failed: { exit: 3, hint: 'Nothing more was sent. Check disk space and permissions, then run the same command again: it resumes.' },
  state_unavailable: { exit: 8, hint: 'Nothing more was sent. Once the database answers, run the same command again: it resumes.' },
  state_damaged: { exit: 3, hint: 'Nothing was sent. Restore the state folder from a backup, or move the database away.' },
  already_running: { exit: 8, hint: 'Nothing was sent. Wait until the other process ends, or stop it.' },
  not_logged_in: { exit: 4, hint: 'Set PROCTOR_TOKEN, or log in with: proctor-cli auth login' },
  token_refused: { exit: 4, hint: 'Check the token with: proctor-cli auth status' },
  unsupported: { exit: 5, hint: 'List the operations of the service with: proctor-cli api --list' },
  not_found: { exit: 6, hint: 'Check the ID against the output of the list command.' },
  nothing_selected: { exit: 6, hint: 'List what there is with: proctor-cli exams list' },
  rejected: { exit: 7, hint: "Correct what the service's message names, and run the command again." },
  not_applied: { exit: 7, hint: 'Check the current state of the resource before you retry.' },
  unavailable: { exit: 8, hint: 'Retry later. If it lasts, report it to the operator of the service.' },
  rate_limited: { exit: 8, hint: 'Wait as long as the service asks, then run the command again.' },
  network: { exit: 8, hint: 'Check the address, the network and HTTPS_PROXY: proctor-cli config get baseUrl' },
  timeout: { exit: 8, hint: 'Retry, or allow more time with --timeout 2m.' },
  redirected: { exit: 8, hint: 'If the service has moved, set its new address. See where it is set: proctor-cli config list' },
  bad_answer: { exit: 8, hint: 'Check that the base URL is that of the service; --debug shows the answer.' },
  partly_done: { exit: 9, hint: 'Each failed item is reported above; run the command again for those only.' },
  outcome_unknown: { exit: 10, hint: 'Check the current state before you run the command again.' },
  differences: { exit: 11, hint: 'Nothing was changed. The output has a row for each difference.' },
  already_there: { exit: 11, hint: 'Nothing was sent. --if-not-exists accepts it, --allow-duplicate creates a second.' },
  different: { exit: 11, hint: 'Nothing was sent. It is there with other values than those given.' },
  already_mailed: {
    exit: 11,
    hint: 'Nothing was sent. --unless-mailed leaves out exams with students who were mailed, --resend mails all again.',
  },
  already_moved: { exit: 11, hint: 'Nothing was sent.' },
  unfinished: { exit: 11, hint: 'Nothing was sent. List the open runs with: proctor-cli runs list --open' },
  changed_meanwhile: { exit: 11, hint: 'Nothing was sent. Look at the difference, then run the command again.' },
  exam_running: {
    exit: 12,
    hint: 'Wait until it is over. To send it all the same: --during-exam "REASON", then type the ID of the exam; in a script, add --yes.',
  },
  interrupted: { exit: 130, hint: 'Nothing more was sent. Run the same command again to go on.' },
  terminated: { exit: 143, hint: 'Nothing more was sent. Run the same command again to go on.' },
} as const satisfies Record<string, { exit: number; hint: string }>;

export type ErrorCode = keyof typeof errorTable;

/** What is done cannot be recorded: nothing more may be sent. */
export const stateErrors: readonly ErrorCode[] = ['state_failed', 'state_unavailable', 'state_damaged'];

/** One failure of several: of an ID, in a line of a file, or a column that nobody declared. */
export type ErrorItem =
  | { id: string | number | bigint; code: ErrorCode; message: Sentence }
  | { line: number; column: string | null; value: string | null; reason: Sentence }
  | { column: number; header: string; values: readonly FoundValue[] };
type FoundValue = { value: string; count: number; line: number };

type Text = string | undefined;
type Details<Hint extends Text = Text> = {
  hint?: Hint & Said<Hint>;
  /** HTTP status of the answer. */
  status?: number | undefined;
  items?: readonly ErrorItem[] | undefined;
  cause?: unknown;
};

/** The only error that is thrown on purpose: anything else that reaches `main` is a bug. */
export class CliError<const Message extends string = string, const Hint extends Text = Text> extends Error {
  override readonly name = 'CliError';
  declare readonly message: Sentence;
  readonly code: ErrorCode;
  readonly exit: number;
  readonly hint: Sentence;
  readonly status: number | undefined;
  readonly items: Details['items'];

  constructor(code: ErrorCode, message: Message & Said<Message>, details: Details<Hint> = {}) {
    // No stack of such an error is shown, and an import creates one for each line.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.exit = errorTable[code].exit;
    this.hint = (details.hint ?? errorTable[code].hint) as string as Sentence;
    this.status = details.status;
    this.items = details.items;
  }
}

export function isInterruption({ code }: { code: ErrorCode }): boolean {
  return code === 'interrupted' || code === 'terminated';
}

/** A caught error that is answered: of these codes, or of any. What stopped the command, and a bug, are thrown on. */
export function expected(error: unknown, ...codes: readonly ErrorCode[]): CliError {
  const isExpected = error instanceof CliError && !isInterruption(error) && (codes.length === 0 || codes.includes(error.code));
  if (isExpected) return error;
  throw error;
}

/** The value, or what an expected error means. */
export function orElse<T, U>(
  act: Promise<T>,
  meaning: (error: CliError) => U | Promise<U>,
  ...codes: readonly ErrorCode[]
): Promise<T | U> {
  return act.catch((error: unknown) => meaning(expected(error, ...codes)));
}

/** Undefined for what does not exist. */
export function orGone<T>(act: Promise<T>): Promise<T | undefined> {
  return orElse(act, () => undefined, 'not_found');
}

/** A system's error for the end of a sentence: "permission denied (EACCES)". Any other error keeps its message. */
export function systemReason(error: unknown): string {
  const { errno, code, message } = error as NodeJS.ErrnoException;
  return errno === undefined ? message.replace(/\.$/, '') : `${getSystemErrorMessage(errno)} (${code})`;
}
