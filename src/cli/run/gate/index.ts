/** The gate of a command's clients. The part that judges is loaded at the first write: most commands only read. */
import type { Gate, GateReads } from '../../../api/gate.ts';
import type { Outgoing } from '../../../api/request.ts';
import type { Context } from '../../../command.ts';
import type { Settings } from '../../../config/settings.ts';
import type { Sentence } from '../../../text/sentence.ts';
import { Known } from './known.ts';

export function gateOf(context: Context, target: Settings): Gate {
  const known = new Known();
  let loading: Promise<Pick<Gate, 'admit' | 'admitRemoval'>> | undefined;
  const load = async () => new (await import('./exam-gate.ts')).ExamGate(context, target, known);
  const loaded = () => {
    loading ??= load();
    return loading;
  };
  return {
    admit: async (write: Outgoing, reads: GateReads) => (target.examGate ? (await loaded()).admit(write, reads) : undefined),
    admitRemoval: async (exam: string, does: Sentence, reads: GateReads) =>
      target.examGate ? (await loaded()).admitRemoval(exam, does, reads) : undefined,
    saw: (shown) => known.saw(shown),
    created: (session) => known.created(session),
  };
}
