/** Checks of the mails and of the exam's restrictions. */
import { students as studentsInWords } from '../../model/count.ts';
import { type RestrictionKey, restrictionKeys, restrictionsOf } from '../../model/restrictions.ts';
import { type Check, failed, ok, skipped, warning } from './preflight-check.ts';
import { isRegistered } from './subject.ts';

export const mails: Check = {
  name: 'mails',
  title: 'the exam mails have been sent to all students',
  needs: ['students', 'statuses'],
  judge({ students, exam, command }) {
    const waiting = students.filter((student) => isRegistered(student) && (student.email !== undefined || !student.showsEmail));
    if (waiting.length === 0) return ok(students.length === 0 ? 'no students' : 'no student is waiting for a mail');
    const again = students.length - waiting.length;
    const rest = again === 0 ? '' : '; mailing them also mails the others again';
    return warning(
      `${waiting.length} of ${studentsInWords(students.length)} ${waiting.length === 1 ? 'is' : 'are'} registered and not mailed${rest}`,
      command('exams send-emails', [exam.id]),
    );
  },
};

export const restrictions: Check = {
  name: 'restrictions',
  title: 'the restrictions are those of another exam (--like)',
  needs: ['like'],
  judge({ exam, like, command }) {
    const [own, wanted] = [restrictionsOf(exam.shown), restrictionsOf(like?.shown ?? {})];
    const lacking = restrictionKeys.filter((key) => own[key] === undefined || wanted[key] === undefined);
    const different = restrictionKeys.filter((key) => !lacking.includes(key) && own[key] !== wanted[key]);
    if (different.length === 0) {
      if (lacking.length > 0) return skipped(`the service shows no ${lacking.join(', ')}`);
      return ok(`as in exam ${like?.id}`);
    }
    const words = (key: RestrictionKey) => `${key} ${own[key] ? 'yes' : 'no'}, in exam ${like?.id} ${wanted[key] ? 'yes' : 'no'}`;
    const flags = different.map((key) => `--${wanted[key] ? '' : 'no-'}${key.replaceAll('_', '-')}`);
    return failed(different.map(words).join('; '), command('exams update', [exam.id], ...flags));
  },
};
