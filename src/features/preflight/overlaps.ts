/** Who is in two exams at the same time. Pure: who takes which exam from when to when goes in, pairs come out. */

/** Milliseconds since 1970; the end is not part of it. */
export type Sitting = {
  exam: string;
  /** What all records of one person share. */
  person: string;
  /** The session or the proctor, as the service calls it; undefined where it shows none. */
  id: string | undefined;
  from: number;
  to: number;
};

/** One person in two exams, as seen from the first. */
export type Overlap = { own: Sitting; other: Sitting };

/** The overlaps of each exam, in the order of the sittings. */
export function overlapsByExam(sittings: Iterable<Sitting>): ReadonlyMap<string, readonly Overlap[]> {
  const byPerson = new Map<string, Sitting[]>();
  for (const sitting of sittings) {
    if (sitting.from >= sitting.to) continue;
    const others = byPerson.get(sitting.person);
    if (others) others.push(sitting);
    else byPerson.set(sitting.person, [sitting]);
  }
  const byExam = new Map<string, Overlap[]>();
  const add = (own: Sitting, other: Sitting) => {
    const overlaps = byExam.get(own.exam);
    if (overlaps) overlaps.push({ own, other });
    else byExam.set(own.exam, [{ own, other }]);
  };
  for (const all of byPerson.values()) {
    if (all.length < 2) continue;
    all.sort((a, b) => a.from - b.from);
    for (const [index, first] of all.entries()) {
      for (let at = index + 1; at < all.length; at++) {
        const second = all[at] as Sitting;
        if (second.from >= first.to) break;
        if (second.exam === first.exam) continue;
        add(first, second);
        add(second, first);
      }
    }
  }
  return byExam;
}
