/** What was told of a story: how long it was, how it ended, each broken invariant, and a log to read it by. */
export type Told = {
  family: string;
  seed: number;
  invocations: number;
  kills: number;
  /** Requests that something happened to, deeds of colleagues, and interrupts. */
  faults: number;
  /** How each of its intents ended in a calm world; null after a signal. */
  ends: End[];
  /** A sentence for each broken invariant. */
  broken: string[];
  /** Each invocation with its end, and what was done between. */
  log: string[];
};

/** `isRight`: all is so that was asked for, or cannot be any more. `closed`: a run was given up on the way. */
export type End = { code: number | null; isRight: boolean; closed: boolean };
