/** The undo of a move, at each fault, on each way on, and after the student or the exam is elsewhere. */
import { describe, expect, test } from 'vitest';
import { killed } from '../runs/small-office.ts';
import { ada } from '../support/algebra.ts';
import { doneButReplies, lostAfter, lostBefore, type Reply, refused } from '../support/service.ts';
import { done, latest, listed, minuteLater, move, office, undo, where, window } from './attacked-office.ts';

describe('A move that is undone', () => {
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
          const service = office();
          await done(service, move);
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
    const service = office();
    await done(service, move);
    await service.clock.pass(600_000);
    service.showing.replicaBehind = 3_000;
    await undo(service);
    expect(service.sessions).toMatchObject([{ email: ada.email, exam_id: 1, ...window }]);
  });

  test('story 8: The new session got another time meanwhile: both stay, and the other one is named', async () => {
    const service = office();
    await done(service, move);
    service.onAnswer = ({ method }) => void (method === 'PATCH' && service.change('session', 102, { close_time: null }));
    const { stderr } = await undo(service, 9);
    expect([where(service), stderr]).toEqual(['ada 2, ada 1', expect.stringContaining('102')]);
  });

  test('story 9: puts nobody back whom a colleague has put into a third exam, under the same ID', async () => {
    const service = office();
    await done(service, move);
    service.change('session', 101, { exam_id: 3 });
    expect([(await undo(service, 11)).writes, where(service)]).toEqual([[], 'ada 3']);
  });

  test('story 9: puts nobody back who was moved back by another command, however often', async () => {
    const service = office();
    await done(service, move);
    const [first] = await listed(service);
    await done(service, 'sessions move 101 --exam 1 --yes');
    expect((await done(service, `runs undo ${first?.run} --yes`, 11)).writes).toEqual([]);
    await undo(service);
    expect(where(service)).toBe('ada 2');
    expect((await done(service, `runs undo ${first?.run} --yes`, 11)).writes).toEqual([]);
  });

  test('story 9: puts nobody back into an exam that is gone', async () => {
    const service = office();
    await done(service, move);
    service.truth.remove('exam', 1);
    expect([(await undo(service, 11)).writes, where(service)]).toEqual([[], 'ada 2']);
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
