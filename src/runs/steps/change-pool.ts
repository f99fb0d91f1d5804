/** Proctors are added to the pool of an exam, or removed from it. */
import { type Moment, momentOf } from '../../api/known.ts';
import { textOfJson } from '../../model/json.ts';
import { addressKey } from '../../model/listing.ts';
import { sentence } from '../../text/sentence.ts';
import type { ActiveRun } from '../active-run.ts';
import { type Engine, type FreshReads, maxReadAgeMs } from '../engine.ts';
import type { Change, Execution } from '../execution.ts';
import { gone, type Inverse, stays, type Undoing } from '../undoing.ts';
import { isFinal, type Loss, notApplied, type Observation, type StepRules, shownDone, untilShown, type VerdictOptions } from './rules.ts';
import { type ChangePool, stepsOf } from './step.ts';
import { onSuccess } from './target.ts';

export const changePool: StepRules<ChangePool> = {
  locks: ({ exam }) => (typeof exam === 'string' ? [`exam ${exam}`] : []),
  mayTake: ({ exam, change }) => typeof exam === 'string' && change === 'remove',
  losses,
  precheck,
  isSo,
  looksAfter: [409],
  refusalIsFinal: false,
  onSuccess,
  onDenial: untilShown,
  isAbsolute: false,
  isVerifiable: true,
  list: () => null,
  observe: async ({ run }, { step, id = '' }) => ({ is: 'pool', wrong: await poolLacks(run.engine.reads, id, step) }),
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
  const shown = new Set((await reads.pool(exam)).flat());
  return proctors.map(textOfJson).filter((proctor) => shown.has(addressKey(proctor)) === (change === 'remove'));
}

async function precheck(run: ActiveRun, { step }: Execution<ChangePool>): Promise<Moment | Change> {
  return isSo(step) ? { is: 'there', facts: { seen: true } } : momentOf(run.engine.host);
}

function isSo({ proctors, typed }: ChangePool): boolean {
  return proctors.length === 0 && typed === undefined;
}

function verdict(execution: Execution<ChangePool>, observation: Observation, options: VerdictOptions): Change | undefined {
  if (observation.is !== 'pool') return undefined;
  const { wrong } = observation;
  if (wrong.length === 0) return shownDone(execution, { owned: true }, sentence`the pool is as planned`);
  if (!isFinal(execution, options)) return undefined;
  const shows = execution.step.change === 'remove' ? 'still shows' : 'does not show';
  return notApplied(execution, sentence`the pool ${shows} ${wrong.join(', ')}.`);
}

/** A request that names nobody may mean the whole pool. */
async function losses(engine: Engine, { step, id = '' }: Execution<ChangePool>): Promise<Loss[]> {
  const pool = await engine.reads.pool(id, maxReadAgeMs(engine));
  const removed = new Set(step.proctors.map((each) => addressKey(textOfJson(each))));
  const isRemoved = (proctor: readonly string[]) => removed.size === 0 || proctor.some((value) => removed.has(value));
  return pool.length > 0 && pool.every(isRemoved) ? [{ exam: id, why: 'leave it without proctors' }] : [];
}

/** Exactly those whom its run added and who are in the pool, or whom it removed and who are not. */
async function inverse(undoing: Undoing, { step, id = '', exam }: Execution<ChangePool>): Promise<Inverse> {
  if (step.proctors.length === 0) return gone`it changed nothing`;
  if (exam === undefined) return stays`its exam is not known`;
  const change = step.change === 'add' ? 'remove' : 'add';
  const lacks = await poolLacks(undoing.engine.reads, id, { change, proctors: step.proctors });
  const proctors = step.proctors.filter((each) => lacks.includes(textOfJson(each)));
  if (proctors.length === 0) return gone`it is as it was before`;
  return stepsOf([{ kind: 'change pool', exam, change, proctors }]);
}
