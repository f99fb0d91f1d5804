/**
 * Stories of changes: `exams delay`, `exams shift` or `sessions move` is killed again and again over a service that loses
 * answers, limits and fails; then the same command, or the `changes resume` that it names, is run to its end. Promised: each
 * time is replaced once, by the one that was planned (C1); no write arrives before its intent is durable (C2); no student is in
 * the other exam twice or in no exam (C3), and whoever is in both is in a change that is open (C4); every window is at each
 * moment at least the whole old one or the whole new one (C5); the same command or the resume ends it (C6).
 */
import fc from 'fast-check';
import { run as runHere } from '../support/run.ts';
import { type Ended, environment, home, type Place, runUnharmed, startCommand, type Workshop } from './importer.ts';
import { type Injury, type Point, wirePoints } from './injury.ts';
import { intendsChange } from './oracle.ts';
import type { Told } from './scenario.ts';
import { type ExamService, examService, type Fault, type Fields } from './service.ts';

const commands = ['delay', 'shift', 'move'] as const;

export type ChangeStory = {
  command: (typeof commands)[number];
  students: number;
  injuries: readonly Injury[];
  /** What becomes of the how manieth write. */
  faults: readonly { at: number; fault: Fault }[];
};

const kills: fc.Arbitrary<Injury> = fc.record({
  point: fc.constantFrom<Point[]>('write', 'sync', ...wirePoints),
  at: fc.integer({ min: 1, max: 16 }),
  how: fc.constantFrom<Injury['how'][]>('killed', 'power-cut'),
  when: fc.constantFrom<NonNullable<Injury['when']>[]>('before', 'within', 'after'),
  tail: fc.integer({ min: 0, max: 400 }),
});

const faults: fc.Arbitrary<Fault> = fc.oneof(
  fc.constantFrom<Fault[]>(
    { answer: 'reset' },
    { answer: 'cut' },
    { answer: 'reset', done: 'never' },
    { answer: { status: 429, headers: { 'retry-after': '0.05' } } },
    { answer: { status: 503, body: {} } },
    { answer: { status: 502, body: 'gone' }, done: 'now' },
  ),
  fc.integer({ min: 1, max: 150 }).map((done): Fault => ({ answer: 'reset', done })),
);

/** `injured`: runs that come to harm. */
export function changeStories({ students, injured: [least, most] }: { students: number; injured: [least: number, most: number] }) {
  return fc.record<ChangeStory>({
    command: fc.constantFrom(...commands),
    students: fc.integer({ min: 2, max: students }),
    injuries: fc.array(kills, { minLength: least, maxLength: most }),
    faults: fc.uniqueArray(fc.record({ at: fc.integer({ min: 1, max: 20 }), fault: faults }), { selector: ({ at }) => at, maxLength: 4 }),
  });
}

const runsToTheEnd = 12;
const [start, end] = ['2127-03-22T08:00:00Z', '2127-03-22T10:00:00Z'];
const minute = 60_000;
const iso = (instant: number) => `${new Date(instant).toISOString().slice(0, 19)}Z`;
const after = (time: unknown, minutes: number) => iso(Date.parse(String(time)) + minutes * minute);

type Kept = { exams: Fields[]; students: Fields[] };
const keptBy = (service: ExamService): Kept => structuredClone({ exams: service.exams(), students: service.students() });

/** `ends`: where the same command is run to its end. */
export async function tellChange(
  shop: Workshop,
  { command, students, injuries, faults: planned }: ChangeStory,
  ends: Place = 'process',
): Promise<Told> {
  const times = { start_time: start, end_time: end };
  const service = await examService({
    exams: [
      { id: 5, ...times },
      { id: 7, ...times },
    ],
  });
  const own = home(shop, '');
  const told: Told = { landed: 0, imports: 0, broken: [] };
  const { broken } = told;
  for (let at = 0; at < students; at += 1) {
    const window = at % 3 === 0 ? {} : { open_time: after(start, at), close_time: after(end, 5 * at) };
    service.add({ exam_id: 5, email: `student${at}@example.org`, ...window });
  }
  // One of them is in the other exam already, with another spelling of the address.
  if (command === 'move') service.add({ exam_id: 7, email: 'STUDENT1@example.org' });
  const ids = service
    .students()
    .filter(({ exam_id }) => exam_id === 5)
    .map(({ id }) => id);
  const first = keptBy(service);
  const wanted = wantedOf(command, first);
  const line = {
    delay: ['exams', 'delay', '5', '--by', '15m'],
    shift: ['exams', 'shift', '5', '--by', '14d', '--timezone', 'Europe/Vienna'],
    move: ['sessions', 'move', ...ids.map(String), '--exam', '7'],
  }[command];

  let writes = 0;
  service.fault = ({ method, path, body, email }) => {
    if (method === 'GET') return undefined;
    writes += 1;
    const [, kind = '', id = ''] = /^\/(exams|student_sessions)\/(\d+)$/.exec(path) ?? [];
    const there = first.students.find((student) => String(student.id) === id && student.exam_id === 7);
    // What is done to a session that was there already is intended with the session whose window it gets.
    const address = method === 'POST' ? email : there && String(there.email).toLowerCase();
    const subject = address === undefined ? id : String(first.students.find((student) => student.email === address)?.id);
    // The open_time of a session that the command has created is in no plan: it is set for the first time.
    const isNew = kind === 'student_sessions' && !first.students.some((student) => String(student.id) === id);
    if (!isNew && !intendsChange(own, kind === 'exams' ? 'exam' : 'session', subject))
      broken.push(`C2: ${method} ${path} arrived before its intent was durable`);
    if (method === 'PATCH' && !isNew) {
      const to = (kind === 'exams' ? wanted.exams : wanted.students).find((one) => String(one.id) === id) ?? {};
      for (const [field, value] of Object.entries(body))
        if (to[field] !== value) broken.push(`C1: ${field} of ${kind} ${id} was to be ${value}, not ${to[field]}`);
    }
    broken.push(...(command === 'move' ? brokenPlaces(service, first) : brokenWindows(service, first, wanted)));
    return planned.find(({ at }) => at === writes)?.fault;
  };

  const run = async (words: readonly string[], injury?: Injury): Promise<Ended> => {
    told.imports += 1;
    const line = [...words, '--yes', '--timeout', '1s', '-o', 'json'];
    const ended = injury ? await startCommand(shop, service, own, line, injury).ended : await runUnharmed(shop, service, own, line, ends);
    if (ended.signal === 'SIGKILL') told.landed += 1;
    if (ended.signal === null && (ended.code === null || ended.code === 1 || ended.code === 2))
      broken.push(`a fault of the program itself (${ended.code}): ${ended.stderr}`);
    return ended;
  };
  const env = environment(shop, service, own) as Record<string, string>;
  const changes = async () =>
    JSON.parse((await runHere(['changes', 'list', '-o', 'json'], { env })).stdout || '[]') as { change: string; state: string }[];
  /** What a person does next: the same command, or what it names; nothing once the change is finished. */
  const next = async (): Promise<readonly string[] | undefined> => {
    const known = (await changes()).filter(({ state }) => state !== 'void');
    const open = known.find(({ state }) => state === 'unfinished');
    const both = service
      .students()
      .filter(({ email }, _, all) => all.filter((other) => String(other.email).toLowerCase() === String(email).toLowerCase()).length > 1);
    if (both.some(({ email }) => email !== 'STUDENT1@example.org' && !/^student1@/i.test(String(email))) && !open)
      broken.push('C4: a student is in both exams, and no change says so');
    if (command === 'move') return known.length > 0 && !open ? undefined : line;
    return open ? ['changes', 'resume', open.change] : known.length > 0 ? undefined : line;
  };

  for (const injury of injuries) {
    const words = await next();
    if (words === undefined) break;
    await run(words, injury);
  }
  let last: Ended | undefined;
  for (let times = 0; times < runsToTheEnd; times += 1) {
    const words = await next();
    if (words === undefined) break;
    last = await run(words);
  }
  if ((await next()) !== undefined) broken.push(`C6: it does not end: ${last?.code} ${last?.stderr}`);
  if (command === 'move')
    broken.push(
      ...brokenPlaces(service, first),
      ...wanted.students
        .filter(
          ({ id, exam_id, close_time }) => exam_id === 7 && service.students().find((one) => one.id === id)?.close_time !== close_time,
        )
        .map(({ id }) => `C1: session ${id} does not have the end of the session that was moved`),
      ...ids.filter((id) => service.students().some((student) => student.id === id)).map((id) => `C6: session ${id} was not moved`),
    );
  else if (JSON.stringify(keptBy(service)) !== JSON.stringify(wanted))
    broken.push('C1: the service does not have the times that were planned');
  service.close();
  return told;
}

/** What the service is to have in the end. */
function wantedOf(command: ChangeStory['command'], { exams, students }: Kept): Kept {
  if (command === 'move') {
    const later = (address: string) => students.find(({ exam_id, email }) => exam_id === 5 && email === address)?.close_time;
    return {
      exams,
      students: students.map((one) => (one.exam_id === 7 ? { ...one, close_time: later(String(one.email).toLowerCase()) } : one)),
    };
  }
  const moved = (time: unknown) => (time === null ? null : after(time, command === 'delay' ? 15 : 14 * 24 * 60 - 60));
  const only = (fields: Fields, names: readonly string[]) => Object.fromEntries(names.map((name) => [name, moved(fields[name])]));
  const isMoved = (id: unknown) => id === 5;
  return {
    exams: exams.map((exam) =>
      isMoved(exam.id) ? { ...exam, ...only(exam, command === 'delay' ? ['end_time'] : ['start_time', 'end_time']) } : exam,
    ),
    students: students.map((student) =>
      isMoved(student.exam_id)
        ? { ...student, ...only(student, command === 'delay' ? ['close_time'] : ['open_time', 'close_time']) }
        : student,
    ),
  };
}

/** C3: nobody is in the other exam twice, and nobody in none. */
function brokenPlaces(service: ExamService, first: Kept): string[] {
  const places = Map.groupBy(service.students(), ({ email }) => String(email).toLowerCase());
  return [...new Set(first.students.map(({ email }) => String(email).toLowerCase()))].flatMap((email) => {
    const exams = (places.get(email) ?? []).map(({ exam_id }) => exam_id);
    if (exams.length === 0) return [`C3: ${email} is in no exam`];
    return exams.filter((exam) => exam === 7).length > 1 ? [`C3: ${email} is in exam 7 twice`] : [];
  });
}

/** C5, as the service has it between two requests. */
function brokenWindows(service: ExamService, first: Kept, wanted: Kept): string[] {
  const now = keptBy(service);
  return now.students.flatMap((student, at) => {
    const { from, until } = windowOf(student, now);
    const whole = [first, wanted].some((kept) => {
      const window = windowOf(kept.students[at] ?? {}, kept);
      return from <= window.from && window.until <= until;
    });
    return whole ? [] : [`C5: session ${student.id} has neither its old window nor its new one`];
  });
}

function windowOf(session: Fields, { exams }: Kept): { from: number; until: number } {
  const { start_time, end_time } = exams.find(({ id }) => id === session.exam_id) ?? {};
  const at = (time: unknown) => Date.parse(String(time));
  return {
    from: Math.max(at(start_time), at(session.open_time ?? start_time)),
    until: Math.min(at(end_time), at(session.close_time ?? end_time)),
  };
}
