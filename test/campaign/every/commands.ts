/** Every kind of command, with what it asks for of the office. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Wish } from '../oracle/wish.ts';

/** `subject`: whom a colleague has to do with; `email`: whom a colleague registers. `other`: the command with another file. */
export type Command = {
  line: string;
  other?: string;
  subject?: { kind: 'exam' | 'session'; id: number };
  email?: string;
  wishes: readonly Wish[];
};

/** The files are those of all stories of this process. */
const folder = mkdtempSync(join(tmpdir(), 'proctor-cli-every-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
export const file = (name: string, ...lines: string[]) => {
  const path = join(folder, name);
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
  return path;
};
const [ada, bob] = [11, 12].map((id) => ({ kind: 'session' as const, id })) as [
  { kind: 'session'; id: number },
  { kind: 'session'; id: number },
];
const exam = (id = 6) => ({ kind: 'exam' as const, id });
const week = 7 * 1440;
const student = (exam: number | string, name: string, more: Partial<Wish & { is: 'student' }> = {}): Wish => ({
  ...{ is: 'student', exam, email: `${name}@example.org` },
  ...more,
});
/** Of a roster that only adds. */
const added = (exam: number | string, ...names: string[]) =>
  names.map((name) => student(exam, name, { added: true, fields: { name: `${name[0]?.toUpperCase()}${name.slice(1)}` } }));
const by = (kind: 'exam' | 'session', id: number, minutes: Record<string, number>): Wish => ({ is: 'by', kind, id, minutes });
const gone = (id: number, moved?: true): Wish => ({ is: 'gone', kind: 'session', id, ...(moved ? { moved } : {}) });
const set = (id: number, fields: Record<string, unknown>, kind: 'exam' | 'session' = 'session'): Wish => ({ is: 'set', kind, id, fields });
const ofExam = { allow_headphones: false, allow_whiteboard: true, allow_leave_room: false, allow_pen_paper: true, save_recording: true };
/** An exam whose times move, with the windows of its students. */
const moved = (start: number, end: number): Wish[] => [
  by('exam', 6, { ...(start ? { start_time: start } : {}), end_time: end }),
  by('session', 11, { close_time: end }),
  by('session', 12, { ...(start ? { open_time: start } : {}), close_time: end }),
];
/** An exam that is to be at these times, with the windows of its students. */
const along = (to: { start_time?: string; end_time: string }): Wish[] => [
  set(6, to, 'exam'),
  ...[11, 12].map((id): Wish => ({ is: 'along', id, exam: 6, to })),
];
const [optics, opticsEnd, eve] = ['2027-03-01T09:00:00Z', '2027-03-01T11:00:00Z', 'eve@example.org'];
const eleven = '2027-02-01T11:00:00Z';
const six = { start_time: '2027-02-01T08:00:00Z', end_time: '2027-02-01T10:30:00Z' };

const roster = file(
  'roster.csv',
  'email,name,open_time,close_time',
  `eve@example.org,Eve,2027-02-01T08:30:00Z,${eleven}`,
  'fay@example.org,Fay,,',
);
const roster2 = file('roster2.csv', 'email,name,open_time,close_time', 'fay@example.org,Fay,,', 'hal@example.org,Hal,,');
const updates = file('updates.csv', 'email,name,close_time', `ada@example.org,Ada L,${eleven}`, 'bob@example.org,Bobby,');
const updates2 = file('updates2.csv', 'email,name,close_time', `ada@example.org,Ada L,${eleven}`, 'cy@example.org,Cyril,');
const removes = file('removes.csv', 'email,name', 'ada@example.org,Ada', 'eve@example.org,Eve');
const removes2 = file('removes2.csv', 'email,name', 'ada@example.org,Ada', 'bob@example.org,Bob', 'eve@example.org,Eve');
const extra = file('extra.csv', 'email,extra', 'ada@example.org,50%', 'bob@example.org,60m');
const extra2 = file('extra2.csv', 'email,extra', 'ada@example.org,50%', 'cy@example.org,60m');
file('six.csv', 'email,name', 'ada@example.org,Ada', 'bob@example.org,Bob', 'cy@example.org,Cy', 'eve@example.org,Eve');
file('new.csv', 'email,name', 'fay@example.org,Fay');
const columns = 'id,name,date,start,end,roster,proctors';
const timetable = file(
  'timetable.csv',
  columns,
  '6,Algebra,2027-02-01,08:00,10:30,six.csv,1;2;3',
  'new,Optics,2027-03-01,09:00,11:00,new.csv,',
);
const timetable2 = file(
  'timetable2.csv',
  columns,
  '6,Algebra,2027-02-01,08:00,10:30,six.csv,1;2;3',
  '7,Analysis,2027-02-03,08:00,10:00,,4',
);
const across = file('across.csv', 'exam,email,name', '6,eve@example.org,Eve', '7,fay@example.org,Fay');
const across2 = file('across2.csv', 'exam,email,name', '7,fay@example.org,Fay', '8,hal@example.org,Hal');
file('of6.csv', 'email,name', 'ada@example.org,Ada', 'bob@example.org,Bob');
file('of7.csv', 'email,name', 'cy@example.org,Cy', 'dan@example.org,Dan');
const rosters = file('rosters.csv', 'id,roster,proctors', '6,of6.csv,2;3', '7,of7.csv,4');
const rosters2 = file('rosters2.csv', 'id,roster,proctors', '6,six.csv,2;3', '7,,4');

export const commands: Record<string, Command> = {
  create: {
    line: `sessions create --exam 6 --email Eve@example.org --name Eve --close-time ${eleven}`,
    ...{ subject: exam(), email: eve },
    wishes: [student(6, 'eve', { fields: { name: 'Eve', close_time: eleven } })],
  },
  twice: {
    line: 'sessions create --exam 6 --email ada@example.org --name Second --allow-duplicate',
    ...{ subject: ada, email: 'ada@example.org' },
    wishes: [student(6, 'ada', { beside: true, fields: { name: 'Second' } })],
  },
  'new exam': {
    line: `exams create --name Optics --start ${optics} --end ${opticsEnd} --no-save-recording`,
    wishes: [{ is: 'exam', name: 'Optics', fields: { start_time: optics, end_time: opticsEnd, save_recording: false } }],
  },
  update: {
    line: 'sessions update 11 --name Adele --email adele@example.org',
    ...{ subject: ada, email: 'adele@example.org' },
    wishes: [set(11, { name: 'Adele', email: 'adele@example.org' })],
  },
  restrict: {
    line: 'exams update 6 --allow-headphones --name Algebra1',
    subject: exam(),
    wishes: [set(6, { name: 'Algebra1', allow_headphones: true }, 'exam')],
  },
  times: { line: `exams update 6 --end ${eleven}`, subject: ada, email: eve, wishes: along({ end_time: eleven }) },
  delete: { line: 'sessions delete 11 12', subject: bob, email: 'bob@example.org', wishes: [gone(11), gone(12)] },
  'delete exam': {
    line: 'exams delete 7',
    subject: { kind: 'session', id: 21 },
    email: eve,
    wishes: [{ is: 'gone', kind: 'exam', id: 7 }, gone(21)],
  },
  mails: { line: 'exams send-emails 6 7', subject: ada, email: eve, wishes: [6, 7].map((id) => ({ is: 'mails', exam: id })) },
  'pool add': { line: 'proctors add 3 4 --exam 6', subject: exam(), wishes: [{ is: 'pool', exam: 6, add: [3, 4] }] },
  'pool remove': { line: 'proctors remove 1 --exam 6', subject: exam(), wishes: [{ is: 'pool', exam: 6, remove: [1] }] },
  import: {
    line: `sessions import ${roster} --exam 6`,
    ...{ other: `sessions import ${roster2} --exam 6`, subject: ada, email: eve },
    wishes: [
      student(6, 'eve', { fields: { name: 'Eve', open_time: '2027-02-01T08:30:00Z', close_time: eleven } }),
      student(6, 'fay', { fields: { name: 'Fay' } }),
    ],
  },
  'import update': {
    line: `sessions import ${updates} --exam 6 --update`,
    ...{ other: `sessions import ${updates2} --exam 6 --update`, subject: ada, email: eve },
    wishes: [
      set(11, { name: 'Ada L' }),
      { is: 'least', id: 11, close_time: eleven },
      set(12, { name: 'Bobby' }),
      student(6, 'ada', { fields: { name: 'Ada L' } }),
      student(6, 'bob', { fields: { name: 'Bobby' } }),
    ],
  },
  'import remove': {
    line: `sessions import ${removes} --exam 6 --remove-missing 2`,
    ...{ other: `sessions import ${removes2} --exam 6 --remove-missing 2`, subject: bob, email: eve },
    wishes: [student(6, 'ada'), student(6, 'eve', { fields: { name: 'Eve' } }), gone(12), gone(13)],
  },
  move: {
    line: 'sessions move 11 12 --exam 7',
    ...{ subject: ada, email: 'ada@example.org' },
    wishes: [
      student(7, 'ada', { from: 11, minutes: 2880 }),
      student(7, 'bob', { from: 12, minutes: 2880 }),
      gone(11, true),
      gone(12, true),
    ],
  },
  clone: {
    line: 'exams clone 6 --start 2027-03-01T08:00:00Z --with-students',
    ...{ subject: ada, email: eve },
    wishes: [
      {
        is: 'exam',
        name: 'Algebra',
        fields: { start_time: '2027-03-01T08:00:00Z', end_time: '2027-03-01T10:00:00Z', ...ofExam },
        pool: [1, 2],
      },
      ...(
        [
          ['ada', 11],
          ['bob', 12],
          ['cy', 13],
          // Whom a colleague adds is copied, too.
          ['eve', 0],
        ] as const
      ).map(([name, from]) => student('Algebra', name, { from, minutes: 4 * week })),
    ],
  },
  shift: { line: 'exams shift 6 --by 7d', subject: ada, email: eve, wishes: moved(week, week) },
  delay: { line: 'exams delay 6 --by 15m', subject: bob, email: eve, wishes: moved(0, 15) },
  extend: {
    line: 'sessions extend 11 12 --by 15m',
    subject: ada,
    email: eve,
    wishes: [11, 12].map((id) => by('session', id, { close_time: 15 })),
  },
  extra: {
    line: `accommodations apply ${extra} --exam 6`,
    ...{ other: `accommodations apply ${extra2} --exam 6`, subject: ada, email: eve },
    wishes: [
      { is: 'least', id: 11, close_time: eleven },
      { is: 'least', id: 12, close_time: '2027-02-01T11:15:00Z' },
    ],
  },
  timetable: {
    line: `exams apply ${timetable}`,
    ...{ other: `exams apply ${timetable2}`, subject: ada, email: eve },
    wishes: [
      ...along(six),
      ...added(6, 'ada', 'bob', 'cy', 'eve'),
      { is: 'pool', exam: 6, add: [3] },
      { is: 'exam', name: 'Optics', fields: { start_time: optics, end_time: opticsEnd } },
      ...added('Optics', 'fay'),
    ],
  },
  'import across': {
    line: `sessions import ${across} --map exam=exam`,
    ...{ other: `sessions import ${across2} --map exam=exam`, subject: ada, email: eve },
    wishes: [student(6, 'eve', { fields: { name: 'Eve' } }), student(7, 'fay', { fields: { name: 'Fay' } })],
  },
  'timetable of rosters': {
    line: `exams apply ${rosters} --remove-missing 1`,
    ...{ other: `exams apply ${rosters2} --remove-missing 1`, subject: { kind: 'session', id: 13 }, email: 'bob@example.org' },
    wishes: [
      ...added(6, 'ada', 'bob'),
      ...added(7, 'cy', 'dan'),
      gone(13),
      { is: 'pool', exam: 6, add: [3], remove: [1] },
      { is: 'pool', exam: 7, add: [4] },
    ],
  },
  put: { line: 'sessions update 11 --name Adele --put', subject: ada, email: eve, wishes: [set(11, { name: 'Adele' })] },
  'put exam': {
    line: 'exams update 6 --name Algebra1 --put',
    subject: exam(),
    wishes: [set(6, { name: 'Algebra1' }, 'exam')],
  },
  'api post': {
    line: 'api POST /exams/6/student_sessions -F email=eve@example.org -F name=Eve',
    ...{ subject: exam(), email: eve },
    wishes: [student(6, 'eve', { fields: { name: 'Eve' } })],
  },
  'api patch': { line: 'api PATCH /student_sessions/11 -F name=Adele', subject: ada, email: eve, wishes: [set(11, { name: 'Adele' })] },
  'api delete': { line: 'api DELETE /student_sessions/11', subject: ada, email: 'ada@example.org', wishes: [gone(11)] },
  'api unknown': { line: 'api POST /exams/6/grade -F x=1', subject: ada, email: eve, wishes: [{ is: 'raw', line: 'POST /exams/6/grade' }] },
};

/** What others ask for, with another file. */
export const otherWishes: Record<string, readonly Wish[]> = {
  import: [student(6, 'fay', { fields: { name: 'Fay' } }), student(6, 'hal', { fields: { name: 'Hal' } })],
  'import update': [set(11, { name: 'Ada L' }), { is: 'least', id: 11, close_time: eleven }, set(13, { name: 'Cyril' })],
  'import across': [student(7, 'fay', { fields: { name: 'Fay' } }), student(8, 'hal', { fields: { name: 'Hal' } })],
  'timetable of rosters': [
    ...added(6, 'ada', 'bob', 'cy', 'eve'),
    { is: 'pool', exam: 6, add: [3], remove: [1] },
    { is: 'pool', exam: 7, add: [4] },
  ],
  'import remove': [student(6, 'ada'), student(6, 'bob'), student(6, 'eve', { fields: { name: 'Eve' } }), gone(13)],
  extra: [
    { is: 'least', id: 11, close_time: eleven },
    { is: 'least', id: 13, close_time: eleven },
  ],
  timetable: [...along(six), ...added(6, 'ada', 'bob', 'cy', 'eve'), { is: 'pool', exam: 6, add: [3] }, { is: 'pool', exam: 7, add: [4] }],
};
