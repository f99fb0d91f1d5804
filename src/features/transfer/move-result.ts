/** What became of each student who was to move, from the steps of the run: moved, in both exams, unknown, failed or not tried. */
import type { Client } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import type { Column, Context, Result, Row } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { addressIn, addressKey } from '../../model/address-key.ts';
import { firstLines } from '../../model/first-of.ts';
import { idAs } from '../../model/id.ts';
import { isJsonObject } from '../../model/json.ts';
import { typedCommand, typedOption } from '../../model/shell-quote.ts';
import { type Ended, isGood, type Outcome } from '../../runs-before/index.ts';
import { sentence } from '../../text/sentence.ts';
import { bothInWords, type Choice } from './choosing.ts';

export const moveColumns: readonly Column[] = [
  { key: 'session' },
  { key: 'email' },
  { key: 'from' },
  { key: 'to' },
  { key: 'as' },
  { key: 'result', identifies: true },
  { key: 'problem' },
];

/** `all`: its steps; the deletion is one of them. `made`: the session there, once the student has it. */
type Student = { deletion: Outcome; all: readonly Outcome[]; create: Outcome | undefined; made: string | undefined };

type Resulting = { to: string; rest: Choice | undefined };

export function moveResult(context: Context, client: Client, ended: Ended, { to, rest }: Resulting): Result {
  const outcomes = [...ended.outcomes()];
  const refused = rest?.refused ?? [];
  const before = rest?.before ?? [];
  const ends = outcomes
    .filter(({ step }) => step.operation.id === operations.deleteSession.id)
    .map((deletion) => endOf(studentOf(deletion, outcomes), ended, to));
  // Of a run that was resumed: sessions that could not be moved then, and can be now.
  const known = new Set(ends.map(({ outcome }) => outcome.id));
  const later = ended.run === undefined ? [] : (rest?.moving ?? []).filter(({ session }) => !known.has(session));
  const left = later.map(({ session: id }) => ({
    id,
    error: new CliError('partly_done', sentence`Session ${id} is not in the run that was resumed.`, {
      hint: 'Run the command again for it.',
    }),
    result: 'not tried',
  }));
  const also = [...refused, ...left];
  const [only] = also;
  if (only && also.length === 1 && ends.length === 0 && before.length === 0) throw only.error;
  if (ends.length === 0 && also.length === 0 && before.length === 0) context.say('No sessions to move.');
  for (const { outcome } of ends) if (outcome.stored !== undefined) context.say(sentence`Stored as ${outcome.stored}.`);
  const failure = ended.failure({
    did: 'moved',
    idType: client.idType('session'),
    of: ends.map(({ outcome }) => outcome),
    also,
    follows: ends.some(({ wrote }) => wrote),
  });
  const single = failure !== undefined && ends.length + also.length === 1 && !ended.stopped;
  const problems = ends.flatMap(({ outcome: { error } }) => (error ? [error] : []));
  if (!single) for (const line of firstLines(problems, ({ message }) => message)) context.warn(line);
  const types = { session: client.idType('session'), exam: client.idType('exam') };
  const rows: Row[] = [
    ...before,
    ...ends.map(({ outcome, result, made }) => {
      const { step, id = '', error } = outcome;
      return {
        session: idAs(id, types.session),
        email: step.email ?? null,
        from: step.exam === undefined ? null : idAs(step.exam, types.exam),
        to: idAs(to, types.exam),
        as: made === undefined ? null : idAs(made, types.session),
        result,
        ...(error ? { problem: error.message } : {}),
      };
    }),
    ...also.map(({ id, error, result }) => ({
      ...{ session: idAs(id, types.session), email: null, from: null, to: null, as: null, result },
      problem: error.message,
    })),
  ];
  return { kind: 'list', rows, columns: moveColumns, id: 'as', ...(failure ? { failure } : {}) };
}

function studentOf(deletion: Outcome, outcomes: readonly Outcome[]): Student {
  const { step } = deletion;
  const all = (step.after ?? []).flatMap((index) => outcomes[index] ?? []);
  const create = step.proven === undefined ? undefined : outcomes[step.proven];
  const made = create ? (isThere(create) && create.id !== deletion.id ? create.id : undefined) : step.provenId;
  return { deletion, all: [...all, deletion], create, made };
}

/** Whether the student has a session there: another person's, which the service named in its place, is none. */
function isThere({ state, shown, step: { email = '' } }: Outcome): boolean {
  if (!isGood(state) && state !== 'different' && state !== 'duplicate') return false;
  const address = isJsonObject(shown) ? addressIn(shown, { plain: true }) : undefined;
  return isGood(state) || address === undefined || addressKey(address) === addressKey(email);
}

/** `outcome`: one for the student, in place of all of its steps. `wrote`: something of it was written, although it is not done. */
type End = { outcome: Outcome; result: string; made: string | undefined; wrote: boolean };

function endOf({ deletion, all, create, made }: Student, ended: Ended, to: string): End {
  const sentNow = all.some((each) => each.sentNow);
  const stored = all.find((each) => each.stored !== undefined)?.stored;
  const end = (result: string, state: Outcome['state'], error?: CliError): End => ({
    outcome: { ...deletion, state, sentNow, error, ...(stored === undefined ? {} : { stored }) },
    result,
    made,
    wrote: state !== 'done' && all.some((each) => each.sentNow && (isGood(each.state) || each.state === 'different')),
  });
  if (isGood(deletion.state) || (deletion.state === 'gone' && made !== undefined)) {
    const failed = all.find((each) => each !== deletion && !isGood(each.state));
    return failed?.state === 'gone' ? end('failed', 'different', inNone(failed, to)) : end('moved', failed?.state ?? 'done', failed?.error);
  }
  // The service has named a session that is not this student's: nobody knows what it did.
  const misnamed = create && made === undefined && ['there', 'different', 'changed', 'gone'].includes(create.state) ? create : undefined;
  const open = all.find(({ state }) => isUnclear(state)) ?? misnamed;
  if (open) {
    const said = open.error?.message ?? (open === misnamed ? `It was answered with session ${open.id ?? ''}.` : 'The answer was lost.');
    const state = isUnclear(open.state) ? open.state : 'unknown';
    return end(made === undefined || open === deletion ? 'unknown' : 'in both', state, maybeInBoth(deletion, to, said));
  }
  if (deletion.state === 'changed' && deletion.error?.code === 'outcome_unknown') return end('unknown', 'unknown', deletion.error);
  const bad = all.find(({ state }) => !isGood(state) && state !== 'gone' && state !== 'planned' && state !== 'skipped');
  // Refused as often as it was tried, it is planned still.
  const tried = all.find(({ state, error }) => state === 'planned' && error !== undefined);
  const why = bad?.error ?? tried?.error ?? deletion.error ?? (deletion.state === 'gone' ? undefined : ended.stopped);
  const other = deletion.state === 'changed' ? otherAddress(deletion) : undefined;
  if (made !== undefined && other !== undefined) return end('kept', 'different', givenAway(deletion, { made, to, other }));
  if (made !== undefined) {
    const created = create?.ours === true;
    const differs = deletion.error?.code === 'differences';
    const error = inBoth(deletion, { made, created, to, why: differs ? deletion.error : why });
    return end('in both', deletion.state === 'planned' ? 'planned' : 'different', error);
  }
  if (!why || (deletion.state === 'planned' && !bad && !tried)) return end('not tried', 'planned');
  return end('failed', bad?.state ?? deletion.state, why);
}

function isUnclear(state: Outcome['state']): boolean {
  return state === 'unknown' || state === 'confirmed' || state === 'absent';
}

function maybeInBoth({ step, id = '' }: Outcome, to: string, why: string): CliError {
  return new CliError(
    'outcome_unknown',
    sentence`${step.email ?? 'The student'} may be in exam ${to} as well as here, in session ${id}: ${why}`,
    {
      hint: sentence`Check with: proctor-cli sessions list ${typedOption('--exam', to)}`,
    },
  );
}

/** Another client has deleted the session there after it had been read, and before the deletion here: no read can see that before. */
function inNone({ step: { email }, error }: Outcome, to: string): CliError {
  return new CliError('partly_done', sentence`${email ?? 'The student'} is in neither exam: ${error?.message ?? ''}`, {
    hint: sentence`To add the student there: proctor-cli sessions create ${typedOption('--exam', to)} ${typedOption('--email', email ?? 'ADDRESS')}`,
  });
}

/** The address that the session shows, where it is not that of the student who was to move. */
function otherAddress({ shown, step: { email } }: Outcome): string | undefined {
  const address = isJsonObject(shown) ? addressIn(shown, { plain: true }) : undefined;
  return address === undefined || email === undefined || addressKey(address) === addressKey(email) ? undefined : address;
}

/** The session here is no longer the student's: the one there is the only one, and is not offered for deletion. */
function givenAway({ step, id = '' }: Outcome, { made, to, other }: { made: string; to: string; other: string }): CliError {
  const here = step.exam === undefined ? '' : ` of exam ${step.exam}`;
  return new CliError(
    'partly_done',
    sentence`${step.email ?? 'The student'} is in exam ${to}, as session ${made}. Session ${id}${here} was kept, because it now belongs to ${other}.`,
    {
      hint: sentence`Check it: proctor-cli ${typedCommand('sessions get', [id])}`,
    },
  );
}

function inBoth(
  { step, id = '' }: Outcome,
  { made, created, to, why }: { made: string; created: boolean; to: string; why: CliError | undefined },
): CliError {
  // A session that was there before is the student's own: it is not offered for deletion.
  const hint = created
    ? sentence`Run the same command again to finish the move. To keep the student here: proctor-cli ${typedCommand('sessions delete', [made])}`
    : sentence`Compare: proctor-cli ${typedCommand('sessions get', [id])}; proctor-cli ${typedCommand('sessions get', [made])}`;
  const both = bothInWords(step.email, { session: id, exam: step.exam, made, to });
  return new CliError(created ? 'partly_done' : 'not_applied', sentence`${both} ${why?.message ?? 'Nothing more was tried.'}`, {
    hint: why?.code === 'differences' ? why.hint : hint,
  });
}
