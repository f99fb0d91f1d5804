/** What a service does not show: a time is not set, any other field is named, and neither is called different nor stands in the way. */
import { expect, test } from 'vitest';
import { ada, bob, serviceWithExam } from '../support/algebra.ts';
import { ignored, lostAfter, lostBefore, type Reply, type Service } from '../support/service.ts';
import { type Fields, withoutUnset } from '../support/truth.ts';

const close = '2127-02-01T09:00:00Z';
const create = `sessions create --exam 1 --email eve@example.org --close-time ${close}`;
const seat = 'sessions update 7 -F seat=A1';
const time = 'sessions update 8 --open-time 2127-02-01T08:30Z';
const isList = (path: string) => path.endsWith('/student_sessions');
const without = (field: string, record: Fields) => Object.fromEntries(Object.entries(record).filter(([key]) => key !== field));

type Shows = (record: Fields, path: string) => Fields;
const always = (field: string) => (record: Fields) => without(field, record);
const inLists = (field: string) => (record: Fields, path: string) => (isList(path) ? without(field, record) : record);

/** What is shown, what is answered, what it and the same command again end with, what is said, how many requests write in all. */
const table: [what: string, line: string, shows: Shows, reply: Reply | undefined, codes: number[], says: RegExp, writes: number][] = [
  ['unset fields are left out', create, withoutUnset, undefined, [0, 11], /^/, 1],
  ['unset fields are left out, and one of them is sent', 'sessions update 7 --name Eve', withoutUnset, undefined, [0, 0], /^/, 1],
  ['unset fields are left out, a time, lost', time, withoutUnset, lostAfter, [0, 0], /^/, 1],
  ['unset fields are left out, a time, lost and not done', time, withoutUnset, lostBefore, [7, 0], /^/, 2],
  ['a time that only lists leave out is read by ID', create, inLists('close_time'), undefined, [0, 11], /^/, 1],
  ['a time that the record leaves out is not set', create, always('close_time'), undefined, [9, 11], /close_time/, 1],
  ['another field is named', seat, always('seat'), undefined, [0, 0], /does not show seat of student session 7/, 2],
  ['another field, lost', seat, always('seat'), lostAfter, [10, 0], /does not show seat of student session 7/, 2],
  ['another field, lost and not done', seat, always('seat'), lostBefore, [10, 0], /does not show seat/, 2],
  ['another field that only lists leave out', `${create} -F seat=A1`, inLists('seat'), undefined, [0, 11], /^/, 1],
  ['a field that is shown beside it and not set', `${seat} --name Eve`, always('seat'), ignored, [7, 0], /name is "?Ada/, 2],
];

test.each(table)('%s: %s', async (_what, line, shows, reply, codes, says, writes) => {
  const service = serviceWithExam({ sessions: [ada, bob], showing: { dated: false, as: (record, { path }) => shows(record, path) } });
  service.next('write', reply);
  const first = await service.run(line);
  const second = await service.run(line);
  expect([first.code, second.code, service.writes().length], first.stderr + second.stderr).toEqual([...codes, writes]);
  expect(first.stderr).toMatch(says);
});

test('--if-not-exists calls no student different who does not show a field.', async () => {
  const service: Service = serviceWithExam({ sessions: [ada], showing: { dated: false, as: withoutUnset } });
  for (const [field, code] of [
    ['-F seat=A1', 0],
    [`--close-time ${close}`, 11],
    ['--name Ada', 0],
    ['--name Eve', 11],
  ] as const)
    expect((await service.run(`sessions create --exam 1 --email ada@example.org ${field} --if-not-exists`)).code).toBe(code);
  expect(service.writes()).toEqual([]);
});

test('Where an exam does not show a restriction, all four have to be given; then it is named.', async () => {
  const service = serviceWithExam({ showing: { dated: false, as: (record) => without('allow_leave_room', record) } });
  const all = '--allow-headphones --no-allow-whiteboard --allow-leave-room --allow-pen-paper';
  for (const one of ['--allow-headphones', '--allow-leave-room']) {
    const { code, stderr } = await service.run(`exams update 1 ${one}`);
    expect([code, service.writes(), stderr]).toEqual([3, [], expect.stringContaining('--[no-]allow-leave-room')]);
  }
  const four = await service.run(`exams update 1 ${all}`);
  expect([four.code, four.stderr]).toEqual([0, expect.stringContaining('does not show allow_leave_room of exam 1')]);
});
