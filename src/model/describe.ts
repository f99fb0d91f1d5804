/**
 * One line about an exam or a student session: its distinguishing values, to choose from a list, and beside its ID in the words of a
 * question, which never name an ID alone. A text that is no sentence is not safe for a terminal; the caller makes it so.
 */
import { type Sentence, sentence } from '../text/sentence.ts';
import { firstInLine } from './count.ts';
import { durationInWords } from './duration.ts';
import { fieldAt, type Json, type JsonObject, textOfJson } from './json.ts';
import { phaseOf, statusText } from './status.ts';
import { showTime } from './time.ts';

type Described = Readonly<Record<string, unknown>>;

/** An exam's name and start, as far as it has them: "Linear Algebra, 2027-02-01 09:00 +01:00". */
export function describeExam(exam: Described, { nameKey, zone }: { nameKey: string; zone: string }): string {
  const starts = exam.start_time ?? undefined;
  return inOneLine(exam[nameKey], starts === undefined ? undefined : showTime(starts, zone));
}

/** An exam's ID, and its name where it has one: "3, Linear Algebra". */
export function examNamed({ id, name }: { id: string; name: string | undefined }): string {
  return inOneLine(id, name);
}

/** A student's name and address, as far as they are shown, else the ID of the session: "Ada Example, ada@example.org". */
export function studentNamed({ name, email, session }: { name: string | null; email: string | null; session: Json }): string {
  return inOneLine(name, email) || `session ${textOfJson(session)}`;
}

/** A student's address, name and status, as far as the session has them: "ada@example.org, Ada Example, registered". */
export function describeSession(session: Described, { nameKey }: { nameKey: string }): string {
  return inOneLine(session.email, session[nameKey], statusText(session.status));
}

/** A user's name and address, as far as they are shown: "Lin Wu, lin.wu@staff.example.org". */
export function describeUser(user: Described, { emailKey }: { emailKey: string }): string {
  return inOneLine(user.name, fieldAt(user as JsonObject, emailKey));
}

/** The settings that name the fields of names. */
type Naming = { dialect: { examNameKey: string; sessionNameKey: string } };

/** `exam 3 (Algebra, 2027-02-01 09:00 +01:00)`, as far as the service shows it. `undefined`: the exam could not be read. */
export function examInWords(id: string, exam: JsonObject | undefined, { dialect }: Naming, zone: string): Sentence {
  const described = exam ? describeExam(exam, { nameKey: dialect.examNameKey, zone }) : '';
  return described === '' ? sentence`exam ${id}` : sentence`exam ${id} (${described})`;
}

/** `7 (ada@example.org, Ada Lovelace, registered)`, and whether the student is taking the exam. */
export function sessionInWords(id: string, session: JsonObject, { dialect }: Naming): Sentence {
  const phase = phaseOf(session.status);
  const now = phase === 'writing' ? ', taking the exam now' : phase === 'checking' ? ', in the check now' : '';
  const described = describeSession(session, { nameKey: dialect.sessionNameKey });
  return sentence`${id} (${described === '' ? 'no address, name or status' : described}${now})`;
}

/** A session for a question, with its address as far as it is known. */
export type NamedSession = { session: string | undefined; email: string | null | undefined };

/** Names of each kind in a question; the rest are counted. */
export const namedAtMost = 3;

/** `21 ada@example.org, 22 bob@example.org, 23 cy@example.org and 4 more`. */
export function whoInWords(sessions: readonly NamedSession[]): string {
  return firstInLine(sessions, ({ session, email }) => [session, email].filter(Boolean).join(' ') || 'no address', namedAtMost);
}

function inOneLine(...parts: readonly unknown[]): string {
  return parts.filter((part) => typeof part === 'string' && part !== '').join(', ');
}

/** Milliseconds since 1970; undefined if the service shows none. */
type ExamTimes = { start: number | undefined; end: number | undefined };

/** "starts in 2 h 5 min", "has been running for 47 min, ends in 1 h 13 min", "ended 3 d 2 h ago". */
export function examClock({ start, end }: ExamTimes, now: number): string {
  if (start === undefined && end === undefined) return 'has no times';
  if (start !== undefined && end !== undefined && end < start) return 'ends before it starts';
  if (end !== undefined && now >= end) return `ended ${durationInWords(now - end)} ago`;
  if (start !== undefined && now < start) return `starts in ${durationInWords(start - now)}`;
  return [
    start === undefined ? 'has no start' : `has been running for ${durationInWords(now - start)}`,
    end === undefined ? 'has no end' : `ends in ${durationInWords(end - now)}`,
  ].join(', ');
}
