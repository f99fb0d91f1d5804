/** Finds students who are in two exams at the same time. */

/** Milliseconds since 1970, without the end. */
export type Sitting = {
  exam: string;
  /** What all records of a person share. */
  person: string;
  name: string;
  from: number;
  to: number;
};

/** `own`: the sitting that begins first. */
export type Overlap = { own: Sitting; other: Sitting };

type Times = { start: number | undefined; end: number | undefined };

/** The exam's time, later where the own window opens later, longer where it closes later. */
export function studentWindow({ start, end }: Times, own: { opens: number | undefined; closes: number | undefined }) {
  if (start === undefined || end === undefined) return undefined;
  const { opens = start, closes = end } = own;
  // A window outside the exam is left over from another time of it.
  return {
    from: opens > start && opens < end ? opens : start,
    to: Math.max(end, closes),
  };
}

/** Each pair of sittings of one person, once. Two records in one exam are no overlap. */
export function overlapsIn(sittings: Iterable<Sitting>): Overlap[] {
  const found: Overlap[] = [];
  for (const all of Map.groupBy(sittings, ({ person }) => person).values()) {
    const inOrder = all.filter(({ from, to }) => from < to).sort((a, b) => a.from - b.from);
    for (const [index, own] of inOrder.entries()) {
      for (const other of inOrder.slice(index + 1)) {
        if (other.from >= own.to) break;
        if (other.exam !== own.exam) found.push({ own, other });
      }
    }
  }
  return found;
}
