/** Commands of all kinds, drawn from what there is, each with what it does where all is well: as a colleague would do it by hand. */
import { basename } from 'node:path';
import type { Exam, Session, Truth } from '../../support/truth.ts';
import { type Command, file } from '../every/commands.ts';
import { at, folded, later } from '../oracle/wish.ts';
import type { Random } from '../world/random.ts';

/** `moves`: students, who are the same ones under other IDs. */
export type Deed = Command & { moves?: true; does(truth: Truth): void };
type Draw = { random: Random; truth: Truth; exam: Exam; other: Exam; some: Session[]; names: string[]; minutes: number };
/** What a draw says of its command; the rest goes without saying. */
type Drawn = Pick<Deed, 'line' | 'does'> & Partial<Deed>;

const addressOf = (name: string) => `${name}@example.org`;
const capital = (name: string) => `${name[0]?.toUpperCase()}${name.slice(1)}`;
/** A file of its own: an edited one is for others to tell. */
const fileOf = (random: Random, name: string, ...lines: string[]) => file(`${name}-${random.below(1_000_000)}.csv`, ...lines);
const inOf = (truth: Truth, exam: number, email: unknown) => truth.inExam(exam).find((one) => folded(one.email) === folded(email));
const idsOf = (some: readonly { id: number }[]) => some.map(({ id }) => id).join(' ');

/** An exam at other times, with the windows of its students. */
function moveExam(truth: Truth, id: number, start: unknown, end: unknown): void {
  const exam = truth.exams.get(id) as Exam;
  const [opens, closes] = [at(start) - at(exam.start_time), at(end) - at(exam.end_time)].map((by) => by / 60_000) as [number, number];
  for (const { id: session, open_time, close_time } of truth.inExam(id).filter(({ status }) => status !== 'exam_finished'))
    truth.change('session', session, { open_time: later(open_time, opens), close_time: later(close_time, closes) });
  truth.change('exam', id, { start_time: start, end_time: end });
}

function add(truth: Truth, exam: number, name: string, more = {}): void {
  if (!inOf(truth, exam, addressOf(name))) truth.createSession(exam, { email: addressOf(name), name: capital(name), ...more });
}

/** A student in another exam, or a copy there. */
const inExam = ({ open_time, close_time, ...one }: Session, from: Exam, to: Exam) => {
  const by = (at(to.start_time) - at(from.start_time)) / 60_000;
  return { ...one, exam_id: to.id, open_time: later(open_time, by), close_time: later(close_time, by) };
};

const kinds: Record<string, (draw: Draw) => Drawn | undefined> = {
  create({ random, exam, names: [name = ''] }) {
    const more = random.chance(0.5) ? { close_time: later(exam.end_time, 30) } : {};
    const given = [`--email ${addressOf(name)} --name ${capital(name)}`, ...(more.close_time ? [`--close-time ${more.close_time}`] : [])];
    const [line, sent] = random.pick([
      [`sessions create --exam ${exam.id} ${given.join(' ')}`, more],
      [`students add --exam ${exam.id} ${given.join(' ')}`, more],
      [`api POST /exams/${exam.id}/student_sessions -F email=${addressOf(name)} -F name=${capital(name)}`, {}],
    ] as const);
    return { line, email: addressOf(name), does: (truth) => add(truth, exam.id, name, sent) };
  },
  rename({ random, some: [one], names: [name = ''] }) {
    if (!one) return undefined;
    const fields = random.chance(0.3) ? { email: addressOf(name) } : { name: `${capital(name)}${random.below(9)}` };
    const [[field, value] = []] = Object.entries(fields);
    const line = random.chance(0.3) ? `api PATCH /student_sessions/${one.id} -F ${field}=` : `sessions update ${one.id} --${field} `;
    const put = line.startsWith('sessions') && random.chance(0.2) ? ' --put' : '';
    return { line: line + value + put, does: (truth) => void truth.change('session', one.id, fields) };
  },
  window({ random, exam, some, minutes }) {
    const fields = { close_time: later(exam.end_time, minutes), ...(random.chance(0.4) ? { open_time: later(exam.start_time, 5) } : {}) };
    const flags = `--close-time ${fields.close_time}${fields.open_time ? ` --open-time ${fields.open_time}` : ''}`;
    return {
      line: `sessions update ${idsOf(some)} ${flags}`,
      does: (truth) => each(some, ({ id }) => truth.change('session', id, fields)),
    };
  },
  delete({ random, some }) {
    const line = some.length === 1 && random.chance(0.5) ? 'api DELETE /student_sessions/' : 'sessions delete ';
    return { line: line + idsOf(some), does: (truth) => each(some, ({ id }) => truth.remove('session', id)) };
  },
  'new exam': ({ random }) => {
    const name = `Optics${random.below(2)}`;
    const [start_time, end_time] = ['2027-03-01T09:00:00Z', '2027-03-01T11:00:00Z'];
    const line = `exams create --name ${name} --start ${start_time} --end ${end_time}`;
    return { line, does: (truth) => void truth.createExam({ name, start_time, end_time }) };
  },
  restrict({ random, exam }) {
    const [line, fields] = random.pick([
      ['--allow-headphones', { allow_headphones: true }],
      ['--no-allow-whiteboard --name Algebra1', { allow_whiteboard: false, name: 'Algebra1' }],
      ['--no-save-recording', { save_recording: false }],
    ] as const);
    return { line: `exams update ${exam.id} ${line}`, does: (truth) => void truth.change('exam', exam.id, fields) };
  },
  times({ random, exam, minutes }) {
    const start = random.chance(0.5) ? later(exam.start_time, minutes) : exam.start_time;
    const end = later(exam.end_time, minutes + random.pick([0, 15]));
    const line = `exams update ${exam.id}${start === exam.start_time ? '' : ` --start ${start}`} --end ${end}`;
    return { line, does: (truth) => moveExam(truth, exam.id, start, end) };
  },
  'delete exam': ({ exam }) => ({ line: `exams delete ${exam.id}`, does: (truth) => void truth.remove('exam', exam.id) }),
  mails: ({ random, exam, other }) => {
    const flag = random.pick(['', '', ' --resend', ' --unless-mailed']);
    return { line: `exams send-emails ${exam.id} ${other.id}${flag}`, does: () => {} };
  },
  pool({ random, exam }) {
    const [users, how] = [[1 + random.below(5), 1 + random.below(5)], random.pick(['add', 'remove'] as const)];
    return { line: `proctors ${how} ${users.join(' ')} --exam ${exam.id}`, does: (truth) => void truth.pool(exam.id, users, how) };
  },
  import({ random, exam, names, minutes }) {
    const [update, removes] = [random.chance(0.4), random.chance(0.3)];
    const lines = names.slice(0, 4).map((name, n) => [addressOf(name), capital(name), n % 2 ? '' : later(exam.end_time, minutes)]);
    const roster = fileOf(random, 'roster', 'email,name,close_time', ...lines.map(String));
    const flags = [update ? ' --update' : ' --accept different', removes ? ' --remove-missing 3' : ''].join('');
    return {
      line: `sessions import ${roster} --exam ${exam.id}${flags}`,
      does(truth) {
        for (const [email, name, close] of lines) {
          const one = inOf(truth, exam.id, email);
          const isLater = close && at(one?.close_time ?? exam.end_time) < at(close);
          if (!one) truth.createSession(exam.id, { email, name, close_time: close || null });
          else if (update) truth.change('session', one.id, { name, ...(isLater ? { close_time: close } : {}) });
        }
        if (removes)
          for (const { id, email } of truth.inExam(exam.id).filter(({ status }) => ['registered', 'mail_sent'].includes(status)))
            if (!lines.some(([address]) => address === folded(email))) truth.remove('session', id);
      },
    };
  },
  move: ({ exam, other, some }) => ({
    line: `sessions move ${idsOf(some)} --exam ${other.id}`,
    moves: true,
    does: (truth) => each(some, ({ id }) => truth.set('session', inExam(truth.sessions.get(id) as Session, exam, other))),
  }),
  clone({ exam }) {
    const start_time = '2027-03-08T08:00:00Z';
    const end_time = later(start_time, (at(exam.end_time) - at(exam.start_time)) / 60_000);
    return {
      line: `exams clone ${exam.id} --start ${start_time} --with-students`,
      does(truth) {
        const { id: _, ...fields } = truth.exams.get(exam.id) as Exam;
        const copy = truth.createExam({ ...fields, start_time, end_time });
        truth.pool(copy.id, [...(truth.pools.get(exam.id) ?? [])], 'add');
        for (const one of truth.inExam(exam.id)) truth.createSession(copy.id, inExam(one, exam, copy));
      },
    };
  },
  shift({ random, exam, other, minutes }) {
    const [how, exams] = [random.pick(['shift', 'delay']), random.chance(0.3) ? [exam, other] : [exam]];
    return {
      line: `exams ${how} ${idsOf(exams)} --by ${minutes}m`,
      does: (truth) =>
        each(exams, ({ id, start_time, end_time }) =>
          moveExam(truth, id, how === 'shift' ? later(start_time, minutes) : start_time, later(end_time, minutes)),
        ),
    };
  },
  extend: ({ exam, some, minutes }) => ({
    line: `sessions extend ${idsOf(some)} --by ${Math.abs(minutes)}m`,
    does: (truth) =>
      each(some, ({ id, close_time }) =>
        truth.change('session', id, { close_time: later(close_time ?? exam.end_time, Math.abs(minutes)) }),
      ),
  }),
  extra({ random, exam, some, minutes }) {
    const list = fileOf(random, 'extra', 'email,extra', ...some.map(({ email }) => `${email},${Math.abs(minutes)}m`));
    const target = ({ open_time }: Session) =>
      later(exam.end_time, Math.abs(minutes) + Math.max(0, at(open_time ?? exam.start_time) - at(exam.start_time)) / 60_000);
    const isListed = ({ email }: Session) => some.some((one) => folded(one.email) === folded(email));
    const isLess = (one: Session) => one.status !== 'exam_finished' && (one.close_time === null || at(one.close_time) < at(target(one)));
    return {
      line: `accommodations apply ${list} --exam ${exam.id}`,
      does: (truth) =>
        each(
          truth.inExam(exam.id).filter((one) => isListed(one) && isLess(one)),
          (one) => truth.change('session', one.id, { close_time: target(one) }),
        ),
    };
  },
  timetable({ random, exam, other, names, minutes }) {
    const [start_time, end_time] = ['2027-03-02T09:00:00Z', '2027-03-02T11:00:00Z'];
    const [end, isNew, students] = [later(other.end_time, minutes), random.chance(0.5), names.slice(0, 3)];
    const roster = basename(fileOf(random, 'of', 'email,name', ...students.map((name) => `${addressOf(name)},${capital(name)}`)));
    const cells = (start: unknown, until: unknown) =>
      `${start},${until}`.replace(/^([\d-]+)T([\d:]{5}).*?,([\d-]+)T([\d:]{5}).*/, '$1,$2,$3 $4');
    const table = fileOf(
      random,
      'timetable',
      'id,name,date,start,end,roster,proctors',
      `${exam.id},${exam.name},${cells(exam.start_time, exam.end_time)},${roster},`,
      `${other.id},${other.name},${cells(other.start_time, end)},,2;3`,
      ...(isNew ? [`new,Statics,${cells(start_time, end_time)},${roster},4`] : []),
    );
    return {
      line: `exams apply ${table}`,
      does(truth) {
        moveExam(truth, other.id, other.start_time, end);
        truth.pool(other.id, [1, 4, 5], 'remove');
        truth.pool(other.id, [2, 3], 'add');
        each(students, (name) => add(truth, exam.id, name));
        if (!isNew) return;
        const there = [...truth.exams.values()].find((one) => one.name === 'Statics' && one.start_time === start_time);
        if (there) moveExam(truth, there.id, start_time, end_time);
        const { id } = there ?? truth.createExam({ name: 'Statics', start_time, end_time });
        truth.pool(id, [4], 'add');
        each(students, (name) => add(truth, id, name));
      },
    };
  },
};

const each = <T>(all: readonly T[], act: (one: T) => unknown) => all.forEach((one) => void act(one));

export function drawDeed(random: Random, truth: Truth): Deed | undefined {
  const all = [...truth.exams.values()];
  if (all.length < 2) return undefined;
  const exam = random.pick(all);
  const other = random.pick(all.filter((one) => one !== exam));
  const some = truth.inExam(exam.id).filter(() => random.chance(0.5));
  const names = ['ada', 'bob', 'cy', 'dan', 'eve', 'fay', 'gil', 'hal'].sort(() => random.next() - 0.5);
  const draw = kinds[random.pick(Object.keys(kinds))];
  const drawn = draw?.({
    random,
    truth,
    exam: { ...exam },
    other: { ...other },
    some: structuredClone(some),
    names,
    minutes: random.pick([15, 30, 60, 1440, -15]),
  });
  return drawn && { wishes: [], subject: some[0] ? { kind: 'session', id: some[0].id } : { kind: 'exam', id: exam.id }, ...drawn };
}
