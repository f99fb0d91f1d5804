/**
 * The intent of an import: a roster of people, some of whom are there, with and without times of their own, for one exam or for two. Who
 * is neither in the file nor in the plan stays; nobody loses time.
 */
import { after } from '../../support/stage.ts';
import type { Fields, Session } from '../../support/truth.ts';
import { fileOn } from '../story/machine.ts';
import { type Draw, fieldsOf, type Intent, isOne, main, onlyFields, type Sight, same, second, unasked } from './intent.ts';

type Line = { email: string; name: string; open: string; close: string; exam: number };

export type Roster = { times?: boolean; updates?: boolean; removes?: boolean; byLine?: boolean };

/** New people, and a few who are in the exam already; in some rosters each line names its exam, and somebody is in both. */
function linesOf({ random, truth, number }: Draw, times: boolean, byLine: boolean): Line[] {
  const present = truth.inExam(main).flatMap(({ email }) => (email ? [email.toLowerCase()] : []));
  const some = present.filter(() => random.chance(0.3));
  const others = random
    .several(3, 9, () => random.below(40))
    .map((at) => `student${at}${at % 10 === 3 ? '+tag' : ''}@${at % 10 === 7 ? 'exämple' : 'example'}.org`);
  const lines = [...new Set([...some, ...others])].map((email, at) => {
    // Under the address that the service has made of another one, a student is known in the exam of that one only.
    const exam = byLine && at % 3 === 1 && !present.includes(email) ? second : main;
    const { start_time, end_time } = truth.exams.get(exam) ?? {};
    return {
      ...{ email, exam, name: random.chance(0.3) ? `Student ${/\d+/.exec(email)}` : `Student ${number} ${at}` },
      open: times && at % 2 === 0 ? after(start_time, 10.5) : '',
      close: times && at % 3 === 0 ? after(end_time, 15 * random.below(5)) : '',
    };
  });
  const twice = byLine ? lines.filter(({ exam, email }) => exam === main && !present.includes(email)).slice(0, 1) : [];
  return [...lines, ...twice.map((line) => ({ ...line, exam: second, open: '', close: '' }))];
}

/** An exam as a line names it: by its ID, or by its name where no other one has that. */
function cellOf(exam: number, at: number, { truth }: Draw): string {
  const alike = [...truth.exams.values()].filter(({ name }) => name === truth.exams.get(exam)?.name);
  return at % 2 === 0 && alike.length === 1 ? String(alike[0]?.name) : String(exam);
}

const isWaiting = ({ status }: { status?: unknown }) => status === 'registered' || status === 'mail_sent';

export function importRoster(draw: Draw, given: Roster = {}): Intent {
  const { random, machine, number, truth } = draw;
  const { times = random.chance(0.5), updates = random.chance(0.3), removes = random.chance(0.15) } = given;
  const byLine = (given.byLine ?? random.chance(0.3)) && truth.exams.has(second) && truth.exams.has(main);
  const lines = linesOf(draw, times, byLine);
  const columns = ['email', 'name', ...(times ? ['open_time', 'close_time'] : []), ...(byLine ? ['exam'] : [])];
  const rows = lines.map(({ email, name, open, close, exam }, at) => [
    ...[email, name, ...(times ? [open, close] : []), ...(byLine ? [cellOf(exam, at, draw)] : [])],
  ]);
  const file = fileOn(machine, `roster-${number}.csv`, [columns, ...rows].map((cells) => `${cells.join(',')}\n`).join(''));
  const flags = [
    ...(updates ? ['--update'] : random.chance(0.7) ? ['--accept', 'different'] : []),
    ...(removes ? ['--remove-missing', '20'] : []),
    ...(random.chance(0.2) ? ['--rate', '20'] : []),
  ];
  const lineOf = (exam: unknown, address: unknown, sight: Sight) =>
    lines.find((line) => line.exam === exam && isOne(sight.truth, line.email, address));
  /** A session that was created from here is the student's whose address was sent, while it has the address under which the service kept it. */
  const lineSentFor = ({ id: session, email }: Session, exam: number, { arrived }: Sight) => {
    const made = truth.record.find(({ kind, id, before, by }) => kind === 'session' && id === session && !before && typeof by === 'number');
    if (made?.after?.email !== email) return undefined;
    const sent = arrived.find(({ index: n }) => n === made?.cause)?.body.email;
    return lines.find((line) => line.exam === exam && line.email === sent);
  };
  /** Created from here, by this import or another run. */
  const isOurs = (id: number) =>
    truth.record.some((one) => one.kind === 'session' && one.id === id && !one.before && typeof one.by === 'number');
  /** When a session closes for its student, as its exam was before the change with this number. */
  const closes = ({ close_time, exam_id }: Fields, before = truth.record.length) => {
    const exam = truth.record.findLast(({ n, kind, id }) => n < before && kind === 'exam' && id === exam_id)?.after;
    return Date.parse(String(close_time ?? exam?.end_time));
  };
  return {
    kind: removes ? 'sessions import --remove-missing' : updates ? 'sessions import --update' : 'sessions import',
    words: ['sessions', 'import', file, ...(byLine ? ['--map', 'exam=exam'] : ['--exam', String(main)]), ...flags],
    ...{ byAddress: true, anew: true },
    addresses: lines.map(({ email }) => email),
    // In an exam that was moved since, a window of the file may close before it opens.
    refuses: (said) => said.includes('must not come before open_time'),
    allows(change, sight) {
      const { before, after, id } = change;
      const exam = Number((after ?? before)?.exam_id);
      if (change.kind !== 'session' || !lines.some((line) => line.exam === exam)) return false;
      const unseen = sight.unseenBy(change);
      if (!after) {
        // Who is in the file under another spelling, with a session of it, is there still.
        const isInFile = lines.some((line) => line.exam === exam && line.email.toLowerCase() === String(before?.email).toLowerCase());
        const isLost = lineOf(exam, before?.email, sight) && sight.sessionsOf(exam, before?.email).length === 0;
        if (!isWaiting(before ?? {}) && unseen.length === 0) return `${unasked(change)}, and who has started`;
        return removes && !isInFile && !isLost;
      }
      // Given away in the last moment, the read before the write still showed the student of the line.
      const shown = lineOf(exam, after.email, sight) ?? unseen.map((one) => lineOf(exam, one.before?.email, sight)).find(Boolean);
      const line = before && shown ? (lineSentFor(after as Session, exam, sight) ?? shown) : shown;
      if (!line) return false;
      const wanted = { open_time: line.open, close_time: line.close, name: line.name };
      const wrong = fieldsOf(change).filter((name) => name in wanted && !same(after[name], wanted[name as keyof typeof wanted]));
      // Under one address may be several lines: the service has made it of theirs.
      const isNamed = lines.some((one) => one.name === after.name && lineOf(one.exam, one.email, sight) === line);
      // Registered again as a message says, a student has only an address.
      if (!before)
        return isNamed || (after.name === undefined && sight.said.has('create')) || `gave ${line.email} the name of another line`;
      if (unseen.length > 0 || fieldsOf(change).length === 0) return true;
      // A POST cannot set it.
      const isOwed = isOurs(id) && before.open_time === null && fieldsOf(change).every((name) => name === 'open_time');
      // A person may have added a flag that was offered.
      if (!sight.said.has('--update') && !isOwed) return false;
      if (wrong.length > 0) return `gave ${line.email} the ${wrong.join(' and ')} of another line`;
      if (closes(after, change.n) < closes(before, change.n)) return `took time from ${line.email}`;
      return onlyFields(change, Object.keys(wanted));
    },
    unmet: (sight) =>
      lines.flatMap(({ email, name, open, close, exam }) => {
        const found = sight.sessionsOf(exam, email);
        // Under the address that the service has made of it, somebody else may be there as well.
        const one = found.find((each) => differences(each, { name, open, close }).length === 0) ?? found[0];
        if (!one) return sight.takenAway(exam, email) ? [] : [`${email} is not in exam ${exam}`];
        if (!sight.untouched('session', one.id)) return [];
        const made = sight.truth.record.find(({ id, kind, before }) => kind === 'session' && id === one.id && !before);
        const isNew = made !== undefined && made.n >= sight.from && Number(made.by) === Math.max(...sight.invocations);
        if (sight.said.has('--accept') && !isNew) return [];
        return differences(one, { name, open, close });
      }),
  };

  function differences(one: Session, { name, open, close }: Pick<Line, 'name' | 'open' | 'close'>): string[] {
    return [
      // A field that is not shown proves nothing.
      ...(one.name === name || one.name === undefined ? [] : [`${one.email} is called ${String(one.name)}, not ${name}`]),
      ...(open === '' || same(one.open_time, open) ? [] : [`${one.email} opens at ${one.open_time}, not at ${open}`]),
      ...(close === '' || closes(one) >= closes({ close_time: close })
        ? []
        : [`${one.email} closes at ${one.close_time}, not at ${close}`]),
    ];
  }
}
