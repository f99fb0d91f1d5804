/** What was told of a story: how long it was, each broken invariant, and a log to read it by. */
export type Told = {
  family: string;
  seed: number;
  invocations: number;
  kills: number;
  /** A sentence for each broken invariant. */
  broken: string[];
  /** Each invocation with its end, and what was done between. */
  log: string[];
};
