/** An undo knows what its run knew: whose service it is, what the last look saw, and who was taken away since by somebody else. */
import { describe, expect, test } from 'vitest';
import { killed } from '../runs/small-office.ts';
import { ada, algebra, bob, serviceWithExam } from '../support/algebra.ts';
import type { Run, World } from '../support/run.ts';
import { type Arrived, doneButReplies, lostAfter, lostBefore, type Reply, refused, type Service } from '../support/service.ts';
import { latest, listed, minuteLater, names, roster, where } from '../support/story.ts';
import type { Fields } from '../support/truth.ts';
import { done, move, office, three, undo, window } from './attacked-office.ts';

const zoe = { email: 'zoe@example.org' };
const create = 'sessions create --exam 1 --email zoe@example.org';

const imported = async (service: Service, ...who: string[]) => {
  await done(service, 'sessions import - --exam 1 --yes', 0, roster(...who));
  return latest(service);
};
/** Something that happens right after a request has read what it shows. */
const then = (act: () => unknown): Reply => ({
  answer(whole) {
    act();
    return whole;
  },
});
const begin = (service: Service) => {
  for (const { id } of service.sessions) service.change('session', id, { status: 'exam_started' });
};

describe('A run of another service', () => {
  test('story 5: is neither undone nor resumed nor closed here, and both services are named', async () => {
    const [service, real] = [serviceWithExam(), serviceWithExam({ sessions: [{ ...ada, id: 101, email: 'zoe@example.org' }] })];
    await done(service, create);
    const run = await latest(service);
    const path = { PROCTOR_BASE_URL: `${service.origin}/test/api/v1` };
    const there: World[] = [{ home: service.home }, { home: service.home, env: path }];
    for (const world of there) {
      for (const verb of ['undo --dry-run', 'undo', 'resume --dry-run', 'resume', 'close']) {
        const [name = '', ...options] = verb.split(' ');
        const { stderr } = await done(real, ['runs', name, run, ...options, '--yes'].join(' '), 3, world);
        expect(stderr).toContain(service.origin);
        expect(stderr).toContain(world.env ? `${service.origin}/test` : real.origin);
      }
    }
    expect([real.requests(), names(real)]).toEqual([[], 'zoe']);
    expect((await done(service, `runs undo ${run} --yes`)).writes).toEqual(['DELETE /student_sessions/101']);
  });

  test('story 5: is listed with --all-services only, and shown with its service', async () => {
    const [service, real] = [serviceWithExam(), serviceWithExam()];
    await done(service, create);
    const run = await latest(service);
    const world = { home: service.home };
    await done(real, create, 0, world);
    const [own] = await listed(real, world);
    expect([await listed(real, world), own?.run === run, Object.keys(own ?? {})]).toEqual([
      [own],
      false,
      expect.not.arrayContaining(['service']),
    ]);
    const all = (await done(real, 'runs list -o json --all-services', 0, world)).rows();
    expect(new Map(all.map((row) => [row.run, row.service]))).toEqual(
      new Map([
        [run, service.origin],
        [own?.run, real.origin],
      ]),
    );
    const { stdout } = await done(real, `runs show ${run} -o json`, 0, service.origin, world);
    expect(JSON.parse(stdout)).toEqual(expect.objectContaining({ service: service.origin }));
    expect((await done(real, `runs show ${run}`, 0, world)).stderr).toContain(service.origin);
  });

  test('story 5: keeps what it knows of the exam with the same ID that is forgotten here', async () => {
    const [service, real] = [serviceWithExam(), serviceWithExam()];
    await done(service, create);
    const world = { home: service.home };
    await done(real, create, 0, world);
    const { stdout } = await done(real, 'runs forget --exam 1 --yes -o json', 0, world);
    expect([JSON.parse(stdout), await listed(real, world)]).toEqual([{ runs: 1, records: 1 }, []]);
    expect(await listed(service)).toMatchObject([{ exam: 1, done: 1 }]);
  });
});

describe('Who was created', () => {
  const changes: [what: string, act: (service: Service) => unknown][] = [
    ['got extra time from here', (service) => done(service, 'sessions extend 101 --by 15m')],
    ['got extra time from a colleague', (service) => service.change('session', 101, { close_time: '2127-02-01T10:30:00Z' })],
    ['opens earlier', (service) => service.change('session', 101, { open_time: '2127-02-01T07:30:00Z' })],
    ['has a name by now', (service) => service.change('session', 101, { name: 'Zoe' })],
  ];
  test.each(changes)('story 6: who %s stays and is named; who was only mailed does not', async (_, act) => {
    const service = serviceWithExam();
    const run = await imported(service, 'zoe', 'yan');
    await act(service);
    for (const { id } of service.sessions) service.change('session', id, { status: 'mail_sent' });
    const dry = await done(service, `runs undo ${run} --dry-run`);
    expect(dry.stderr).toMatch(/delete 1 student of exam 1 .*1 of them was mailed: yan@example.org; .*cannot be taken back/s);
    expect(dry.stderr).toMatch(/\); session 101 zoe@example.org stays, at /);
    const { writes, stderr } = await done(service, `runs undo ${run} --yes`, 9);
    expect([writes, names(service), stderr]).toEqual([['DELETE /student_sessions/102'], 'zoe', expect.stringContaining('zoe@example.org')]);
    expect((await done(service, `runs undo ${run} --yes`, 11)).writes).toEqual([]);
  });

  test('story 6: the run from here that has changed them is named, and once it is undone, they are deleted', async () => {
    const service = serviceWithExam();
    const run = await imported(service, 'zoe', 'yan');
    await done(service, 'sessions extend 101 --by 15m');
    const { stderr } = await done(service, `runs undo ${run} --yes`, 9);
    const [, later = ''] = /session 101 zoe@example.org \(it was changed since by run (\S+): close_time is now /.exec(stderr) ?? [];
    expect(stderr).toContain(`first undo the later run: proctor-cli runs undo ${later}\n`);
    expect((await done(service, `runs show ${run}`)).stdout.match(/done +(?:undone by run \S+|-)$/gm)).toEqual([
      expect.stringMatching(/-$/),
      expect.stringMatching(/undone by run/),
    ]);
    await done(service, `runs undo ${later} --yes`);
    await done(service, `runs undo ${run} --yes`);
    expect(names(service)).toBe('');
  });

  test('story 6: the undo of a later run is not printed where it would delete students whom that run has created', async () => {
    const service = serviceWithExam();
    const run = await imported(service, 'zoe', 'yan');
    const stdin = 'email,close_time\nzoe@example.org,2127-02-01T10:30:00Z\nxia@example.org,\n';
    await done(service, 'sessions import - --exam 1 --update --yes', 0, { stdin });
    const { stderr } = await done(service, `runs undo ${run} --yes`, 9);
    expect(stderr).toMatch(/session 101 zoe@example.org \(it was changed since by run \S+: close_time is now /);
    expect(stderr).not.toContain('proctor-cli runs undo');
  });

  test('story 6: who was changed before the deletion arrives stays, too', async () => {
    const service = serviceWithExam();
    const run = await imported(service, 'zoe', 'yan');
    service.next(
      'GET /exams/1/student_sessions',
      then(() => service.change('session', 101, { close_time: '2127-02-01T10:30:00Z' })),
    );
    const { writes } = await done(service, `runs undo ${run} --yes`, 9);
    expect([writes, names(service)]).toEqual([['DELETE /student_sessions/102'], 'zoe']);
  });

  test('story 6: who shows all that the run saw is deleted, with what its second request set, and what the service added', async () => {
    const service = serviceWithExam();
    service.fault = ({ method, body }) => {
      if (method === 'POST') body.close_time = '2127-02-01T10:00:00Z';
      return undefined;
    };
    const stdin = 'email,open\nzoe@example.org,2127-02-01T07:30:00Z\n';
    await done(service, 'sessions import - --exam 1 --map open_time=open --yes', 0, { stdin });
    expect(service.sessions).toMatchObject([{ open_time: '2127-02-01T07:30:00Z', close_time: '2127-02-01T10:00:00Z' }]);
    await done(service, `runs undo ${await latest(service)} --yes`);
    expect(service.sessions).toEqual([]);
  });

  const atOnce = [{ name: 'Zoe B.' }, { close_time: '2127-02-01T10:00:00Z' }];
  test.each(atOnce)('story 6: who was given %o before the first look stays and is named', async (change) => {
    const service = serviceWithExam();
    service.onAnswer = ({ method }) => {
      if (method === 'POST') service.change('session', 101, change);
    };
    await service.run('sessions create --exam 1 --email zoe@example.org --name Zoe');
    await done(service, `runs undo ${await latest(service)} --yes`, 11, 'zoe@example.org (it was changed since');
    expect(service.sessions).toEqual([expect.objectContaining(change)]);
  });

  test('story 6: who was given more time between the two requests of a line stays and is named', async () => {
    const service = serviceWithExam();
    const close_time = '2127-02-01T10:00:00Z';
    service.onArrival = ({ method }) => {
      if (method === 'PATCH') service.change('session', 101, { close_time });
    };
    const stdin = 'email,open\nzoe@example.org,2127-02-01T07:30:00Z\n';
    await done(service, 'sessions import - --exam 1 --map open_time=open --yes', 0, { stdin });
    await done(service, `runs undo ${await latest(service)} --yes`, 11);
    expect(service.sessions).toMatchObject([{ close_time }]);
  });

  test.each<[what: string, as: (record: Fields) => Fields]>([
    ['leaves out what is not set', (record) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null))],
    ['shows in lists only who it is', ({ id, exam_id, email, status }) => ({ id, exam_id, email, status })],
  ])('story 6: at a service that %s, who got time stays, and all others are deleted', async (_, as) => {
    const service = serviceWithExam();
    service.showing.as = (record, { line }) => (line === 'GET /exams/1/student_sessions' ? as(record) : record);
    const run = await imported(service, 'zoe', 'yan');
    service.change('session', 101, { close_time: '2127-02-01T10:30:00Z' });
    await done(service, `runs undo ${run} --yes`, 9);
    expect(names(service)).toBe('zoe');
  });

  const examChanges: [what: string, act: (service: Service) => unknown][] = [
    ['has another restriction', (service) => service.change('exam', 101, { allow_headphones: true })],
    ['is not recorded by now', (service) => service.change('exam', 101, { save_recording: false })],
    ['ends later', (service) => service.change('exam', 101, { end_time: '2127-05-01T11:00:00Z' })],
    ['has a proctor by now', (service) => service.truth.pool(101, [3], 'add')],
  ];
  test.each(examChanges)('story 6: an exam that %s stays and is named', async (_, act) => {
    const { service } = await done(serviceWithExam(), 'exams create --name Optics --start 2127-05-01T08:00:00Z --end 2127-05-01T10:00:00Z');
    const run = await latest(service);
    await act(service);
    expect((await done(service, `runs undo ${run} --yes`, 11)).writes).toEqual([]);
    expect(service.exams).toHaveLength(2);
  });

  test('story 6: an exam that shows all that its run saw is deleted, with the pool that the run gave it', async () => {
    const service = serviceWithExam({ pools: { 1: [3, 4] }, sessions: [ada] });
    await done(service, 'exams clone 1 --start 2127-05-01T08:00:00Z --with-students');
    const run = await latest(service);
    await done(service, `runs undo ${run} --yes`);
    expect([service.exams.length, service.sessions.length]).toEqual([1, 1]);
    await done(service, `runs undo ${run} --yes`);
  });
});

describe('A move that is undone', () => {
  test('story 7: is a move again, whose undo moves once more: the student is in one exam, with all values', async () => {
    const { service } = await done(office(), move);
    for (const at of [1, 2, 1, 2]) {
      await done(service, `runs undo ${await latest(service)} --yes`);
      expect(service.sessions).toEqual([
        expect.objectContaining({ email: ada.email, name: 'Ada', exam_id: at, ...window, skip_requirements: true }),
      ]);
    }
  });

  test('story 8: names who was deleted by a colleague at the moment of the deletion, with the command that helps', async () => {
    const { service } = await done(office(), move);
    service.onArrival = ({ method }: Arrived) => void (method === 'DELETE' && service.truth.remove('session', 102));
    const { stderr } = await undo(service, 9, 'ada@example.org');
    service.onArrival = () => {};
    const [, printed = ''] = /proctor-cli (sessions create .*)/.exec(stderr) ?? [];
    await done(service, printed);
    expect(service.sessions).toMatchObject([{ exam_id: 1, name: 'Ada', close_time: window.close_time, skip_requirements: true }]);
  });

  test.each<[what: string, act: (service: Service) => void]>([
    ['is gone', (service) => service.truth.remove('session', 102)],
    ['closes earlier', (service) => service.change('session', 102, { close_time: null })],
    ['has another address', (service) => service.change('session', 102, { email: 'eve@example.org' })],
  ])('story 8: deletes nobody while the one who was put back %s', async (_, act) => {
    const { service } = await done(office(), move);
    const run = await latest(service);
    service.onArrival = ({ line }: Arrived) => void (line === 'GET /student_sessions/102' && act(service));
    const { writes } = await done(service, `runs undo ${run} --yes`, 9);
    expect(writes).not.toContain('DELETE /student_sessions/101');
    expect(where(service)).toContain('ada 2');
  });

  test('story 8: of a move that was half done, deletes the new session only while the old one is shown', async () => {
    for (const isGone of [false, true]) {
      const service = office();
      service.next('DELETE', refused(422));
      await done(service, move, 9);
      const second = then(() => isGone && service.truth.remove('session', 7));
      service.next('GET /student_sessions/7', second);
      await undo(service, isGone ? 11 : 0);
      expect(where(service)).toBe(isGone ? 'ada 2' : 'ada 1');
    }
  });

  test('story 8: and deletes nobody who has begun, or was given time, after the listing', async () => {
    for (const fields of [{ status: 'check_started' }, { close_time: '2127-02-01T10:45:00Z' }]) {
      const { service } = await done(office(), move);
      service.onArrival = ({ method }: Arrived) => void (method === 'POST' && service.change('session', 101, fields));
      const { writes } = await undo(service, 9);
      expect(writes).not.toContain('DELETE /student_sessions/101');
    }
  });

  test('story 8: opens as much later as that exam starts later by now, and closes as much later as it ends later', async () => {
    const { service } = await done(office(), move);
    service.change('exam', 1, { start_time: '2127-02-01T09:00:00Z', end_time: '2127-02-01T11:30:00Z' });
    await undo(service);
    const later = { open_time: '2127-02-01T09:15:00Z', close_time: '2127-02-01T12:00:00Z' };
    expect(service.sessions).toEqual([expect.objectContaining({ exam_id: 1, ...later })]);
  });

  test('story 9: puts nobody back who was moved on since', async () => {
    const { service } = await done(office(), move);
    const first = await latest(service);
    await done(service, 'sessions move 101 --exam 3 --yes');
    const second = await latest(service);
    const { writes, stderr } = await done(service, `runs undo ${first} --yes`, 11);
    expect([writes, where(service), stderr]).toEqual([[], 'ada 3', expect.stringContaining('the student was moved to exam 3 by run')]);
    await done(service, `runs undo ${second} --yes`);
    expect(where(service)).toBe('ada 2');
    expect((await done(service, `runs undo ${second} --yes`)).writes).toEqual([]);
  });

  const faults: [what: string, reply: Reply][] = [
    ['lost before', lostBefore],
    ['lost after', lostAfter],
    ['late', { answer: 'lost', done: 25_000 }],
    ['refused with 409', refused(409)],
    ['refused with 422', refused(422)],
    ['answered with 500', refused(500)],
    ['done, and answered with 500', doneButReplies(500)],
  ];
  test.each(faults)('story 8: with each of its requests %s loses nobody, on each way on', async (_, reply) => {
    for (const at of [1, 2, 3])
      for (const isKilled of [false, true])
        for (const way of ['undo', 'resume', 'undo of it', 'close, undo']) {
          const { service } = await done(office(), move);
          const line = `runs undo ${await latest(service)} --yes`;
          let count = 0;
          service.fault = ({ method }) => (method !== 'GET' && ++count === at ? reply : undefined);
          const home = isKilled ? await killed(service, line, { writes: at }) : service.home;
          if (!isKilled) await service.run(line);
          service.fault = () => undefined;
          minuteLater(service);
          const it = await latest(service, { home });
          const lines = { undo: [line], resume: [`runs resume ${it} --yes`], 'undo of it': [`runs undo ${it} --yes`] }[way];
          let code = 0;
          for (const each of lines ?? [`runs close ${it}`, line]) {
            ({ code } = await service.run(each, { home }));
            minuteLater(service);
          }
          const about = `${way} after request ${at}, killed: ${isKilled}`;
          expect(['ada 1', 'ada 2', 'ada 2, ada 1', 'ada 1, ada 2'], about).toContain(where(service));
          if (code === 0) expect(service.sessions.length, about).toBe(1);
        }
  });

  test('story 8: right away at a service whose lists are late, loses nobody; a minute later it is done', async () => {
    const service = office({ showing: { dated: true, lag: 5_000 } });
    await service.run(move);
    const line = `runs undo ${await latest(service)} --yes`;
    await service.run(line);
    expect(['ada 1', 'ada 2']).toContain(where(service));
    minuteLater(service);
    await service.run(line);
    expect([where(service), service.sessions[0]?.close_time]).toEqual(['ada 1', window.close_time]);
  });

  test('story 8: The new session shows its time late: it is awaited, and the other one is deleted then', async () => {
    const { service } = await done(office(), move);
    await service.clock.pass(600_000);
    service.showing.replicaBehind = 3_000;
    await undo(service);
    expect(service.sessions).toMatchObject([{ email: ada.email, exam_id: 1, ...window }]);
  });

  test('story 8: The new session got another time meanwhile: both stay, and the other one is named', async () => {
    const { service } = await done(office(), move);
    service.onAnswer = ({ method }) => void (method === 'PATCH' && service.change('session', 102, { close_time: null }));
    const { stderr } = await undo(service, 9);
    expect([where(service), stderr]).toEqual(['ada 2, ada 1', expect.stringContaining('102')]);
  });

  test('story 9: puts nobody back whom a colleague has put into a third exam, under the same ID', async () => {
    const { service } = await done(office(), move);
    service.change('session', 101, { exam_id: 3 });
    expect([(await undo(service, 11)).writes, where(service)]).toEqual([[], 'ada 3']);
  });

  test('story 9: puts nobody back who was moved back by another command, however often', async () => {
    const { service } = await done(office(), move);
    const [first] = await listed(service);
    await done(service, 'sessions move 101 --exam 1 --yes');
    expect((await done(service, `runs undo ${first?.run} --yes`, 11)).writes).toEqual([]);
    await undo(service);
    expect(where(service)).toBe('ada 2');
    expect((await done(service, `runs undo ${first?.run} --yes`, 11)).writes).toEqual([]);
  });

  test('story 9: puts nobody back into an exam that is gone', async () => {
    const { service } = await done(office(), move);
    service.truth.remove('exam', 1);
    expect([(await undo(service, 11)).writes, where(service)]).toEqual([[], 'ada 2']);
  });
});

test('story 10: An import says of who was moved away since that it did not undo it; who was undone from here, is undone', async () => {
  const service = serviceWithExam({ exams: three });
  const run = await imported(service, 'zoe', 'yan');
  await done(service, 'sessions move 101 --exam 2 --yes');
  const undo = `runs undo ${run} --yes -o json`;
  const { stdout, writes } = await done(service, undo, 9);
  expect([JSON.parse(stdout), writes, where(service)]).toEqual([
    [expect.objectContaining({ session: 102, result: 'undone' }), expect.objectContaining({ session: 101, result: 'kept' })],
    ['DELETE /student_sessions/102'],
    'zoe 2',
  ]);
  const again = await done(service, undo, 11);
  expect(again.writes).toEqual([]);
  expect((await listed(service)).find((row) => row.run === run)?.state).toBe('partly undone');
});

test('story 10: Who was moved away and put back by an undo is named with the session that stands there now, and the way on', async () => {
  const service = serviceWithExam({ exams: three });
  const run = await imported(service, 'zoe');
  await done(service, 'sessions move 101 --exam 2 --yes');
  await done(service, `runs undo ${await latest(service)} --yes`);
  const { stderr, writes } = await done(service, `runs undo ${run} --yes`, 11);
  expect([writes, stderr]).toEqual([[], expect.stringContaining('1 step of the run was not undone: session 101')]);
  expect(stderr).not.toContain('moved to exam');
  const [, printed = ''] = /again, as session 103; to delete it: proctor-cli (sessions delete 103)/.exec(stderr) ?? [];
  await done(service, `${printed} --yes`);
  expect((await done(service, `runs undo ${run} --yes`, 11)).stderr).not.toContain('as session 103');
});

test('story 10: Of who was moved away and put back, no undo says that the student is in the other exam', async () => {
  const { service } = await done(office(), 'sessions extend 7 --by 15m');
  const extension = await latest(service);
  const creation = await imported(service, 'zoe');
  for (const id of [7, 101]) {
    await done(service, `sessions move ${id} --exam 2 --yes`);
    await done(service, `runs undo ${await latest(service)} --yes`);
  }
  expect(where(service)).toBe('ada 1, zoe 1');
  const [first, second] = service.sessions.map(({ id }) => id);
  const ofExtension = await done(service, `runs undo ${extension} --yes`, 11);
  expect(ofExtension.stderr).toContain(`the student is in exam 1 again, as session ${first}`);
  // What was extended is not what a creation would take back.
  expect(ofExtension.stderr).not.toContain('sessions delete');
  await done(service, `sessions delete ${first} ${second} --yes`);
  for (const run of [extension, creation]) {
    const { stderr } = await done(service, `runs undo ${run} --yes`, 11, 'it is no longer there');
    expect(stderr).not.toContain('moved to exam');
  }
});

describe('Whoever begins between the plan and the deletion', () => {
  test('story 10a: stays, of forty who are undone', async () => {
    const service = serviceWithExam();
    const run = await imported(service, ...Array.from({ length: 40 }, (_, at) => `s${at}`));
    service.next(
      'GET /exams/1/student_sessions',
      then(() => begin(service)),
    );
    const { writes } = await done(service, `runs undo ${run} --yes`, 11);
    expect([writes, service.sessions.length]).toEqual([[], 40]);
  });

  test('story 10a: stays, and one GET is made for each of forty who are deleted', async () => {
    const service = serviceWithExam();
    const run = await imported(service, ...Array.from({ length: 40 }, (_, at) => `s${at}`));
    const before = service.arrived.length;
    await done(service, `runs undo ${run} --yes`);
    const lines = service.requests().slice(before);
    const reads = (id: number) =>
      lines.slice(0, lines.indexOf(`DELETE /student_sessions/${id}`)).filter((line) => line === `GET /student_sessions/${id}`);
    expect([service.sessions, new Set(Array.from({ length: 40 }, (_, at) => reads(101 + at).length))]).toEqual([[], new Set([1])]);
  });

  test.each<[line: string, read: string, world?: World]>([
    ['sessions delete 7 --yes', 'GET /student_sessions/7'],
    ['sessions import - --exam 1 --remove-missing 1 --yes', 'GET /exams/1/student_sessions', { stdin: 'email\nbob@example.org\n' }],
    [move, 'GET /student_sessions/7'],
  ])('story 10a: stays: %s', async (line, read, world) => {
    for (const fields of [{ status: 'exam_started' }, { close_time: '2127-02-01T10:45:00Z' }]) {
      const service = serviceWithExam({ exams: three, sessions: [ada, { ...ada, id: 8, email: 'bob@example.org' }] });
      // A move reads the student once for its locks, and once for its plan.
      const planned = then(() => service.change('session', 7, fields));
      service.next(read, ...(line === move ? [undefined, planned] : [planned]));
      const { code } = await service.run(line, world);
      expect([[9, 11].includes(code), service.writes().filter((each) => each.startsWith('DELETE'))]).toEqual([true, []]);
      expect(service.sessions.find(({ id }) => id === 7)).toMatchObject(fields);
    }
  });
});

test('story 6: An exam that was acknowledged and is not shown may show later: its undo stays open, and deletes it then', async () => {
  const unseen = new Set([101]);
  const service = serviceWithExam({ showing: { dated: false, unseen } });
  await done(service, 'exams create --name Optics --start 2127-05-01T08:00:00Z --end 2127-05-01T10:00:00Z', 10);
  const undo = `runs undo ${await latest(service)} --yes`;
  expect((await done(service, undo, 11)).stderr).not.toContain('no longer there');
  unseen.clear();
  await done(service, undo);
  expect(service.exams.map(({ id }) => id)).toEqual([1]);
});

/** The command at the end of a hint, with the path of the file and the header of the addresses. */
const hinted = ({ stderr }: Run) =>
  `${/: (sessions import .*)$/m.exec(stderr)?.[1]?.replace('FILE', '-').replace('COLUMN', 'email')} --yes`;

describe('Who was moved since is not created again by the printed command', () => {
  const stdin = 'email\nzoe@example.org\nyves@example.org\n';

  test.each([
    ['sessions move 101 --exam 2 --yes', 'ada 1, zoe 2, yves 1'],
    ['sessions delete 101 --yes', 'ada 1, yves 1'],
  ])('after an undo of the undo of an import: %s', async (since, end) => {
    const service = office();
    const run = await imported(service, 'zoe', 'yves');
    await done(service, since);
    await done(service, `runs undo ${run} --yes`, 9);
    const refusal = await done(service, `runs undo ${await latest(service)} --yes`, 11);
    await done(service, hinted(refusal), 0, { stdin });
    expect(where(service)).toBe(end);
  });

  test('after an undo of the undo of an import that was taken back whole: all are created', async () => {
    const service = office();
    await done(service, `runs undo ${await imported(service, 'zoe', 'yves')} --yes`);
    const refusal = await done(service, `runs undo ${await latest(service)} --yes`, 11);
    expect(hinted(refusal)).not.toContain('--except');
    await done(service, hinted(refusal), 0, { stdin });
    expect(where(service)).toBe('ada 1, zoe 1, yves 1');
  });

  test('but named, with the command that finds them, where there is no file to leave them out of', async () => {
    const service = office();
    const email = "zoe.o'neill@example.org";
    service.add({ ...zoe, email, exam_id: 1 });
    await done(service, 'exams clone 1 --start 2127-03-01T09:00:00Z --with-students --yes');
    const run = await latest(service);
    const cloned = service.sessions.find((each) => each.email === email && each.exam_id !== 1);
    await done(service, `sessions move ${cloned?.id} --exam 2 --yes`);
    await done(service, `runs undo ${run} --yes`, 9);
    const { stderr } = await done(service, `runs undo ${await latest(service)} --yes`, 11);
    const find = String.raw`proctor-cli sessions find 'zoe.o'\''neill@example.org'`;
    expect(stderr).toContain(`It creates ${email} again; then find and delete them: ${find}\n`);
  });

  test('after an import that was killed, and whose rest is given up', async () => {
    const service = office();
    const home = await killed(service, 'sessions import - --exam 1 --yes', { stdin });
    const run = (await listed(service, { home }))[0]?.run;
    const session = service.sessions.find(({ email }) => email?.startsWith('zoe'))?.id;
    await done(service, `sessions move ${session} --exam 2 --yes`, 0, { home });
    const resumed = await service.run(`runs resume ${run} --yes`, { home });
    await done(service, hinted(resumed), 0, { home, stdin });
    expect(where(service)).toBe('ada 1, zoe 2, yves 1');
  });
});

test('story 8: of a move whose create stays unknown, the same command does not say that a deletion was sent', async () => {
  const service = office();
  service.next('POST', { done: 'never' });
  await done(service, move, 10);
  const resumed = await done(service, move, 10);
  expect(resumed.stderr).toContain(
    'Session 7 of exam 1 stays: The service accepted the request and named student session 101, but no read shows it.',
  );
  expect([where(service), service.writes().length]).toEqual(['ada 1', 1]);
});

const optics = 'exams create --name Optics --start 2127-05-01T08:00:00Z --end 2127-05-01T10:00:00Z';
test.each([
  ['session', create],
  ['exam', optics],
] as const)('The %s that gets the ID of a deleted one is of its run, and the undo deletes it', async (kind, line) => {
  const service = serviceWithExam({ habits: { firstId: 101, reuses: true }, showing: { dated: true } });
  const { truth } = service;
  const ids = () => [...truth[`${kind}s`].keys()];
  await done(service, line);
  truth.remove(kind, 101);
  for (const _ of ['of a colleague', 'of an undo']) {
    await done(service, line);
    expect(ids()).toContain(101);
    const run = await latest(service);
    for (const _again of ['first', 'second']) await done(service, `runs undo ${run} --yes`);
    expect(ids()).not.toContain(101);
  }
});

test('A time that the service has stored otherwise than it was sent is set back, but not one that a colleague has set since', async () => {
  const service = office();
  service.onArrival = ({ body }) => {
    if (typeof body.close_time === 'string') body.close_time = body.close_time.replace(/\d:\d\dZ$/, '0:00Z');
  };
  const update = 'sessions update 7 --close-time 2127-02-01T10:44:00Z --yes';
  const closes = () => service.sessions[0]?.close_time;
  await done(service, update, 9);
  expect(closes()).toBe('2127-02-01T10:40:00Z');
  await undo(service);
  expect(closes()).toBe(window.close_time);
  await done(service, update, 9);
  service.change('session', 7, { close_time: '2127-02-01T10:50:00Z' });
  await undo(service, 11, 'it was changed since');
  expect(closes()).toBe('2127-02-01T10:50:00Z');
});

test("A value that only a look has shown otherwise than it was sent may be somebody else's: the undo leaves it, and says what it shows", async () => {
  const service = office({ habits: { keptTime: (time) => time.replace(/\d:\d\dZ$/, '0:00Z') } });
  await done(service, 'sessions update 7 --close-time 2127-02-01T10:44:00Z --yes', 9);
  await undo(service, 11, 'it shows other values than were set: close_time is 2127-02-01 10:40');
});

test('A move of two goes on where the second new session gets the ID of the first old one', async () => {
  const service = office({ sessions: [ada, { ...bob, ...window }], habits: { firstId: 101, reuses: true } });
  const home = await killed(service, 'sessions move 7 8 --exam 2 --yes');
  await done(service, `runs resume ${await latest(service, { home })} --yes`, 0, { home });
  expect([where(service), service.sessions.map(({ id }) => id)]).toEqual(['ada 2, bob 2', [101, 7]]);
});

test('Nothing is waited for where a student is moved there and back under the same IDs', async () => {
  const service = office({ habits: { firstId: 101, reuses: true } });
  for (const _ of ['first', 'second']) {
    await done(service, move);
    expect((await undo(service)).waits).toEqual([]);
  }
  expect(service.sessions).toMatchObject([{ ...ada, ...window }]);
});

test.each([
  ['in no zone', '2127-05-01T08:00:00'],
  ['as nothing', null],
])('An exam whose start the service shows %s is not created again by the same command', async (_, start_time) => {
  const service = serviceWithExam({ showing: { as: (record) => ({ ...record, start_time }) } });
  await done(service, optics, 9);
  await done(service, optics, 11);
  expect(service.exams.length).toBe(2);
});

test('At a service that shows no session by its ID, what its list shows as planned is set, and an undo says at once why it cannot go on', async () => {
  const service = office({ sessions: [ada, { ...bob, status: 'exam_finished' }] });
  service.fault = ({ line }) => (line.startsWith('GET /student_sessions/') ? refused(404) : undefined);
  service.truth.createExam(algebra, 'colleague', 7);
  // Of a session that no read shows, the exam is not known.
  await done(service, 'sessions update 7 --name Adele --yes', 6);
  await done(service, 'sessions extend --exam 1 --by 15m --yes');
  const { waits } = await undo(service, 3, 'session 7 and student session 8, and shows neither by its ID (404)');
  expect(waits).toEqual([]);
  service.truth.remove('session', 8);
  await undo(service, 11, 'the list of exam 1 shows it, and the service does not by its ID (404)');
});

test('An undo whose deletion lost its answer waits for no minute: two reads show that the session is gone.', async () => {
  const { service } = await done(serviceWithExam(), create);
  service.next('DELETE', lostAfter);
  const run = await latest(service);
  const began = service.clock.now();
  let last = began;
  service.onAnswer = () => {
    last = service.clock.now();
  };
  await done(service, `runs undo ${run} --yes`);
  expect([service.sessions, last - began < 5000]).toEqual([[], true]);
});
