/**
 * Extra time in an import: from a column of the roster, and from the office's list of accommodations. Before anything is
 * planned, each row gets the close_time that the exam gives it, so that preview, requests, journal and proof have the same.
 */
import type { Client } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { students } from '../../model/count.ts';
import { type ExtraTime, extraTimeInWords, longestExtraTime, noExtraTime } from '../../model/extra-time.ts';
import { firstLines, toldAtMost } from '../../model/first-of.ts';
import { textOfJson } from '../../model/json.ts';
import { extraMilliseconds, targetTime } from '../../model/target-time.ts';
import { instantOf, showTime } from '../../model/time.ts';
import { Entries, type Entry } from '../../roster/map/entries.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';

/** The exam that students are imported into, as far as the service shows it. Milliseconds since 1970. */
export type ImportExam = { id: string; name: string | undefined; start: number | undefined; end: number | undefined };

export type GrantedTime = { extra: ExtraTime; reference: string | undefined; skipRequirements: boolean };

/** A list of accommodations, for any exam. */
export type ImportAccommodations = {
  /** What messages call the file. */
  name: string;
  /** SHA-256 of its bytes, in hex: part of what makes two runs the same import. */
  digest: string;
  grantedIn(exam: ImportExam): (email: string) => GrantedTime | undefined;
};

type ExtraTimeOptions = { exam: string; accommodations: ImportAccommodations | undefined };

/**
 * The entries with their close times; the same entries where none has extra time. Throws `invalid_input` where the
 * exam's times do not allow to compute them.
 */
export async function withExtraTime(
  context: Context,
  client: Client,
  entries: Entries,
  { exam: id, accommodations }: ExtraTimeOptions,
): Promise<{ entries: Entries; granted: number }> {
  if (accommodations === undefined && !hasColumn(entries)) return { entries, granted: 0 };
  const shown = await client.get(operations.getExam, { params: { id } });
  const name = shown[client.dialect.examNameKey] ?? undefined;
  const exam: ImportExam = {
    id,
    name: name === undefined ? undefined : textOfJson(name),
    start: instantOf(shown.start_time),
    end: instantOf(shown.end_time),
  };
  const grantedTo = accommodations?.grantedIn(exam);
  const result = new Entries();
  const told: Sentence[] = [];
  let granted = 0;
  for (const { extra_time: column, ...entry } of entries) {
    const listed = entry.email === undefined ? undefined : grantedTo?.(entry.email);
    const closes = closingOf(entry, exam, [listed?.extra, column]);
    result.add({
      ...entry,
      ...(closes === undefined ? {} : { close_time: closes.at, granted: true }),
      ...(listed?.skipRequirements ? { skip_requirements: true } : {}),
    });
    if (!closes) continue;
    granted += 1;
    if (granted > toldAtMost) continue;
    const file = listed?.reference === undefined ? '' : `, ${listed.reference}`;
    const at = showTime(closes.at / 1000, context.zone());
    told.push(sentence`line ${entry.line}, ${entry.email ?? 'no address'}: ${extraTimeInWords(closes.extra)}${file}, closes ${at}`);
  }
  const from = accommodations === undefined ? 'a column' : accommodations.name;
  context.say(
    granted === 0
      ? sentence`No student of the roster has extra time in ${from}.`
      : sentence`Extra time for ${students(granted)}, counted from the end of the exam:`,
  );
  for (const line of firstLines(told, (text) => text, 'more with extra time', granted)) context.say(line);
  return { entries: result, granted };
}

function hasColumn(entries: Entries): boolean {
  for (const { extra_time: extra } of entries) if (extra !== undefined) return true;
  return false;
}

/** The latest of the targets, and never before a close time that the row has itself. Undefined without extra time. */
function closingOf(
  entry: Entry,
  exam: ImportExam,
  grants: readonly (ExtraTime | undefined)[],
): { at: number; extra: ExtraTime } | undefined {
  const extras = grants.filter((extra) => extra !== undefined && extra !== noExtraTime && extra.share + extra.plus > 0) as ExtraTime[];
  if (extras.length === 0) return undefined;
  const { start, end } = exam;
  if (start === undefined || end === undefined || end <= start) {
    throw new CliError(
      'invalid_input',
      sentence`Exam ${exam.id} ${start === undefined || end === undefined ? 'does not show its start and end' : 'ends before it starts'}, so the close time of ${entry.email ?? `line ${entry.line}`} with extra time is unknown. Nothing was sent.`,
      { hint: 'Set the times of the exam with: proctor-cli exams update' },
    );
  }
  const targets = extras.map((extra) => {
    if (extraMilliseconds(end - start, extra) > longestExtraTime) {
      throw new CliError(
        'invalid_input',
        sentence`line ${entry.line}, ${entry.email ?? 'no address'}: ${extraTimeInWords(extra)} of this exam would be more than a day of extra time. Nothing was sent.`,
        { hint: 'Correct the extra time, or leave it out.' },
      );
    }
    return { at: targetTime({ starts: start, ends: end, opens: entry.open_time }, extra), extra };
  });
  const latest = targets.reduce((one, other) => (other.at > one.at ? other : one));
  return { at: Math.max(latest.at, entry.close_time ?? 0), extra: latest.extra };
}
