/** A row with an open_time is two requests: a POST, and the PATCH that sets it. It is done when both are. */
import { describe, expect, test } from 'vitest';
import type { Reply } from '../../../support/service.ts';
import { exam, opening, showing, states } from './importing.ts';

const open_time = '2027-01-10T09:00:00Z';
const said = (status: number, body: unknown = { message: 'no such luck' }) => ({ status, body });

/** An exam at which the first so many PATCHes go wrong. */
function examWith(fault: Reply, patches = 1) {
  const made = exam();
  made.service.fault = ({ method, count }) => (method === 'PATCH' && count <= patches ? fault : undefined);
  return made;
}

test('The POST leaves it out, and the PATCH sets it.', async () => {
  const { service, imports } = exam();
  const ended = await imports(opening);
  expect(states(ended)).toEqual({ created: 1 });
  expect(service.writes()).toEqual(['POST /exams/6/student_sessions', 'PATCH /student_sessions/100']);
  expect(service.sessions).toMatchObject([{ email: 'ann@example.org', open_time }]);
});

describe('A PATCH is sent again, and never the POST,', () => {
  const passing: [string, Reply][] = [
    ['after 429', { answer: said(429) }],
    ['after 500', { answer: said(500) }],
    ['after a reset', { answer: 'lost', done: 'never' }],
    ['after a reset of one that was obeyed', { answer: 'lost' }],
    ['after an answer that was cut short', { answer: 'cut', done: 'never' }],
  ];

  test.each(passing)('%s.', async (_, fault) => {
    const { service, imports } = examWith(fault);
    const ended = await imports(opening);
    expect(states(ended)).toEqual({ created: 1 });
    expect(ended.code).toBe(0);
    expect(service.posts()).toBe(1);
    expect(service.sessions).toMatchObject([{ open_time }]);
  });
});

test('An answer that says no is no success, even where a listing does not show open_time.', async () => {
  const { service, imports } = exam({ showing: showing({ hidden: ['open_time'] }) });
  const no: Reply = { answer: said(200, { success: false, message: 'locked' }), done: 'never' };
  service.fault = ({ method }) => (method === 'PATCH' ? no : undefined);
  for (let time = 1; time <= 2; time += 1) {
    const ended = await imports(opening);
    expect(states(ended)).toEqual(time === 1 ? { created: 1 } : { unchanged: 1 });
    expect(ended.code).toBe(time === 1 ? 9 : 0);
    if (time === 2) continue;
    expect(ended.report.open_time_open).toBe(1);
    expect(ended.report.problems[0]?.reason).toContain('its answer says that it was not carried out: message: locked');
  }
  expect(service.posts()).toBe(1);
});

describe('A line whose PATCH did not come through is not done, and the same command finishes it with a PATCH alone,', () => {
  const lasting: [string, Reply, code: number][] = [
    ['after refusals of the token', { answer: said(401) }, 9],
    ['after too many requests', { answer: said(429) }, 9],
    ['after failures of the service', { answer: said(503) }, 9],
  ];

  test.each(lasting)('%s.', async (_, fault, code) => {
    const { service, imports } = examWith(fault, 1000);
    const ended = await imports(opening);
    expect(states(ended)).toEqual({ created: 1 });
    expect(ended.report.open_time_open).toBe(1);
    expect(ended.code).toBe(code);
    service.fault = () => undefined;
    service.arrived.length = 0;
    const again = await imports(opening);
    expect(again.code).toBe(0);
    expect(states(again)).toEqual({ created: 1 });
    expect(service.writes()).toEqual(['PATCH /student_sessions/100']);
    expect(service.sessions).toMatchObject([{ open_time }]);
  });
});

describe('A refusal of the PATCH ends the run: the next import says that the student is different, and --update sends it', () => {
  test.each([
    ['after a rejection', { answer: said(422) }],
    ['after a conflict', { answer: said(409) }],
    ['after a session that was not found', { answer: said(404) }],
  ] satisfies [string, Reply][])('%s.', async (_, fault) => {
    const { service, imports } = examWith(fault, 1000);
    const ended = await imports(opening);
    expect({ code: ended.code, states: states(ended) }).toEqual({ code: 9, states: { created: 1 } });
    expect(ended.report.open_time_open).toBe(1);
    service.fault = () => undefined;
    service.arrived.length = 0;
    const again = await imports(opening);
    expect({ code: again.code, states: states(again) }).toEqual({ code: 9, states: { different: 1 } });
    expect(states(await imports(opening, '--update'))).toEqual({ updated: 1 });
    expect(service.writes()).toEqual(['PATCH /student_sessions/100']);
    expect(service.sessions).toMatchObject([{ open_time }]);
  });
});

test('A student found only by listing gets the PATCH as well.', async () => {
  const { service, imports, posts } = exam();
  posts({ 1: { answer: 'lost', done: 'now' } });
  const ended = await imports(opening);
  expect(states(ended)).toEqual({ created: 1 });
  expect(service.sessions).toMatchObject([{ open_time }]);
});

test('A missing student is not sent again for the sake of the PATCH.', async () => {
  const { service, imports, posts } = exam();
  posts({ 1: { answer: 'lost', done: 'never' } });
  expect(states(await imports(opening))).toEqual({ absent: 1 });
  expect(service.posts()).toBe(1);
});

test('A service that answers success and keeps the old value is not believed.', async () => {
  const { imports } = examWith({ done: 'never' }, 10);
  const ended = await imports(opening);
  expect(states(ended)).toEqual({ created: 1 });
  expect(ended.report.open_time_open).toBe(1);
  expect(ended.code).toBe(9);
});
