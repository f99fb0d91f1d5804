/**
 * Extra time in an import: from a column of the roster, and from the office's list of accommodations. Before anything is
 * planned, each line gets the close_time that the exam gives it, so that preview, requests, record and proof have the same.
 */
import type { Client } from '../../api/client.ts';
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { students } from '../../model/count.ts';
import { type ExtraTime, extraTimeInWords } from '../../model/extra-time.ts';
import { firstLines, toldAtMost } from '../../model/first-of.ts';
import type { GrantedTo, GrantingExam, GrantList } from '../../model/granted.ts';
import { textOfJson } from '../../model/json.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { targetTime } from '../../model/target-time.ts';
import { instantOf, showTime } from '../../model/time.ts';
import { Entries, type Entry } from '../../roster/map/entries.ts';
import { readRecord } from '../../runs/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';

/** `exams`: those of the entries, by their numbers. */
type ExtraTimeOptions = { exams: readonly string[]; accommodations: GrantList | undefined };

/**
 * The entries with their close times; the same entries where none has extra time. Throws `invalid_input` where an
 * exam's times do not allow to compute them.
 */
export async function withExtraTime(
  context: Context,
  client: Client,
  entries: Entries,
  { exams, accommodations }: ExtraTimeOptions,
): Promise<{ entries: Entries; granted: number }> {
  if (accommodations === undefined && !hasColumn(entries)) return { entries, granted: 0 };
  const granting = await client.pacer.map(exams, async (id): Promise<Granting> => {
    const exam = await grantingExam(context, client, id);
    return { exam, grantedTo: accommodations?.grantedIn(exam) };
  });
  const result = new Entries();
  const told: Sentence[] = [];
  let granted = 0;
  for (const { extra_time: column, ...entry } of entries) {
    const { exam, grantedTo } = granting[entry.exam] as Granting;
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

type Granting = { exam: GrantingExam; grantedTo: GrantedTo | undefined };

async function grantingExam(context: Context, { dialect }: Client, id: string): Promise<GrantingExam> {
  const shown = await readRecord(context, 'exam', id);
  const name = shown[dialect.examNameKey] ?? undefined;
  return {
    id,
    name: name === undefined ? undefined : textOfJson(name),
    start: instantOf(shown.start_time),
    end: instantOf(shown.end_time),
  };
}

function hasColumn(entries: Entries): boolean {
  for (const { extra_time: extra } of entries) if (extra !== undefined) return true;
  return false;
}

/** The latest of the targets, and never before a close time that the row has itself. Undefined without extra time. */
function closingOf(
  entry: Entry,
  exam: GrantingExam,
  grants: readonly (ExtraTime | undefined)[],
): { at: number; extra: ExtraTime } | undefined {
  const { start, end } = exam;
  let latest: { at: number; extra: ExtraTime } | undefined;
  for (const extra of grants) {
    const at = extra && targetTime({ starts: start, ends: end, opens: entry.open_time }, extra);
    if (typeof at === 'string') {
      throw new CliError('invalid_input', sentence`line ${entry.line}, ${entry.email ?? 'no address'}: ${at}. Nothing was sent.`, {
        hint: sentence`Correct the extra time, or the times of the exam with: proctor-cli ${typedCommand('exams update', [exam.id], '--start TIME --end TIME')}`,
      });
    }
    if (extra && at !== undefined && (!latest || at > latest.at)) latest = { at, extra };
  }
  return latest && { at: Math.max(latest.at, entry.close_time ?? 0), extra: latest.extra };
}
