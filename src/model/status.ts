/** The states of a student session (specification, section 3). Others are displayed as they are. */
export type SessionStatus = keyof typeof phases;

/** `waiting`: not seen yet; `checking`: in the check; `writing`: has started the exam. */
export type Phase = 'waiting' | 'checking' | 'writing' | 'finished';

const phases = {
  registered: 'waiting',
  mail_sent: 'waiting',
  check_started: 'checking',
  check_completed: 'checking',
  exam_session_opened: 'checking',
  exam_started: 'writing',
  exam_finished: 'finished',
} as const satisfies Record<string, Phase>;

export const sessionStatuses = Object.keys(phases) as SessionStatus[];

export function statusOf(word: unknown): SessionStatus | undefined {
  const plain = typeof word === 'string' ? plainWord(word) : '';
  return Object.hasOwn(phases, plain) ? (plain as SessionStatus) : undefined;
}

export function statusText(status: unknown): string | null {
  return typeof status === 'string' ? status : null;
}

/** `exam_started` for `EXAM_STARTED`, `Exam-Started`, `examStarted` and `exam started`. */
export function plainWord(word: string): string {
  return word
    .trim()
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[\s-]+/g, '_')
    .toLowerCase();
}

export function phaseOf(status: unknown): Phase | undefined {
  const known = statusOf(status);
  return known && phases[known];
}

/** The service rates from 1 to 3, which is very suspicious; 0 says that nobody has rated yet (specification 2.2). */
export function suspicionInWords(level: number): string {
  if (level === 0) return 'not rated';
  return level >= 1 && level <= 3 ? `${level} of 3` : String(level);
}
