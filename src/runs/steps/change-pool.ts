/** Proctors are added to the pool of an exam, or removed from it. */
import type { Moment } from '../../api/known.ts';
import { CliError, orElse, orGone } from '../../errors.ts';
import { type Json, textOfJson } from '../../model/json.ts';
import { addressKey } from '../../model/listing.ts';
import { typedCommand, typedOption } from '../../model/shell-quote.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import type { ActiveRun } from '../active-run.ts';
import { type Engine, type FreshReads, freshMs, maxReadAgeMs, type Pool } from '../engine.ts';
import type { Change, Execution } from '../execution.ts';
import { gone, type Inverse, stays, type Undoing } from '../undoing.ts';
import type { Looking, Loss, Observation, StepRules, VerdictOptions } from './rules.ts';
import { isFinal, notApplied, shownDone, untilShown } from './rules.ts';
import { type ChangePool, stepsOf } from './step.ts';
import { changedMeanwhile, noLongerThere, onSuccess } from './target.ts';

export const changePool: StepRules<ChangePool> = {
  locks: ({ exam }) => (typeof exam === 'string' ? [`exam ${exam}`] : []),
  mayTake: ({ exam, change }) => typeof exam === 'string' && change === 'remove',
  losses,
  precheck,
  isFulfilled,
  refusalIsFinal: false,
  onSuccess,
  onDenial: untilShown,
  isIdempotent: false,
  isVerifiable: true,
  list: () => null,
  observe,
  verdict,
  resend: 'planned anew',
  isReversible: true,
  inverse,
};

/** The proctors whom the pool does not show as the request demands. */
export async function poolLacks(
  reads: FreshReads,
  exam: string,
  { change, proctors }: Pick<ChangePool, 'change' | 'proctors'>,
): Promise<string[]> {
  return lacksOf(await reads.pool(exam), { change, proctors });
}

/** To be removed, a proctor is found by any value; that a proctor need not be added, only an ID or an address proves. */
function lacksOf({ named, proctors }: Pool, step: Pick<ChangePool, 'change' | 'proctors'>): string[] {
  return wrongIn(step.change === 'add' ? [named] : proctors, step);
}

function wrongIn(pool: Pool['proctors'], { change, proctors }: Pick<ChangePool, 'change' | 'proctors'>): string[] {
  const shown = new Set(pool.flat());
  return proctors.filter((proctor) => shown.has(keyOf(proctor)) === (change === 'remove')).map(textOfJson);
}

/** Its plan has only proctors whom the pool lacked; of a removal, only those whom it had. */
async function precheck(run: ActiveRun, execution: Execution<ChangePool>): Promise<Moment | Change> {
  const { step, id = '' } = execution;
  const { proctors, typed, change } = step;
  const there = { is: 'there', facts: { seen: true } } as const;
  if (isFulfilled(step)) return there;
  const shown = await orElse(run.engine.reads.pool(id, freshMs), (error): Change => ({ is: 'gone', error }), 'not_found');
  if ('is' in shown) return shown;
  const { proctors: pool, at } = shown;
  const lacks = lacksOf(shown, step);
  if (typed === undefined && lacks.length === 0) return there;
  if (typed === undefined && lacks.length < proctors.length) {
    const moved = proctors.map(textOfJson).filter((proctor) => !lacks.includes(proctor));
    const did = change === 'add' ? 'joined' : 'left';
    return changedMeanwhile('exam', id, `${moved.join(', ')} ${did} its pool`, lookAtPool(id));
  }
  const asked = new Set(proctors.map(keyOf));
  const others = proctors.length === 0 ? [] : pool.filter((values) => !values.some((value) => asked.has(value)));
  run.learn(execution, { error: undefined, untouched: { proctors: others.map(([first = '']) => first), lacks } });
  return at;
}

/** As the values of a pool are read. */
function keyOf(proctor: Json): string {
  return addressKey(textOfJson(proctor));
}

function lookAtPool(exam: string): Sentence {
  return sentence`Look at it: proctor-cli ${typedCommand('proctors list', [], typedOption('--exam', exam))}`;
}

async function observe({ run }: Looking, { step, id = '', untouched }: Execution<ChangePool>): Promise<Observation> {
  const read = await orGone(run.engine.reads.pool(id));
  if (!read) return { is: 'not there' };
  const { proctors: pool } = read;
  const shown = new Set(pool.flat());
  const others = (untouched?.proctors ?? []) as readonly string[];
  return { is: 'pool', wrong: wrongIn(pool, step), lost: others.filter((proctor) => !shown.has(proctor)) };
}

function isFulfilled({ proctors, typed }: ChangePool): boolean {
  return proctors.length === 0 && typed === undefined;
}

function verdict(execution: Execution<ChangePool>, observation: Observation, options: VerdictOptions): Change | undefined {
  if (observation.is === 'not there') return isFinal(execution, options) ? noLongerThere(execution) : undefined;
  if (observation.is !== 'pool') return undefined;
  const { wrong, lost } = observation;
  const { step, id = '' } = execution;
  const left = lost.length === 0 ? undefined : sentence`${lost.join(', ')} left it with this change`;
  if (wrong.length === 0 && left !== undefined) {
    const what = sentence`The pool of exam ${id} is as planned, but ${left}.`;
    const error = new CliError('partly_done', what, { hint: lookAtPool(id) });
    return { is: 'different', error, facts: { seen: true, owned: true } };
  }
  if (wrong.length === 0) return shownDone(execution, { owned: true }, sentence`the pool is as planned`);
  if (!isFinal(execution, options)) return undefined;
  const shows = step.change === 'remove' ? 'still shows' : 'does not show';
  return notApplied(execution, sentence`the pool ${shows} ${wrong.join(', ')}${left === undefined ? '' : sentence`, and ${left}`}.`);
}

/** A request that names nobody may mean the whole pool. */
async function losses(engine: Engine, { step, id = '' }: Execution<ChangePool>): Promise<Loss[]> {
  const { proctors: pool } = await engine.reads.pool(id, maxReadAgeMs(engine));
  const removed = new Set(step.proctors.map(keyOf));
  const isRemoved = (proctor: readonly string[]) => removed.size === 0 || proctor.some((value) => removed.has(value));
  return pool.length > 0 && pool.every(isRemoved) ? [{ exam: id, why: 'leave it without proctors' }] : [];
}

/** Exactly those whom its run added and who are in the pool, or whom it removed and who are not. */
async function inverse(undoing: Undoing, execution: Execution<ChangePool>): Promise<Inverse> {
  const { step, id = '', exam, untouched = {} } = execution;
  if (step.proctors.length === 0) return gone`it changed nothing`;
  if (exam === undefined) return stays`its exam is not known`;
  const change = step.change === 'add' ? 'remove' : 'add';
  // A request of `api` may name proctors who were as it wanted them.
  const changed = (untouched.lacks ?? step.proctors.map(textOfJson)) as readonly string[];
  const lacks = await orGone(poolLacks(undoing.engine.reads, id, { change, proctors: step.proctors }));
  if (!lacks) return undoing.missing('exam', execution);
  const proctors = step.proctors.filter((each) => [changed, lacks].every((of) => of.includes(textOfJson(each))));
  if (proctors.length === 0) return gone`it is as it was before`;
  return stepsOf([{ kind: 'change pool', exam, change, proctors }]);
}
