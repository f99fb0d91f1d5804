/**
 * One line about an exam or a student session, to choose from a list: its distinguishing values, without its
 * ID. The text is not safe for a terminal; the caller makes it so.
 */
import { fieldAt, type Json, type JsonObject, textOfJson } from './json.ts';
import { statusText } from './status.ts';
import { showTime } from './time.ts';

type Described = Readonly<Record<string, unknown>>;

/** An exam's name and start, as far as it has them: "Linear Algebra, 2027-02-01 09:00 +01:00". */
export function describeExam(exam: Described, { nameKey, zone }: { nameKey: string; zone: string }): string {
  const starts = exam.start_time ?? undefined;
  return inOneLine(exam[nameKey], starts === undefined ? undefined : showTime(starts, zone));
}

/** An exam's ID, and its name where it has one: "3, Linear Algebra". */
export function idAndName(id: Json, name: string | null | undefined): string {
  return inOneLine(textOfJson(id), name);
}

/** A student's name and address, as far as they are shown, else the ID of the session: "Ada Example, ada@example.org". */
export function namedStudent({ name, email, id }: { name: string | null; email: string | null; id: Json }): string {
  return inOneLine(name, email) || `session ${textOfJson(id)}`;
}

/** A student's address, name and status, as far as the session has them: "ada@example.org, Ada Example, registered". */
export function describeSession(session: Described, { nameKey }: { nameKey: string }): string {
  return inOneLine(session.email, session[nameKey], statusText(session.status));
}

/** A user's name and address, as far as they are shown: "Lin Wu, lin.wu@staff.example.org". */
export function describeUser(user: Described, { emailKey }: { emailKey: string }): string {
  return inOneLine(user.name, fieldAt(user as JsonObject, emailKey));
}

function inOneLine(...parts: readonly unknown[]): string {
  return parts.filter((part) => typeof part === 'string' && part !== '').join(', ');
}
