/**
 * The reports of a period as one HTML file: the totals, a table of contents with the numbers of each exam, and a
 * section for each. Its only links lead to these sections.
 */

import { textOfJson } from '../../model/json.ts';
import type { ExamReport } from '../../model/report-content.ts';
import { cell } from '../../output/cell.ts';
import { html, type Markup } from './markup.ts';
import { notFinal, periodInWords } from './report-words.ts';
import { charts, documentOf, exhibits, meaningsCard, notice, type Setting, tiles, time } from './sections.ts';
import { totalsOf } from './totals.ts';

/** A date stays on one line. */
const nonBreakingHyphen = '\u2011';

/** `missing`: exams that could not be read. */
export type PeriodSetting = Setting & { missing: readonly string[] };

/** The text of the file. */
export function periodPageOf(reports: readonly ExamReport[], { zone, profile, missing }: PeriodSetting): string {
  const subject = periodInWords(reports, zone);
  const [first] = reports;
  const made = cell(first?.made_at, 'time', zone);
  const totals = totalsOf(reports);
  return documentOf(
    { title: `${subject} – report of ${made}`, subject: `Report: ${subject}`, dated: `as of ${made}` },
    html`<header>
<p class="kind">Report on an exam period</p>
<h1>${subject.replaceAll('-', nonBreakingHyphen)}</h1>
<dl class="facts">
<div><dt>Service</dt><dd>${first?.origin ?? ''} (profile ${profile})</dd></div>
<div><dt>As of</dt><dd>${time(first?.made_at ?? null, zone)} (${zone})</dd></div>
</dl>
${missing.length > 0 ? html`<p class="notice" role="note"><strong>Incomplete:</strong> these exams could not be read: ${missing.join('; ')}.</p>` : ''}
${totals.preliminary > 0 ? html`<p class="notice" role="note">${notFinal(reports)}; ${totals.preliminary === 1 ? 'its' : 'each'} section says why.</p>` : ''}
</header>
<main>
${tiles(totals.counts)}
${contents(reports, zone, totals.counts)}
${charts({ ...totals, preliminary: totals.preliminary > 0 }, { prefix: 'all-', level: 2 })}
${reports.map((report, index) => section(report, index, zone))}
${meaningsCard}
</main>`,
  );
}

/** The numbers of an exam in the table of contents, whose headings stand beside each of them on a narrow screen. */
const numbers: readonly { name: string; key: string }[] = [
  { name: 'Students', key: 'students' },
  { name: 'Present', key: 'present' },
  { name: 'Finished', key: 'finished' },
  { name: 'No-shows', key: 'no_shows' },
  { name: 'Stuck', key: 'stuck' },
  { name: 'Suspicion 2–3', key: 'suspicious' },
  { name: 'Not rated', key: 'not_rated' },
];

/** The exams with their numbers, and the sums below: a student who takes two exams counts twice. */
function contents(reports: readonly ExamReport[], zone: string, totals: ExamReport['counts']): Markup {
  const cells = (counts: ExamReport['counts']) => numbers.map(({ name, key }) => html`<td data-name="${name}">${counts[key] ?? 0}</td>`);
  return html`<nav class="card" aria-labelledby="contents">
<h2 id="contents">Exams</h2>
<table class="contents">
<thead><tr><th scope="col">Exam</th>${numbers.map(({ name }) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>
${reports.map(
  (
    report,
    index,
  ) => html`<tr><th scope="row"><a href="#${idOf(index)}"><bdi>${nameOf(report)}</bdi></a><small>${time(report.start_time, zone)}${report.preliminary ? ', preliminary' : ''}</small></th>${cells(report.counts)}</tr>
`,
)}</tbody>
<tfoot><tr><th scope="row">Total</th>${cells(totals)}</tr></tfoot>
</table>
</nav>`;
}

function section(report: ExamReport, index: number, zone: string): Markup {
  const id = idOf(index);
  return html`<section class="exam" aria-labelledby="${id}">
<h2 id="${id}"><bdi>${nameOf(report)}</bdi></h2>
<p class="times">${time(report.start_time, zone)} to ${time(report.end_time, zone)} <span class="soft">(exam ${textOfJson(report.exam)})</span></p>
${notice(report)}
${tiles(report.counts)}
${exhibits(report, { prefix: `${id}-`, level: 3 })}
<p class="back"><a href="#contents">Back to the exams</a></p>
</section>
`;
}

function idOf(index: number): string {
  return `exam-${index + 1}`;
}

function nameOf({ exam, name }: ExamReport): string {
  return name ?? `Exam ${textOfJson(exam)}`;
}
