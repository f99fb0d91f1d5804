/** A plan as Markdown, for a merge request: the summary first, then the lines that are not as they should be, and no student. */
import type { Row } from '../../command.ts';
import { type Json, textOfJson } from '../../model/json.ts';
import type { Secrets } from '../../model/secrets.ts';
import { typedCommand, typedOption } from '../../model/shell-quote.ts';
import { showTime } from '../../model/time.ts';
import { inMarkdown, markdownRow, markdownTable } from '../../text/markdown-text.ts';
import type { ComputedPeriod } from './compute-period.ts';
import { countsInWords } from './period-rows.ts';

/** The pages that show it take no longer ones. Characters. */
const longest = 55_000;
const longestDetail = 1000;

/** What `exams apply` gets. */
export type Applying = { file: string; options: readonly string[] };

type PageView = {
  timetable: string;
  applying: Applying;
  rows: readonly Row[];
  zone: string;
  secrets: Secrets;
};

export function periodPage(
  { items, orphans, digest }: ComputedPeriod,
  { timetable, applying: { file, options }, rows, zone, secrets }: PageView,
): string {
  const title = [`**${inMarkdown(timetable)}: ${inMarkdown(countsInWords(items))}.**`];
  const gone = orphans.map(
    ({ exam, name }) =>
      `- ${inMarkdown(`exam ${exam}${name === undefined ? '' : ` (${name})`} is no longer in the timetable; it is kept`)}`,
  );
  const end = [
    `To apply exactly this plan: \`proctor-cli ${typedCommand('exams apply', [file], ...options, typedOption('--expect-plan', digest))}\``,
  ];
  const head = markdownTable(['Line', 'Action', 'Exam', 'Name', 'Start', 'Changes'], []);
  let left = longest - lengthOf([...title, ...head, ...end]);
  const take = (lines: readonly string[], what: string) => {
    const taken: string[] = [];
    for (const line of lines) {
      if (line.length + 1 > left) break;
      left -= line.length + 1;
      taken.push(line);
    }
    return taken.length < lines.length ? [...taken, '', `… and ${lines.length - taken.length} more ${what}.`] : taken;
  };
  const lines = take(
    rows.map((row) => markdownRow(cellsOf(row, zone).map((text) => inMarkdown(secrets.masked(text))))),
    'lines',
  );
  const blocks = [title, rows.length > 0 ? [...head, ...lines] : [], take(gone, 'exams'), end];
  const filled = blocks.filter((block) => block.length > 0);
  return `${filled.map((block) => block.join('\n')).join('\n\n')}\n`;
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

function cellsOf(row: Row, zone: string): string[] {
  const text = (value: unknown) => (value === null || value === undefined ? '' : textOfJson(value as Json));
  const { line, action, exam, name, start_time: start, detail } = row;
  const start_time = start === null || start === undefined ? '' : showTime(start, zone);
  return [text(line), text(action).replace('_', ' '), text(exam), text(name), start_time, cut(text(detail))];
}

function cut(text: string): string {
  return text.length > longestDetail ? `${text.slice(0, longestDetail)}…` : text;
}
