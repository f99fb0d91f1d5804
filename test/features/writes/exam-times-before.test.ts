/** New times of an exam: whom they leave behind is said and asked about, with the command that moves them along. */
import { describe, expect, test } from 'vitest';
import type { World } from '../../support/run.ts';
import { Service } from '../../support/service.ts';
import type { Fields } from '../../support/truth.ts';

const times = { start_time: '2027-02-01T09:00:00Z', end_time: '2027-02-01T11:00:00Z' };
const ada = { email: 'ada@example.org', close_time: '2027-02-01T11:30:00Z' };

/** Exam 6 with these students, and `exams update 6` with these options. */
function office(...students: Fields[]) {
  const service = new Service({ exams: [{ id: 6, name: 'Algebra', ...times }] });
  const added = students.map((each) => service.add(each));
  const update = (options: string, world: World = {}) =>
    service.run(`exams update 6 ${options}`, { now: '2027-01-15T09:00:00Z', ...world });
  return { service, added, update, writes: () => service.writes() };
}

const question = 'Change the times of exam 6 (Algebra, 2027-02-01 09:00 +00:00), and leave the windows of 1 student as they are, at http';

describe('A later end', () => {
  const later = '--end 2027-02-01T12:00:00Z';

  test('before which a student with extra time would close is asked about on a terminal, and names exams delay.', async () => {
    const { update, writes } = office(ada);
    const { code, questions, stderr } = await update(later, { tty: true, answers: [false] });
    expect(questions).toEqual([expect.stringContaining(question)]);
    expect(stderr).toContain(
      'warning: 1 student with a window of their own would close before exam 6 ends at 2027-02-01 12:00 +00:00: 100 ada@example.org.\n' +
        'To end it later for them as well, run this instead: proctor-cli exams delay 6 --by 1h\n',
    );
    expect({ code, writes: writes() }).toEqual({ code: 130, writes: [] });
  });

  test('is set after a yes, and with --yes, and the window stays.', async () => {
    const ways: [string, World][] = [
      [later, { tty: true, answers: [true] }],
      [`${later} --yes`, {}],
    ];
    for (const [options, world] of ways) {
      const { service, update } = office(ada);
      const { code, stderr } = await update(options, world);
      expect(code).toBe(0);
      expect(stderr).toContain('proctor-cli exams delay 6 --by 1h');
      expect(service.exams[0]?.end_time).toBe('2027-02-01T12:00:00Z');
      expect(service.sessions[0]?.close_time).toBe(ada.close_time);
    }
  });

  test('needs --yes in a script, whose error says what it would leave behind.', async () => {
    const { update, writes } = office(ada);
    const { code, stderr } = await update(`${later} -o json`);
    expect({ code, writes: writes() }).toEqual({ code: 2, writes: [] });
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'needs_confirmation', message: expect.stringContaining(question) });
  });

  test.each([
    ['nobody has a window of their own', {}],
    ['the own window ends later still', { close_time: '2027-02-01T12:30:00Z' }],
    ['the own window had ended before the old end as well', { close_time: '2027-02-01T10:30:00Z' }],
    ['the student has finished', { close_time: '2027-02-01T11:30:00Z', status: 'exam_finished' }],
  ])('is no question where %s.', async (_, fields) => {
    const { update, writes } = office({ email: 'ada@example.org', ...fields });
    const { code, questions, stderr } = await update(later, { tty: true });
    expect({ code, questions, writes: writes() }).toEqual({ code: 0, questions: [], writes: ['PATCH /exams/6'] });
    expect(stderr).not.toContain('warning');
  });

  test('is asked about again if a colleague gives somebody a window of their own meanwhile.', async () => {
    const { service, update, writes } = office(ada);
    const answer = async () => Boolean(service.add({ exam_id: 6, email: 'bob@example.org', close_time: '2027-02-01T11:15:00Z' }));
    const { code, questions } = await update(later, { tty: true, answers: [answer, false] });
    expect(questions[1]).toContain('leave the windows of 2 students as they are');
    expect({ code, writes: writes() }).toEqual({ code: 130, writes: [] });
  });
});

test('A move to another day names the students who would close before it starts, and exams shift by as much.', async () => {
  const { update } = office(ada);
  const moved = '--start 2027-02-08T09:00:00Z --end 2027-02-08T11:00:00Z';
  const { questions, stderr } = await update(moved, { tty: true, answers: [false] });
  expect(questions).toEqual([expect.stringContaining(question)]);
  expect(stderr).toContain('would close before exam 6 starts at 2027-02-08 09:00 +00:00: 100 ada@example.org.');
  expect(stderr).toContain('To move them along with the exam, run this instead: proctor-cli exams shift 6 --by 168h\n');
});

test('A move to an earlier day names the students who could start after it has ended.', async () => {
  const { update } = office({ ...ada, open_time: '2027-02-01T09:30:00Z' });
  const moved = '--start 2027-01-25T09:00:00Z --end 2027-01-25T11:00:00Z';
  const { stderr } = await update(moved, { tty: true, answers: [false] });
  expect(stderr).toContain('would open after exam 6 ends at 2027-01-25 11:00 +00:00: 100 ada@example.org.');
  expect(stderr).toContain('proctor-cli exams shift 6 --by=-168h\n');
});

test('Students who were mailed the old times are named, without a question.', async () => {
  const { update, writes } = office({ email: 'ada@example.org', status: 'mail_sent' }, { email: 'bob@example.org' });
  const { code, questions, stderr } = await update('--end 2027-02-01T12:00:00Z', { tty: true });
  expect({ code, questions, writes: writes() }).toEqual({ code: 0, questions: [], writes: ['PATCH /exams/6'] });
  expect(stderr).toContain(
    '1 student of exam 6 was mailed the old times. To mail all of them the new ones afterwards: proctor-cli exams send-emails 6 --resend\n',
  );
});

test('An exam that a colleague moves between the reading and the write is left as it is.', async () => {
  const { service, update, writes } = office(ada);
  const answer = async () => Boolean(Object.assign(service.exams[0] ?? {}, { start_time: '2027-02-01T10:00:00Z' }));
  const { code, questions } = await update('--end 2027-02-01T12:00:00Z', { tty: true, answers: [answer, false] });
  expect(questions[1]).toContain('2027-02-01 10:00 +00:00');
  expect({ code, writes: writes() }).toEqual({ code: 130, writes: [] });
});
