/**
 * A claim that another run has on the same student: while it is young, its request may still be in flight; once it is old, its process
 * has ended, and the run is taken over to look up the outcome of its requests.
 */
import { CliError } from '../errors.ts';
import type { Claim } from '../state/state.ts';
import { settleParts } from './drive.ts';
import { ExamGate } from './gate/exam-gate.ts';
import { resumedParts } from './resume.ts';
import { settled, settleUnknown } from './settle.ts';
import type { World } from './world.ts';

/** How often a claim that is waited for is looked at. Milliseconds. */
const lookEvery = 1000;

/** `waits`: until the claim has come to its end, or is old. `resendAbsent`: what its run has sent without effect is given up there. */
export async function settleOther(
  world: World,
  claim: Claim,
  { waits, resendAbsent }: { waits: boolean; resendAbsent: boolean },
): Promise<void> {
  const { state, settings, host } = world;
  for (;;) {
    const claims = await state.claims(claim.origin, claim.scope);
    const now = claims.find(({ key, number, run }) => key === claim.key && number === claim.number && run === claim.run);
    if (!now || now.done) return;
    const left = settings.timeoutMilliseconds + world.settleTime - (host.now() - now.at);
    if (left <= 0) break;
    if (!waits) return;
    await host.sleep(Math.min(left, lookEvery));
  }
  const record = await state.run(claim.run);
  if (!record) return;
  try {
    const parts = await resumedParts(world, record, new ExamGate(world), {});
    const settle = settleParts(parts);
    await settleUnknown(settle);
    const { book, run } = parts;
    for (const { key, number, scope, n } of await state.claims(claim.origin, claim.scope)) {
      if (book.steps.length < n || scope !== claim.scope) continue;
      // It never left: nothing of it can arrive any more.
      if (book.state(n - 1) === 'planned') run.endClaim({ key, scope }, n);
      else if (book.state(n - 1) === 'absent' && resendAbsent && key === claim.key && number === claim.number)
        settled(settle, n - 1, 'given_up');
    }
    await run.flush();
    await run.close(book.isOpen ? 'open' : 'finished');
  } catch (error) {
    // It is at work after all.
    if (!(error instanceof CliError) || error.code !== 'already_running') throw error;
  }
}
