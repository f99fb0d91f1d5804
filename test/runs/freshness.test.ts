/**
 * A write relies on a read that is not older than two seconds by either clock, and on a record of itself that is not older either;
 * what has moved since is not overwritten.
 */
import { describe, expect, test } from 'vitest';
import { failureOf } from '../faults/outcome.ts';
import { ada, bob, held } from '../support/algebra.ts';
import { refused, type Service } from '../support/service.ts';

const start = Date.parse('2026-11-22T09:00:00Z');

/** Both clocks in the hand of the test; `wall` can be set back. */
function clocks() {
  const times = { wall: start, elapsed: 0 };
  return {
    pass(milliseconds: number) {
      times.wall += milliseconds;
      times.elapsed += milliseconds;
    },
    times,
    world: { now: () => times.wall, elapsed: () => times.elapsed },
  };
}

/** Time passes with every look at the clock until the service has had that many requests more than one. */
function slowUntil(service: Service, requests: number) {
  const { pass, world } = clocks();
  return {
    ...world,
    now() {
      if (service.arrived.length > 0 && service.arrived.length <= requests) pass(1500);
      return world.now();
    },
  };
}

const get = 'GET /student_sessions/7';
const patch = 'PATCH /student_sessions/7';
const rename = 'sessions update 7 --name Eve -o json';

/** Runs a deletion that asks, and does something while the question is open. */
function whileAsked(service: Service, line: string, act: () => void, world = {}) {
  const answers = [
    async () => {
      act();
      return true;
    },
    true,
  ];
  return service.run(line, { tty: true, answers, ...world });
}

describe('a read before a write', () => {
  test('serves it while it is young', async () => {
    const service = held({ sessions: [ada] });
    expect(await service.run(rename)).toMatchObject({ code: 0 });
    expect(service.requests()).toEqual([get, patch, get]);
  });

  /** The plan reads both sessions; the first deletion takes that long. */
  const deleting = async (milliseconds: number, clock: 'both' | 'wall' | 'elapsed') => {
    const service = held({ sessions: [ada, bob] });
    const { times, world } = clocks();
    service.fault = ({ line: request }) => {
      if (request === 'DELETE /student_sessions/7') {
        if (clock !== 'elapsed') times.wall += milliseconds;
        if (clock !== 'wall') times.elapsed += milliseconds;
      }
      return undefined;
    };
    const { code, stderr } = await service.run('sessions delete 7 8 --yes', world);
    expect(code, stderr).toBe(0);
    const [, ...later] = service.requests().slice(service.requests().indexOf('DELETE /student_sessions/7'));
    return later.slice(0, later.indexOf('DELETE /student_sessions/8'));
  };

  test('is not made again within two seconds', async () => {
    expect(await deleting(2000, 'both')).toEqual([]);
  });

  test.each(['both', 'wall', 'elapsed'] as const)('is made again when it is older, by the larger of the clocks: %s', async (clock) => {
    expect(await deleting(2001, clock)).toEqual(['GET /student_sessions/8']);
  });

  test('is not made young by a clock that is set back', async () => {
    const service = held({ sessions: [ada, bob] });
    const { times, world } = clocks();
    service.fault = ({ line: request }) => {
      if (request === 'DELETE /student_sessions/7') Object.assign(times, { wall: times.wall - 3_600_000, elapsed: times.elapsed + 5000 });
      return undefined;
    };
    await service.run('sessions delete 7 8 --yes', world);
    expect(service.requests().filter((request) => request === 'GET /student_sessions/8').length).toBe(3);
  });

  test('is made again for each try of a request that never started, once it is too old', async () => {
    const service = held({ sessions: [ada] });
    const { pass, world } = clocks();
    let times = 0;
    service.fault = ({ line: request }) => {
      if (request !== patch || times === 2) return undefined;
      times += 1;
      pass(11_000);
      return refused(429, {}, { 'retry-after': '0' });
    };
    const { code, stderr } = await service.run(rename, world);
    expect(code, stderr).toBe(0);
    expect(service.requests()).toEqual([get, patch, get, patch, get, patch, get]);
  });
});

describe('what has moved between question and write', () => {
  test('is not overwritten: a session that now belongs to another student', async () => {
    const service = held({ sessions: [ada, bob] });
    const { pass, world } = clocks();
    service.fault = ({ line: request }) => {
      if (request === 'DELETE /student_sessions/7') {
        pass(3000);
        service.change('session', 8, { email: 'carol@example.org' });
      }
      return undefined;
    };
    const outcome = await service.run(['sessions', 'delete', '7', '8', '--yes', '-o', 'json'], world);
    expect(outcome.code, outcome.stderr).toBe(9);
    expect(service.writes()).toEqual(['DELETE /student_sessions/7']);
    expect(JSON.parse(outcome.stdout)).toMatchObject([
      { id: 7, result: 'deleted' },
      {
        id: 8,
        result: 'kept',
        problem: expect.stringMatching(
          /^Student session 8 was changed meanwhile: it now belongs to carol@example\.org\. Nothing was sent to it\.$/,
        ),
      },
    ]);
  });

  test.each([
    ['to another exam', { exam_id: 2 }, 'it now belongs to exam 2'],
    ['into the exam', { status: 'exam_started' }, 'its status is now exam_started'],
  ])('is not overwritten: a student who has moved %s', async (_how, change, words) => {
    const service = held({ sessions: [ada, bob] });
    const { pass, world } = clocks();
    service.fault = ({ line: request }) => {
      if (request === 'DELETE /student_sessions/7') {
        pass(3000);
        service.change('session', 8, change);
      }
      return undefined;
    };
    const outcome = await service.run(['sessions', 'delete', '7', '8', '--yes', '-o', 'json'], world);
    expect([outcome.code, service.writes()]).toEqual([9, ['DELETE /student_sessions/7']]);
    expect(outcome.stdout).toContain(words);
  });

  test('ends a single command as changed, with nothing sent', async () => {
    const service = held({ sessions: [ada] });
    // After the first read, so much time passes that another one is needed.
    let reads = 0;
    service.fault = ({ line: request }) => {
      reads += request === get ? 1 : 0;
      if (reads === 2) service.change('session', 7, { email: 'carol@example.org' });
      return undefined;
    };
    const outcome = await service.run(rename, slowUntil(service, 1));
    expect(service.writes()).toEqual([]);
    expect(outcome.code, outcome.stderr).toBe(11);
    expect(failureOf(outcome).message).toBe(
      'Student session 7 was changed meanwhile: it now belongs to carol@example.org. Nothing was sent to it.',
    );
  });

  test('a restriction that somebody else has set is kept', async () => {
    const service = held();
    let reads = 0;
    service.fault = ({ line: request }) => {
      reads += request === 'GET /exams/1' ? 1 : 0;
      if (reads === 2) service.change('exam', 1, { allow_whiteboard: false });
      return undefined;
    };
    const outcome = await service.run('exams update 1 --allow-headphones -o json', slowUntil(service, 1));
    expect(service.exams[0]).toMatchObject({ allow_whiteboard: false });
    expect([outcome.code, service.writes()], outcome.stderr).toEqual([11, []]);
    expect(failureOf(outcome).message).toContain('allow_whiteboard is now false, not true');
  });

  test('while a question is open is asked about again on a terminal, and ends the command elsewhere', async () => {
    const service = held({ sessions: [ada, bob] });
    const line = 'exams delete 1';
    const renamed = await service.run(line, {
      tty: true,
      answers: [
        async () => {
          service.change('exam', 1, { name: 'Analysis' });
          return '1';
        },
        '',
      ],
    });
    expect([renamed.code, service.writes(), renamed.questions.length]).toEqual([130, [], 2]);
    expect(renamed.questions[1]).toContain('Analysis');
  });

  test("others' unrelated changes are no difference", async () => {
    const service = held({ sessions: [ada, bob] });
    const { code, questions } = await whileAsked(service, 'sessions delete 7', () => service.change('session', 8, { name: 'Robert' }));
    expect([code, questions.length, service.writes()]).toEqual([0, 1, ['DELETE /student_sessions/7']]);
  });

  test('a mail that was sent meanwhile does not matter: the student has not started', async () => {
    const service = held({ sessions: [ada] });
    let reads = 0;
    service.fault = ({ line: request }) => {
      reads += request === get ? 1 : 0;
      if (reads === 2) Object.assign(service.sessions[0] ?? {}, { status: 'mail_sent' });
      return undefined;
    };
    expect(await service.run('sessions delete 7 --yes', slowUntil(service, 1))).toMatchObject({ code: 0 });
    expect(reads).toBeGreaterThanOrEqual(2);
  });

  test('what is gone by then is gone, and nothing is sent', async () => {
    const service = held({ sessions: [ada, bob] });
    const { pass, world } = clocks();
    service.fault = ({ line: request }) => {
      if (request === 'DELETE /student_sessions/7') {
        pass(3000);
        service.truth.remove('session', 8);
      }
      return undefined;
    };
    const outcome = await service.run(['sessions', 'delete', '7', '8', '--yes', '-o', 'json'], world);
    expect([outcome.code, service.writes()]).toEqual([9, ['DELETE /student_sessions/7']]);
    expect(outcome.stdout).toContain('does not exist');
  });
});

describe('the record of a request', () => {
  /** A machine that sleeps between the record and the request: the connection of the first write opens that much later. */
  async function asleep(milliseconds: number, meanwhile: (service: Service) => void = () => {}) {
    const service = held({ sessions: [ada] });
    const { pass, world, times } = clocks();
    let asked = 0;
    let isAsleep = false;
    // The wall clock is asked for the moment of the record, and again at the request-start event.
    const now = () => {
      if (service.arrived.length === 1 && service.writes().length === 0) asked += 1;
      return times.wall;
    };
    const stop = setInterval(() => {
      // Once nothing but the connection is waited for, the machine sleeps.
      if (asked > 0 && !isAsleep) {
        isAsleep = true;
        pass(milliseconds);
        meanwhile(service);
      }
    }, 0);
    const outcome = await service.run(rename, { ...world, now }).finally(() => clearInterval(stop));
    return { service, outcome, isAsleep: () => isAsleep };
  }

  test('that is older than two seconds is made again, after another read', async () => {
    const { service, outcome, isAsleep } = await asleep(60_000);
    expect(outcome.code, outcome.stderr).toBe(0);
    expect(isAsleep()).toBe(true);
    expect(service.requests()).toEqual([get, get, patch, get]);
  });

  test('of a machine that slept is no reason to overwrite what has changed since', async () => {
    const { service, outcome } = await asleep(60_000, ({ sessions }) =>
      Object.assign(sessions[0] as object, { email: 'carol@example.org' }),
    );
    expect(outcome.code, outcome.stderr).toBe(11);
    expect(service.writes()).toEqual([]);
  });
});
