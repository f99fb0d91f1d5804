/** Whether a create, or somebody else, has made a record: one comparison, whether its answer came, was lost, or said no. */
import { CliError } from '../../errors.ts';
import { differences } from '../../model/compare.ts';
import { nameOf } from '../../model/describe.ts';
import type { JsonObject } from '../../model/json.ts';
import { addressIn, otherStudent } from '../../model/listing.ts';
import { capitalised, count, sentence } from '../../text/sentence.ts';
import { withoutVerdict } from '../classify-response.ts';
import { type Change, type Execution, isRefusedAsThere } from '../execution.ts';
import { differs, isAnswered, isFinal, isRefused, notApplied, type Observation, staysUnknown, type VerdictOptions } from './rules.ts';
import { type Create, lookAt, resourceOf } from './step.ts';

type Shown = Extract<Observation, { is: 'shown' }>;
type Candidates = Extract<Observation, { is: 'candidates' }>;

/** How a record differs from its create, in words, and what it does not show. The address, by which it was found, is left out. */
export function comparedWith(step: Create, shown: JsonObject, zone: string) {
  const { email: _address, ...values } = step.body;
  const { different, notShown } = differences(resourceOf(step), values, shown, zone);
  const isHidden = step.student.email !== undefined && addressIn(shown) === undefined;
  return { different, notShown: isHidden ? ['email', ...notShown] : notShown };
}

export function verdict(execution: Execution<Create>, observation: Observation, options: VerdictOptions): Change | undefined {
  if (observation.is === 'candidates') return verdictOnCandidates(execution, observation, options);
  if (observation.is === 'shown') return verdictOnShown(execution, observation, options);
  if (!isFinal(execution, options)) return undefined;
  if (observation.is === 'not there' && observation.isGone) return goneWithExam(execution);
  return isRefused(execution) ? { is: 'rejected', error: execution.error } : acceptedUnshown(execution);
}

/** The service has said yes: it is never called absent. */
function acceptedUnshown({ step, id, code, error }: Execution<Create>): Change {
  if (error || code !== '2xx') return { is: 'unknown', error };
  const named = id === undefined ? '' : sentence` and named ${nameOf(resourceOf(step), id)}`;
  return {
    is: 'unknown',
    error: new CliError('outcome_unknown', sentence`The service accepted the request${named}, but no read shows it.`),
  };
}

function goneWithExam({ exam, code, error }: Execution<Create>): Change {
  const why = code === '2xx' ? 'The service accepted the request, but' : withoutVerdict(error);
  const gone = code === '2xx' ? 'partly_done' : 'not_found';
  return { is: 'gone', error: new CliError(gone, sentence`${why} exam ${exam} is no longer there.`) };
}

/** The verdict on a create that a read shows. The list has to show it, too: the next command would miss it otherwise. */
function verdictOnShown(execution: Execution<Create>, observation: Shown, { isLast, zone, run }: VerdictOptions): Change | undefined {
  const { step, storedAs, id = '', exam } = execution;
  const { data, alike = [], unlisted, isUnplaced, isOther = false } = observation;
  if (unlisted !== undefined && !isLast) return undefined;
  if (alike.length > 1) return { is: 'duplicate', error: doubled(execution, alike, run), facts: { seen: true, shown: data } };
  const judgesAddress = resourceOf(step) === 'session' && (isOther || !storedAs);
  const other = judgesAddress ? otherStudent(step.student.email, data) : undefined;
  if (isUnplaced && other === undefined) {
    if (!isLast) return undefined;
    const shows = sentence`The list of exam ${exam} lacks the student, whose session shows no exam`;
    return { ...staysUnknown(execution, shows), facts: { id: undefined, owned: false } };
  }
  // An address that its answer did not show may be that of somebody whom a colleague has given the session.
  const change = judged(execution, { id, data }, isOther ? 'perhaps ours' : 'ours', zone, other);
  return { ...change, facts: { ...change.facts, unlisted } };
}

function verdictOnCandidates(execution: Execution<Create>, sight: Candidates, options: VerdictOptions): Change | undefined {
  const { found, strangers, lacking } = sight;
  const { isLast, run, zone } = options;
  const { step, code = '', error } = execution;
  const noun = resourceOf(step);
  const fresh = found.filter((each) => each.isNew);
  const [one] = fresh;
  if (fresh.length > 1) {
    const ids = fresh.map(({ id }) => id);
    return { is: 'duplicate', error: doubled(execution, ids, run), facts: { seen: true } };
  }
  const there = one ?? (step.isAnother ? undefined : found[0]);
  if (there) {
    const change = judged(execution, there, !there.isNew || isRefusedAsThere(execution) ? 'theirs' : 'perhaps ours', zone);
    // With other values it may be a colleague's, and the request may still arrive.
    return change.is === 'different' && !isLast && !isAnswered(execution) && code !== '2xx' ? undefined : change;
  }
  if (strangers.length > 0 && !isRefused(execution)) return isLast ? mayBeOther(execution, strangers, run) : undefined;
  if (code === 'denied') return notApplied(execution, sentence`no ${noun} that matches what was sent is shown.`);
  const isAccepted = code === '2xx' || code === 'was there';
  if (isAnswered(execution) && !isAccepted) return { is: 'rejected', error };
  if (!isLast) return undefined;
  if (isAccepted) return acceptedUnshown(execution);
  if (lacking) return staysUnknown(execution, lacking.message, lacking.hint);
  const what = sentence`${withoutVerdict(error)} A later look proves that it was not carried out.`;
  const absent = new CliError('unavailable', what, { hint: 'Run the same command again: it sends the request again.' });
  return { is: 'absent', error: absent };
}

type Whose = 'ours' | 'perhaps ours' | 'theirs';

/** `other`: whose address it shows. */
function judged(execution: Execution<Create>, found: { id: string; data: JsonObject }, whose: Whose, zone: string, other?: string): Change {
  const { step, owned, storedAs } = execution;
  const { id, data: shown } = found;
  const noun = resourceOf(step);
  const facts = { seen: true, id, owned: whose === 'ours', shown };
  const { different: values, notShown } = comparedWith(step, shown, zone);
  const different = other === undefined ? values : [other, ...values];
  if (different.length > 0) {
    const error = differs({ ...execution, id }, owned ? 'was created' : 'is there', different, 'Do not create it again.');
    const theirs = new CliError('different', error.message, { hint: error.hint });
    return { is: 'different', error: whose === 'theirs' ? theirs : error, facts };
  }
  if (whose === 'theirs') {
    const note = sentence`${capitalised(nameOf(noun, id))} was there already.`;
    return { is: 'there', note, facts, notShown };
  }
  const ours = storedAs === undefined ? undefined : sentence`Stored as ${storedAs}.`;
  const note = whose === 'ours' ? ours : sentence`The answer was lost or unclear; the list shows ${noun} ${id}.`;
  return { is: 'done', note, facts, notShown };
}

/** The outcome while a new record may be the one, stored under another address, name or start. */
function mayBeOther(execution: Execution, strangers: readonly string[], run: string): Change {
  const noun = resourceOf(execution.step);
  const which = sentence`${count(strangers.length, `new ${noun}`)} of unknown origin (${strangers.join(', ')})`;
  const shows = sentence`The list has ${which}, which may be this ${noun === 'exam' ? noun : 'student'}`;
  const look = lookAt(noun, strangers[0] ?? '');
  return staysUnknown(execution, shows, sentence`${look}; if it is somebody else's: proctor-cli runs close ${run}`);
}

function doubled({ id, owned, step }: Execution, ids: readonly string[], run: string): CliError {
  const noun = resourceOf(step);
  const match = sentence`${ids.length} ${noun}s match what was sent: ${ids.join(', ')}.`;
  if (owned) {
    const hint = sentence`Compare them; to delete the one of this run: proctor-cli runs undo ${run}`;
    return new CliError('partly_done', sentence`${match} This run created ${noun} ${id}.`, { hint });
  }
  const what = sentence`${match} It is unknown which of them this run created.`;
  return new CliError('partly_done', what, { hint: lookAt(noun, ids[0] ?? '') });
}
