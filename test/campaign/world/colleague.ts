/** A colleague at work in the browser, between any two requests: one deed at a time, drawn from a seed. */

import { after } from '../../support/stage.ts';
import type { Truth } from '../../support/truth.ts';
import type { Intent } from '../intents/intent.ts';
import type { Random } from './random.ts';

export const deeds = [
  ...(['moves the exam', 'extends', 'deletes', 'adds', 'imports', 'renames', 'gives away', 'changes a setting', 'finishes'] as const),
];
export type Deed = (typeof deeds)[number];

const later = (time: string | null, minutes: number) => time && after(time, minutes);

/** Does one deed in an exam, at times to whom the intent is about as well. */
export function doDeed(
  truth: Truth,
  random: Random,
  deed: Deed,
  exam: number,
  about: Pick<Intent, 'words' | 'addresses'> | undefined,
): void {
  const found = truth.exams.get(exam);
  if (!found) return;
  const sessions = truth.inExam(exam);
  const { words = [], addresses: known = [] } = about ?? {};
  const named = sessions.filter(({ id }) => words.some((word) => word.split('/').includes(String(id))));
  const those = named.length > 0 && random.chance(0.5) ? named : sessions;
  const one = those.length > 0 ? random.pick(those) : undefined;
  const stranger = () => `stranger${random.below(1000)}@example.org`;
  const add = (email: string) => {
    const there = truth.inExam(exam).some((session) => session.email?.toLowerCase() === truth.kept(email).toLowerCase());
    const close_time = random.chance(0.4) ? later(found.end_time, 5 + random.below(60)) : null;
    if (!there) truth.createSession(exam, { email, name: 'Added by a colleague', close_time });
  };
  if (deed === 'moves the exam') {
    const minutes = random.pick([30, 60, 24 * 60]);
    truth.change('exam', exam, { start_time: later(found.start_time, minutes), end_time: later(found.end_time, minutes) });
  } else if (deed === 'changes a setting') truth.change('exam', exam, { save_recording: random.chance(0.5) });
  else if (deed === 'adds') add(known.length > 0 && random.chance(0.6) ? random.pick(known) : stranger());
  else if (deed === 'imports') for (const address of [stranger(), stranger()]) add(address);
  else if (!one) return;
  else if (deed === 'extends')
    truth.change('session', one.id, { close_time: later(one.close_time ?? found.end_time, 5 + random.below(60)) });
  else if (deed === 'finishes') truth.change('session', one.id, { status: 'exam_finished' });
  else if (deed === 'deletes') truth.remove('session', one.id);
  else if (deed === 'renames') truth.change('session', one.id, { name: `Renamed ${random.below(100)}` });
  else truth.change('session', one.id, { email: stranger(), name: 'Somebody else' });
}
