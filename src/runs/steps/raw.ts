/** Any other request: nothing shows what becomes of it, so that it is sent once. */
import { now } from '../active-run.ts';
import type { Change } from '../execution.ts';
import type { RawRequest } from '../step.ts';
import { stays } from '../undoing.ts';
import type { StepRules } from './rules.ts';

export const raw: StepRules<RawRequest> = {
  locks: ({ exam }) => (typeof exam === 'string' ? [`exam ${exam}`, `students ${exam}`] : []),
  mayTake: () => true,
  // Of the exam that its operation names, else of any that runs.
  losses: async (_engine, { exam }) => [{ exam, why: 'do what the specification does not describe' }],
  precheck: async (run) => now(run),
  looksAfter: [],
  isOnce: false,
  onSuccess: (_run, _execution, { status }): Change => ({
    outcome: { state: 'done' },
    facts: { seen: true, owned: true, code: String(status) },
  }),
  onDenial(error) {
    const isAll = error.code === 'not_applied';
    return { outcome: isAll ? { reason: 'not_applied', error } : { state: 'unknown', error }, facts: { code: 'denied' } };
  },
  isAbsolute: false,
  isVerifiable: false,
  list: () => null,
  observe: async () => ({ is: 'not there' }),
  verdict: () => undefined,
  resend: 'never',
  isReversible: false,
  inverse: () => stays`a request of this kind cannot be taken back`,
};
