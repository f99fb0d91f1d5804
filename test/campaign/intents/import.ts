/** The intent of an import: a roster of people, some of whom are there, with and without times of their own, for one exam or for two. */
import {
  type Draw,
  fieldsOf,
  type Intent,
  keyOf,
  main,
  onlyFields,
  same,
  second,
  sessionsOf,
  takenAway,
  unasked,
  untouched,
} from './intent.ts';

/** For so long, the answer to a create counts as a read of what it made. Milliseconds. */
const fresh = 2_500;

export type Line = { email: string; name: string; open: string };

/** The people of a roster: new ones, and a few who are in the exam already. */
export function rosterLines({ random, truth, number }: Draw): Line[] {
  const present = truth.inExam(main).flatMap(({ email }) => (email && random.chance(0.3) ? [email.toLowerCase()] : []));
  const fresh = random
    .several(3, 9, () => random.below(40))
    .map((at) => {
      const domain = at % 10 === 7 ? 'exämple.org' : 'example.org';
      return at % 10 === 3 ? `student${at}+tag@${domain}` : `student${at}@${domain}`;
    });
  const emails = [...new Set([...present, ...fresh])];
  const times = random.chance(0.5);
  return emails.map((email, at) => ({ email, name: `Student ${number} ${at}`, open: times && at % 2 === 0 ? '2027-02-01T08:10:30Z' : '' }));
}

export const rosterText = (lines: readonly Line[]) =>
  `email,name,open_time\n${lines.map(({ email, name, open }) => `${email},${name},${open}\n`).join('')}`;

/** The exam of each line: the same, or in some rosters one that the line names by its ID or its name; somebody may be in both. */
function placed(lines: readonly Line[], { truth }: Draw): { byLine: boolean; lines: (Line & { exam: number; cell: string })[] } {
  const exams = [...truth.exams.values()];
  const byLine = lines.length % 3 === 0 && truth.exams.has(second) && truth.exams.has(main);
  const cellOf = (exam: number, at: number) => {
    const name = truth.exams.get(exam)?.name ?? '';
    return at % 2 === 0 && exams.filter((one) => one.name === name).length === 1 ? name.toUpperCase() : String(exam);
  };
  const into = (line: Line, exam: number, at: number) => ({ ...line, exam, cell: cellOf(exam, at) });
  // Under the address that the service has made of another one, a student is known in the exam of that one only.
  const present = new Set(truth.inExam(main).map(({ email }) => email?.toLowerCase()));
  const isNew = ({ email }: Line) => !present.has(email.toLowerCase());
  const all = lines.map((line, at) => into(line, byLine && at % 3 === 1 && isNew(line) ? second : main, at));
  const twice = byLine ? all.filter((line) => line.exam === main && isNew(line)).slice(0, 1) : [];
  return { byLine, lines: [...all, ...twice.map((line) => into(line, second, 1))] };
}

export function importRoster(draw: Draw): Intent {
  const { random, machine, number } = draw;
  const { byLine, lines } = placed(rosterLines(draw), draw);
  // Without a time in any line the column would have to be declared.
  const plain = lines.some(({ open }) => open) ? rosterText(lines) : rosterText(lines).replaceAll(/,[^,\n]*$/gm, '');
  const cells = ['exam', ...lines.map(({ cell }) => cell)];
  const text = byLine ? plain.replaceAll(/$/gm, () => (cells.length > 0 ? `,${cells.shift()}` : '')) : plain;
  const file = machine.file(`roster-${number}.csv`, text);
  const updates = random.chance(0.3);
  const removes = random.chance(0.15);
  const flags = [
    updates ? '--update' : '--accept-different',
    ...(removes ? ['--remove-missing', '--max-removals', '20'] : []),
    ...(random.chance(0.7) ? ['--concurrency', String(1 + random.below(4))] : []),
  ];
  const lineOf = (exam: unknown, address: unknown, sight: Parameters<typeof keyOf>[0]) =>
    lines.find((line) => line.exam === exam && keyOf(sight, line.email) === keyOf(sight, address));
  return {
    kind: removes ? 'sessions import --remove-missing' : updates ? 'sessions import --update' : 'sessions import',
    words: ['sessions', 'import', file, ...(byLine ? ['--map', 'exam=exam'] : ['--exam', String(main)]), ...flags],
    byAddress: true,
    addresses: lines.map(({ email }) => email),
    forbids(change, sight) {
      const { before, after, id } = change;
      const exam = Number((after ?? before)?.exam_id);
      if (change.kind !== 'session' || !lines.some((line) => line.exam === exam)) return unasked(change);
      // Who is in the file under another spelling, with a session of it, is there still.
      const isInFile = lines.some((line) => line.exam === exam && line.email.toLowerCase() === String(before?.email).toLowerCase());
      const isLost = lineOf(exam, before?.email, sight) && sessionsOf(sight, exam, String(before?.email)).length === 0;
      if (!after) return removes && !isInFile && !isLost ? undefined : unasked(change);
      const justMade = sight.truth.record.some(
        (one) => one.kind === 'session' && one.id === id && !one.before && change.at - one.at <= fresh,
      );
      if (justMade && fieldsOf(change).every((name) => name === 'open_time')) return undefined;
      // Given away in the last moment: the read before the write still showed the student of the line.
      const givenAway = sight.truth.record.find(
        (one) => one.kind === 'session' && one.id === id && one.by === 'colleague' && one.n < change.n && change.at - one.at <= fresh,
      );
      if (givenAway && lineOf(exam, givenAway.before?.email, sight)) return undefined;
      const line = lineOf(exam, after.email, sight);
      if (!line) return unasked(change);
      if (!before) return undefined;
      // Created by this import, or by somebody since it began, with what the file says.
      const wasMade = sight.truth.record
        .slice(sight.from)
        .some((one) => one.kind === 'session' && one.id === id && !one.before && one.n < change.n);
      const isNew = (!sight.sessions.has(id) || wasMade) && before.name === line.name;
      if (!isNew && !updates) return unasked(change);
      const wrong = fieldsOf(change).filter((name) => !same(after[name], name === 'open_time' ? line.open : line.name));
      return wrong.length > 0
        ? `gave ${String(after.email)} the ${wrong.join(' and ')} of another line`
        : onlyFields(change, ['name', 'open_time']);
    },
    unmet(sight) {
      return lines.flatMap(({ email, open, exam }) => {
        const found = sessionsOf(sight, exam, email);
        if (found.length === 0) return takenAway(sight, exam, email) ? [] : [`${email} is not in exam ${exam}`];
        const [one] = found;
        if (!one || open === '' || !untouched(sight, 'session', one.id)) return [];
        const ours = sight.truth.record.some(
          ({ n, id, before, by }) => n >= sight.from && id === one.id && !before && Number(by) === Math.max(...sight.invocations),
        );
        return (ours || updates) && !same(one.open_time, open) ? [`${email} opens at ${one.open_time}, not at ${open}`] : [];
      });
    },
  };
}
