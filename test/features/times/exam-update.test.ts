/** New times of an exam, fixed ones: the windows of its students move along, and the exam is what is printed. */
import { describe, expect, test } from 'vitest';
import { refused } from '../../support/service.ts';
import type { Fields } from '../../support/truth.ts';
import { exam, office, patches, restrictions } from './exams.ts';

const [nine, eleven] = ['2027-03-22T08:00:00Z', '2027-03-22T10:00:00Z'];
const ada = { exam_id: 5, open_time: '2027-03-22T08:30:00Z', close_time: '2027-03-22T10:30:00Z' };

const made = (...students: Fields[]) => {
  const world = office([exam(5, nine, eleven)], students);
  const update = (options: string, more = {}) => world.run(`exams update 5 ${options}`, more);
  return { ...world, update, window: () => [world.service.sessions[0]?.open_time, world.service.sessions[0]?.close_time] };
};

describe('exams update', () => {
  test('sends what narrows last, all four restrictions among it, and other settings with it', async () => {
    const { update, service } = made(ada);
    expect((await update('--end 11:30 --no-allow-headphones --name Algebra --yes')).code).toBe(0);
    expect(patches(service)).toEqual([
      ['patch-exam', 5, { end_time: '2027-03-22T10:30:00Z' }],
      ['patch', 100, { close_time: '2027-03-22T11:00:00Z' }],
      ['patch-exam', 5, { ...restrictions, allow_headphones: false, name: 'Algebra' }],
    ]);
    service.arrived.length = 0;
    await update('--end 11:00 --allow-headphones --yes');
    expect(patches(service).map(([what, , body]) => [what, Object.keys(body).length])).toEqual([
      ['patch', 1],
      ['patch-exam', 5],
    ]);
  });

  test('asks where windows move, with how many, and nothing where none do; a script needs --yes', async () => {
    const { update, service } = made(ada, { exam_id: 5 });
    const { code, questions } = await update('--end 11:15', { tty: true, answers: [false] });
    const question = 'Change the times of exam 5 (Exam 5, 2027-03-22 09:00 +01:00), along with the windows of 1 student, at http';
    expect({ code, questions }).toEqual({ code: 130, questions: [expect.stringContaining(question)] });
    expect((await update('--end 11:15')).code).toBe(2);
    expect(patches(service)).toEqual([]);
    for (const student of [{ exam_id: 5 }, { ...ada, status: 'exam_finished' }])
      expect(await made(student).update('--end 11:15', { tty: true })).toMatchObject({ code: 0, questions: [] });
  });

  test('asks again if a colleague gives somebody a window meanwhile, or moves the exam', async () => {
    const { update, service } = made(ada);
    const window = async () => Boolean(service.add({ exam_id: 5, email: 'bob@example.org', close_time: '2027-03-22T10:15:00Z' }));
    const move = async () => Boolean(Object.assign(service.exams[0] ?? {}, { start_time: '2027-03-22T08:15:00Z' }));
    const { questions } = await update('--end 11:15', { tty: true, answers: [window, move, false] });
    expect(questions).toEqual([expect.anything(), expect.stringContaining('of 2 students'), expect.stringContaining('09:15 +01:00')]);
    expect(patches(service)).toEqual([]);
  });

  test('says how long the exam takes where its start moves alone', async () => {
    const { update } = made();
    const { code, stderr } = await update('--start 2027-03-21T09:00');
    expect([code, stderr]).toEqual([0, expect.stringContaining('The end of exam 5 stays: it now takes 26 h, not 2 h.')]);
  });

  test('says which window did not move, prints the exam, and is 9', async () => {
    const { update, service } = made(ada, { exam_id: 5, close_time: eleven });
    service.fault = ({ line }) => (line === 'PATCH /student_sessions/101' ? refused(422, { message: 'no' }) : undefined);
    const { code, stdout, stderr } = await update('--end 11:15 --yes');
    expect([code, stdout]).toEqual([9, expect.stringContaining('2027-03-22 11:15 +01:00')]);
    expect(stderr).toMatch(/session 101: The service rejected/);
    expect(stderr).toContain('Windows of students moved along: 1 of 2.');
    expect(stderr).toMatch(/runs resume \S+/);
  });

  test('names students who were mailed the old times, while they wait for it', async () => {
    const { update } = made({ exam_id: 5, status: 'mail_sent' });
    const says = 'Mailed with the old times: exam 5 (1 student). To mail all of them the new times: proctor-cli exams send-emails 5';
    expect((await update('--end 11:15 --yes')).stderr).toContain(says);
    expect((await update('--end 11:30 --yes', { now: '2027-03-22T09:00:00Z' })).stderr).not.toContain('mailed');
  });

  test('sets a time that the exam has not shown, or that cannot be read, and leaves the windows', async () => {
    for (const end of [null, 'soon']) {
      const { run, service } = office([exam(5, nine, end)], [ada]);
      expect((await run('exams update 5 --end 2027-03-22T11:15Z --yes')).code).toBe(0);
      expect(service.exams[0]?.end_time).toBe('2027-03-22T11:15:00Z');
      expect(patches(service)).toHaveLength(1);
    }
  });

  test.each([
    ['An exam that would end before it starts', ada, '--start 2027-03-23T09:00', /Exam 5 would end .*\n.*--start TIME --end/],
    [
      'A window that would close before it opens',
      { ...ada, close_time: '2027-03-22T10:10:00Z' },
      '--end 09:10',
      /window of session 100 would close before it opens.*\n.*sessions update 100 /,
    ],
  ])('%s is refused by name, before anything is sent', async (_, student, times, why) => {
    const { update, service } = made(student);
    const { code, stderr } = await update(`${times} --yes`);
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringMatching(why) });
    expect(patches(service)).toEqual([]);
  });
});
