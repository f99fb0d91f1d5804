/** Undo once more: after an undo, beside a colleague, half known, declined, and at services that show less or late. */
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { create, killed, newExam } from '../runs/small-office.ts';
import { ada, algebra, bob } from '../support/algebra.ts';
import { temporaryFolder } from '../support/run.ts';
import { lostAfter, refused, type Service } from '../support/service.ts';
import { latest, listed, minuteLater, names, roster, where } from '../support/story.ts';
import { type Fields, withoutUnset } from '../support/truth.ts';
import { done, move, office, undo, window } from './attacked-office.ts';

const extended = { ...ada, close_time: '2127-02-01T10:30:00Z' };
const importing = 'sessions import - --exam 1 --yes';
const end = (service: Service) => [service.exams[0]?.end_time, service.sessions[0]?.close_time];

describe('The service of a run', () => {
  test('story 5: is the same in each spelling of its address, and another one at another port', async () => {
    const { service } = await done(office(), 'sessions create --exam 1 --email zoe@example.org');
    const dry = `runs undo ${await latest(service)} --dry-run`;
    const at = (PROCTOR_BASE_URL: string) => ({ env: { PROCTOR_BASE_URL } });
    for (const same of ['/', ':443', '/api/v1/']) await done(service, dry, 0, at(`${service.origin}${same}`));
    await done(service, dry, 0, at(service.origin.replace('proctor', 'PROCTOR')));
    const before = service.arrived.length;
    await done(service, dry.replace('--dry-run', '--yes'), 3, at(`${service.origin}:8443`));
    expect(service.arrived.length).toBe(before);
  });

  test('story 5: is asked of a copy of the record, too; without its key nothing is asked at all', async () => {
    const { service } = await done(office(), 'sessions create --exam 1 --email zoe@example.org');
    const home = temporaryFolder();
    cpSync(service.home, home, { recursive: true });
    const line = `runs undo ${await latest(service)} --yes`;
    await done(service, line);
    expect((await done(service, line, 11, { home })).writes).toEqual([]);
    rmSync(join(home, 'state', 'runs.key'));
    const before = service.arrived.length;
    await done(service, line, 3, { home });
    expect(service.arrived.length).toBe(before);
  });
});

describe('What somebody else has set', () => {
  test('or created, as it may be, is not offered to be deleted where the deletion of the old session was forgotten', async () => {
    const service = office({ sessions: [ada] });
    service.next('POST', lostAfter);
    await done(service, 'sessions move 7 --exam 2 --yes');
    const id = await latest(service);
    await done(service, 'runs forget --exam 1 --yes');
    const { stderr } = await done(service, `runs undo ${id} --yes`, 11);
    expect(stderr).not.toContain('sessions delete');
  });

  test('story 6: The end of a delayed exam was set by a colleague; the undo leaves an own window, too', async () => {
    const { service } = await done(office({ sessions: [extended] }), 'exams delay 1 --by 15m --yes');
    service.change('exam', 1, { end_time: '2127-02-01T10:20:00Z' });
    const { writes } = await undo(service, 11);
    expect([writes, end(service)]).toEqual([[], ['2127-02-01T10:20:00Z', '2127-02-01T10:45:00Z']]);
  });

  test.each([
    ['another one: the exam is as it was', '2127-02-01T11:00:00Z', '2127-02-01T10:00:00Z'],
    ['none: the student keeps the end of the exam', null, '2127-02-01T10:15:00Z'],
  ])('story 6: A window of a delayed exam was set by a colleague to %s', async (_, close_time, ends) => {
    const { service } = await done(office({ sessions: [extended, { ...bob, ...window }] }), 'exams delay 1 --by 15m --yes');
    service.change('session', 7, { close_time });
    await undo(service, 9);
    expect([service.exams[0]?.end_time, service.sessions.map((session) => session.close_time)]).toEqual([
      ends,
      [close_time, window.close_time],
    ]);
  });

  test('story 6: A restriction was set by a colleague; the undo of new times leaves the exam, and its window', async () => {
    const { service } = await done(office({ sessions: [extended] }), 'exams update 1 --end 2127-02-01T11:00:00Z --allow-headphones --yes');
    service.change('exam', 1, { allow_whiteboard: false });
    const run = await service.run(`runs undo ${await latest(service)} --yes`);
    expect([9, 11], run.stderr).toContain(run.code);
    expect(service.exams[0]?.allow_whiteboard).toBe(false);
    expect([
      ['2127-02-01T11:00:00Z', '2127-02-01T11:30:00Z'],
      ['2127-02-01T10:00:00Z', '2127-02-01T10:30:00Z'],
    ]).toContainEqual(end(service));
  });

  test('story 6: The start of a shifted exam was set by a colleague: nothing of that exam is undone', async () => {
    const { service } = await done(office(), 'exams shift 1 --by 7d --yes');
    service.change('exam', 1, { start_time: '2127-02-08T07:30:00Z' });
    expect((await undo(service, 11)).writes).toEqual([]);
  });

  test('story 6: Of an import with --update, the name that a colleague has set stays; the others are as they were', async () => {
    const service = office({ sessions: [ada, bob] });
    const stdin = 'email,name\nada@example.org,Adele\nbob@example.org,Bobby\nzoe@example.org,Zoe\n';
    await done(service, `${importing} --update --map name=name`, 0, { stdin });
    service.change('session', 8, { name: 'Robert' });
    service.change('session', 7, { close_time: window.close_time });
    await undo(service, 9, 'bob@example.org');
    expect(service.sessions).toEqual([
      expect.objectContaining({ name: 'Ada', close_time: window.close_time }),
      expect.objectContaining({ name: 'Robert' }),
    ]);
  });

  test('story 6: After an undo a colleague gives the same minutes; the same undo once more leaves them', async () => {
    const { service } = await done(office({ sessions: [extended] }), 'sessions extend 7 --by 15m --yes');
    const again = `runs undo ${await latest(service)} --yes`;
    await done(service, again);
    service.change('session', 7, { close_time: '2127-02-01T10:45:00Z' });
    await service.run(again);
    expect(service.sessions[0]?.close_time).toBe('2127-02-01T10:45:00Z');
  });

  test('story 6: Minutes were added, undone, and added again; the undo of the first run leaves those of the second', async () => {
    const service = office({ sessions: [extended] });
    const extend = 'sessions extend 7 --by 15m --yes';
    await done(service, extend);
    const first = `runs undo ${await latest(service)} --yes`;
    await done(service, first);
    await done(service, extend);
    const { code } = await service.run(first);
    expect([[0, 9, 11].includes(code), service.sessions[0]?.close_time]).toEqual([true, '2127-02-01T10:45:00Z']);
  });

  test('story 6: A proctor was added, undone, and added by a colleague; the same undo once more leaves them there', async () => {
    const { service } = await done(office(), 'proctors add 3 --exam 1 --yes');
    const again = `runs undo ${await latest(service)} --yes`;
    await done(service, again);
    service.truth.pool(1, [3], 'add');
    await service.run(again);
    expect([...(service.truth.pools.get(1) ?? [])]).toEqual([3]);
  });
});

describe('What is not proven to be of the run', () => {
  test('story 6: A create whose answer was lost shows another value; the undo names it', async () => {
    const service = office({ sessions: [] });
    service.next('POST', lostAfter);
    service.onAnswer = ({ method }) => void (method === 'POST' && service.change('session', 101, { close_time: '2127-02-01T10:10:00Z' }));
    await done(service, 'sessions create --exam 1 --email zoe@example.org --close-time 2127-02-01T10:30:00Z', 9);
    const { stderr } = await undo(service, 11);
    expect([names(service), stderr]).toEqual(['zoe', expect.stringContaining('101')]);
  });

  test('story 6: A create whose answer was lost stays, and is named with the command that deletes it', async () => {
    const service = office({ sessions: [] });
    service.next('POST', lostAfter);
    await done(service, importing, 0, roster('zoe', 'yan'));
    const { stderr } = await undo(service, 9);
    expect([names(service), stderr]).toEqual(['zoe', expect.stringContaining('proctor-cli sessions delete 101')]);
  });

  test('story 6: An undo that is declined leaves the open import as it is: the same import registers nobody twice', async () => {
    const service = office({ sessions: [] });
    // The second student is acknowledged, and not shown yet.
    service.showing.unseen = new Set([102]);
    const home = await killed(service, importing, { ...roster('zoe', 'yan', 'xan'), writes: 3 });
    minuteLater(service);
    const line = `runs undo ${await latest(service, { home })}`;
    await done(service, line, 130, { home, tty: true, answers: [false] });
    await service.run(importing, { home, ...roster('zoe', 'yan', 'xan') });
    expect(names(service)).not.toMatch(/yan .*yan/);
  });

  test('story 6: An undo of a student who is acknowledged and not shown takes nothing back, and the same command adds no other one', async () => {
    const service = office({ sessions: [] });
    service.showing.unseen = new Set([101]);
    const create = 'sessions create --exam 1 --email zoe@example.org';
    await done(service, create, 10);
    await undo(service, 11);
    await done(service, create, 10);
    expect(names(service)).toBe('zoe');
  });

  test('story 6: An undo takes back who is there twice, and ends with 9 as the rest stands; once more, it takes back that, too', async () => {
    const service = office({ sessions: [] });
    service.onArrival = ({ body, method }) => void (method === 'POST' && body.email === 'yan@example.org' && service.add(body));
    await done(service, importing, 9, roster('zoe', 'yan'));
    const line = `runs undo ${await latest(service)} --yes`;
    await done(service, line, 9);
    expect(names(service).split(' ').toSorted()).toEqual(['yan', 'zoe']);
    await done(service, line);
    expect(names(service)).toBe('yan');
  });

  test.each(['..', 'a/b', 'a\0b'])(
    'story 6: A session whose ID no path names (%j) stays and is named; the others are undone',
    async (id) => {
      const service = office({ sessions: [] });
      service.showing.as = (record) => (record.id === 101 ? { ...record, id } : record);
      await done(service, importing, 0, roster('zoe', 'yan'));
      const { stderr } = await undo(service, 9);
      expect([names(service), stderr]).toEqual(['zoe', expect.stringContaining('no ID that a path can name')]);
    },
  );

  test('story 7: The undo of a move is killed at its creation, a colleague gives time; its undo names the student who is in both', async () => {
    const { service } = await done(office(), move);
    const home = await killed(service, `runs undo ${await latest(service)} --yes`, { writes: 1 });
    for (const { id } of service.sessions) service.change('session', id, { close_time: '2127-02-01T10:45:00Z' });
    minuteLater(service);
    const { code, stderr } = await service.run(`runs undo ${await latest(service, { home })} --yes`, { home });
    expect(where(service)).toBe('ada 2, ada 1');
    expect([9, 11], stderr).toContain(code);
  });
});

describe('A chain of undos', () => {
  test.each<[what: string, as: (record: Fields, request: { line: string }) => Fields]>([
    ['whose IDs are texts', (record) => ({ ...record, id: String(record.id), exam_id: String(record.exam_id) })],
    ['that leaves out what is not set', withoutUnset],
    [
      'that shows a session with less in a list',
      ({ name, close_time, ...record }, { line }) => (/^GET .*student_sessions$/.test(line) ? record : { ...record, name, close_time }),
    ],
  ])('story 7: moves to and fro at a service %s', async (_, as) => {
    const service = office();
    service.showing.as = as;
    await done(service, move);
    for (const at of [1, 2, 1]) {
      await undo(service);
      expect(service.sessions).toEqual([expect.objectContaining({ exam_id: at, ...window, name: 'Ada' })]);
    }
  });

  test('story 7: is by the times of both exams, one of which was shifted by a week in between', async () => {
    const { service } = await done(office(), move);
    const week = { start_time: '2127-02-08T08:00:00Z', end_time: '2127-02-08T10:00:00Z' };
    service.change('exam', 1, week);
    await undo(service);
    expect(service.sessions).toMatchObject([{ exam_id: 1, open_time: '2127-02-08T08:15:00Z', close_time: '2127-02-08T10:30:00Z' }]);
    await undo(service);
    expect(service.sessions).toMatchObject([{ exam_id: 2, ...window }]);
  });

  test('story 7: A move was undone, and that undo too; the move stands, and its undo takes it back or names it', async () => {
    const { service } = await done(office(), move);
    const first = `runs undo ${await latest(service)} --yes`;
    await done(service, first);
    await undo(service);
    expect(where(service)).toBe('ada 2');
    const { code } = await service.run(first);
    // Taken back, or named.
    expect([`0 ada 1`, `11 ada 2`]).toContain(`${code} ${where(service)}`);
  });

  test('story 10: A run of which the undo was undone is no longer listed as undone', async () => {
    const { service } = await done(office(), move);
    const run = await latest(service);
    await done(service, `runs undo ${run} --yes`);
    expect((await listed(service)).find((row) => row.run === run)?.state).toBe('undone');
    await undo(service);
    expect((await listed(service)).find((row) => row.run === run)?.state).not.toBe('undone');
  });

  test('story 10: Who was deleted by another command, or by a colleague, is kept, named, and not called undone', async () => {
    const { service } = await done(office({ sessions: [] }), importing, 0, roster('zoe', 'yan', 'xan'));
    const run = await latest(service);
    await done(service, 'sessions delete 101 --yes');
    service.truth.remove('session', 102);
    const { stdout } = await done(service, `runs undo ${run} --yes -o json`, 9);
    const results = (JSON.parse(stdout) as Fields[]).map(({ session, result }) => `${session} ${result}`);
    expect(results.toSorted()).toEqual(['101 kept', '102 kept', '103 undone']);
    expect((await listed(service)).find((row) => row.run === run)?.state).toBe('partly undone');
  });

  test('story 10: What a colleague has created with the ID of what was undone stays, whatever it shows', async () => {
    for (const line of [`${create} --name Eve`, newExam]) {
      const { service } = await done(office({ sessions: [], habits: { reuses: true } }), line);
      const run = await latest(service);
      const kind = line === newExam ? 'exam' : 'session';
      const created = { ...(kind === 'exam' ? service.exams.at(-1) : service.sessions[0]) };
      await undo(service);
      service.truth.insert(kind, created, 'colleague');
      const { writes, stdout } = await done(service, `runs undo ${run} --yes -o json`);
      expect([writes, (JSON.parse(stdout) as Fields[]).map(({ result }) => result)]).toEqual([[], ['undone before']]);
    }
  });
});

describe('Between the plan and the deletion', () => {
  test('story 10a: A clone is undone; who is added while its students are deleted stays, with the exam', async () => {
    const { service } = await done(office({ sessions: [ada, bob] }), 'exams clone 1 --start 2127-05-01T08:00:00Z --with-students --yes');
    const run = await latest(service);
    service.onArrival = ({ line }) =>
      void (line === 'DELETE /student_sessions/102' && service.add({ exam_id: 101, email: 'new@example.org' }));
    const { code } = await service.run(`runs undo ${run} --yes`);
    expect([[9, 11].includes(code), names(service)]).toEqual([true, 'ada bob new']);
  });

  test('story 10a: Who is added to an exam after its listing stays, with the exam', async () => {
    const service = office({ sessions: [{ ...bob, exam_id: 2 }] });
    let isListed = false;
    service.onArrival = ({ line }) => {
      if (isListed && service.sessions.length === 1) service.add({ exam_id: 2, email: 'new@example.org' });
      isListed ||= line === 'GET /exams/2/student_sessions';
    };
    const { code } = await service.run('exams delete 2 --yes');
    expect([code, names(service)]).toEqual([11, 'bob new']);
  });

  test('story 10a: Who is added to an exam while its deletion is under way is named, where its list shows it', async () => {
    const service = office({ sessions: [{ ...bob, exam_id: 2 }] });
    service.fault = ({ line }) => {
      const isGone = line === 'GET /exams/2/student_sessions' && !service.exams.some(({ id }) => id === 2);
      return isGone ? refused(200, [{ ...ada, exam_id: 2 }]) : undefined;
    };
    const { code, stderr } = await service.run('exams delete 2 --yes');
    expect([code, stderr]).toEqual([9, expect.stringContaining('ada@example.org')]);
  });

  test('story 10a: Who has a state that nobody knows, or none that is shown, stays', async () => {
    for (const as of [({ status: _, ...record }: Fields) => record, (record: Fields) => ({ ...record, status: 'Running' })]) {
      const { service } = await done(office({ sessions: [] }), importing, 0, roster('zoe'));
      service.change('session', 101, { status: 'exam_started' });
      service.showing.as = as;
      expect([(await undo(service, 11)).writes, names(service)]).toEqual([[], 'zoe']);
    }
  });

  test('story 10a: An exam that was created stays with whom a colleague adds after the first reading', async () => {
    const service = office({ sessions: [] });
    await done(service, 'exams create --name Optics --start 2127-05-01T08:00:00Z --end 2127-05-01T10:00:00Z');
    service.onAnswer = ({ line }) => void (line === 'GET /exams/101' && service.sessions.length === 0 && service.add({ exam_id: 101 }));
    expect([(await undo(service, 11)).writes, service.sessions.length]).toEqual([[], 1]);
  });
});

test.each([
  ['exams apply', 'id,roster\n1,bob.csv\n2,ada.csv\n'],
  ['sessions import --map exam=exam', 'exam,email\n1,bob@example.org\n2,ada@example.org\n'],
])('Who goes from one exam to another by one file stays there when it is undone, until the student is back: %s', async (line, table) => {
  const service = office({ sessions: [ada, { ...ada, id: 8, email: 'bob@example.org' }] });
  const files = { 'table.csv': table, 'bob.csv': 'email\nbob@example.org\n', 'ada.csv': 'email\nada@example.org\n' };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(service.home, name), text);
  await done(service, `${line} ${join(service.home, 'table.csv')} --remove-missing 1 --yes`);
  expect(where(service)).toBe('bob 1, ada 2');
  const run = await latest(service);
  await done(service, `runs undo ${run} --yes`, 11, `run ${run} took the student from exam 1, and this session is the only one left`);
  await done(service, 'sessions create --exam 1 --email ada@example.org');
  await done(service, `runs undo ${run} --yes`, 9);
  expect(where(service)).toBe('bob 1, ada 1');
});

test('Who goes from one exam to another by a file is not offered to be deleted there where the answer was lost', async () => {
  const service = office();
  service.next('POST /exams/2/student_sessions', lostAfter);
  const stdin = 'exam,email\n1,bob@example.org\n2,ada@example.org\n';
  await done(service, 'sessions import - --map exam=exam --remove-missing 1 --yes', 0, { stdin });
  expect(where(service)).toContain('ada 2');
  const { stderr } = await done(service, `runs undo ${await latest(service)} --yes`, [9, 11]);
  expect(stderr).not.toContain('sessions delete');
});

test('The undo of an import keeps the session for which the undo of a move has deleted the other one, until the student is there again', async () => {
  const { service } = await done(office({ sessions: [ada] }), move);
  const moved = await latest(service);
  await done(service, importing, 0, { stdin: 'email,name\nada@example.org,Ada\n' });
  const imported = await latest(service);
  await done(service, `runs undo ${moved} --yes`);
  const back = await latest(service);
  expect(where(service)).toBe('ada 1');
  await done(service, `runs undo ${imported} --yes`, 11, `run ${back} took the student from exam 2, and this session is the only one left`);
  await done(service, 'sessions create --exam 2 --email ada@example.org');
  await done(service, `runs undo ${imported} --yes`);
  expect(where(service)).toBe('ada 2');
});

test('An undo waits once for all students whom a colleague has deleted, not a minute for each', async () => {
  const service = office({ sessions: [] });
  const opens = (name: string, at: number) => `${name}@example.org,${at % 3 === 0 ? window.open_time : ''}\n`;
  await service.run(importing, { stdin: `email,open_time\n${['zoe', 'yan', 'xia', 'wim', 'val', 'una'].map(opens).join('')}` });
  for (const { id } of service.sessions) service.truth.remove('session', id);
  const begun = service.clock.now();
  await service.run(`runs undo ${await latest(service)} --yes`);
  expect(service.clock.now() - begun).toBeLessThanOrEqual(61_000);
});

test.each(['PATCH', 'PUT'])(
  'The undo of api %s of an exam whose times it has changed names no window: none moved along',
  async (method) => {
    const service = office();
    await done(service, `api ${method} /exams/1 -f name=Algebra -F start_time=${algebra.start_time} -F end_time=2127-02-01T11:00:00Z`);
    await undo(service);
    expect(end(service)).toEqual([algebra.end_time, window.close_time]);
  },
);

test('A yes or no that an answer shows as a number, and the record as true, was not changed since', async () => {
  const service = office();
  service.showing.as = (record, { method }) => (method === 'POST' ? { ...record, skip_requirements: 1 } : record);
  await done(service, move);
  await undo(service);
  expect(where(service)).toBe('ada 1');
});

test('A yes or no that a service shows as a number is set back as true or false', async () => {
  const service = office();
  service.showing.as = ({ save_recording, ...record }) => ({ ...record, save_recording: Number(save_recording) });
  await done(service, 'exams update 1 --no-save-recording');
  await undo(service);
  expect(service.exams[0]?.save_recording).toBe(true);
});
