/** Exams, students and users in one line. What is no sentence is not safe for a terminal. */
import { firstInLine, type Sentence, sentence } from '../text/sentence.ts';
import { durationInWords } from './duration.ts';
import { fieldAt, type Json, type JsonObject, textOfJson } from './json.ts';
import { phaseOf, statusText } from './status.ts';
import { showTime } from './time.ts';

type DescribedRecord = Readonly<Record<string, unknown>>;

/** "Linear Algebra, 2027-02-01 09:00 +01:00". */
export function describeExam(exam: DescribedRecord, nameKey: string, zone: string): string {
  const starts = exam.start_time ?? undefined;
  return inOneLine(exam[nameKey], starts === undefined ? undefined : showTime(starts, zone));
}

/** "3, Linear Algebra". */
export function examNamed({ id, name }: { id: string; name: string | undefined }): string {
  return inOneLine(id, name);
}

type DescribedStudent = { name: string | null; email: string | null; session: Json };

/** "Ada Example, ada@example.org", or the ID of the session. */
export function studentNamed({ name, email, session }: DescribedStudent): string {
  return inOneLine(name, email) || `session ${textOfJson(session)}`;
}

/** "ada@example.org, Ada Example, registered". */
export function describeSession(session: DescribedRecord, nameKey: string): string {
  return inOneLine(session.email, session[nameKey], statusText(session.status));
}

/** "Lin Wu, lin.wu@staff.example.org". */
export function describeUser(user: JsonObject, emailKey: string): string {
  return inOneLine(user.name, fieldAt(user, emailKey));
}

type Naming = { dialect: { examNameKey: string; sessionNameKey: string } };

/** `exam 3 (Algebra, 2027-02-01 09:00 +01:00)`. `exam`: undefined if it could not be read. */
export function examInWords(id: string, exam: JsonObject | undefined, { dialect }: Naming, zone: string): Sentence {
  const described = exam ? describeExam(exam, dialect.examNameKey, zone) : '';
  return described === '' ? sentence`exam ${id}` : sentence`exam ${id} (${described})`;
}

/** `7 (ada@example.org, Ada Lovelace, exam_started, taking the exam now)`. */
export function sessionInWords(id: string, session: JsonObject, { dialect }: Naming): Sentence {
  const described = describeSession(session, dialect.sessionNameKey);
  const phase = phaseOf(session.status);
  let now = '';
  if (phase === 'writing') now = ', taking the exam now';
  if (phase === 'checking') now = ', in the check now';
  return sentence`${id} (${described || 'no address, name or status'}${now})`;
}

type NamedSession = { session: string | undefined; email: string | null | undefined };

/** So many are named in a question; the rest are counted. */
export const namedAtMost = 3;

/** `21 ada@example.org, 22 bob@example.org, 23 cy@example.org and 4 more`. */
export function whoInWords(sessions: readonly NamedSession[]): string {
  const named = ({ session, email }: NamedSession) => [session, email].filter(Boolean).join(' ') || 'no address';
  return firstInLine(sessions, named, namedAtMost);
}

function inOneLine(...parts: readonly unknown[]): string {
  return parts.filter((part) => typeof part === 'string' && part !== '').join(', ');
}

/** Milliseconds since 1970. */
type ExamTimes = { start: number | undefined; end: number | undefined };

/** "starts in 2 h 5 min", "has been running for 47 min, ends in 1 h 13 min", "ended 3 d 2 h ago". */
export function examClock({ start, end }: ExamTimes, now: number): string {
  if (start === undefined && end === undefined) return 'has no times';
  if (start !== undefined && end !== undefined && end < start) return 'ends before it starts';
  if (end !== undefined && now >= end) return `ended ${durationInWords(now - end)} ago`;
  if (start !== undefined && now < start) return `starts in ${durationInWords(start - now)}`;
  const begun = start === undefined ? 'has no start' : `has been running for ${durationInWords(now - start)}`;
  return `${begun}, ${end === undefined ? 'has no end' : `ends in ${durationInWords(end - now)}`}`;
}

export function nameOf(resource: 'exam' | 'session', id = ''): string {
  return `${resource === 'exam' ? 'exam' : 'student session'} ${id}`;
}
