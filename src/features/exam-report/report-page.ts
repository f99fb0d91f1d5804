/**
 * A report as one HTML file that needs nothing else: no script, no request, nothing from elsewhere,
 * and a policy in it that lets a browser refuse all of them. Names stay plain text.
 */

import { textOfJson } from '../../model/json.ts';
import type { ExamReport } from '../../model/report-content.ts';
import { cell } from '../../output/cell.ts';
import { html } from './markup.ts';
import { documentOf, exhibits, meaningsCard, notice, type Setting, tiles, time } from './sections.ts';

/** The text of the file. */
export function pageOf(report: ExamReport, { zone, profile }: Setting): string {
  const subject = `Exam ${report.exam}${report.name === null ? '' : `: ${report.name}`}`;
  const made = cell(report.made_at, 'time', zone);
  return documentOf(
    { title: `${subject} – report of ${made}`, subject, dated: `as of ${made}` },
    html`<header>
<p class="kind">Exam report</p>
<h1><bdi>${report.name ?? subject}</bdi></h1>
<p class="times">${time(report.start_time, zone)} to ${time(report.end_time, zone)}</p>
<dl class="facts">
<div><dt>Exam</dt><dd>${textOfJson(report.exam)}</dd></div>
<div><dt>Service</dt><dd>${report.origin} (profile ${profile})</dd></div>
<div><dt>As of</dt><dd>${time(report.made_at, zone)} (${zone})</dd></div>
</dl>
${notice(report)}
</header>
<main>
${tiles(report.counts)}
${exhibits(report, { prefix: '', level: 2 })}
${meaningsCard}
</main>`,
  );
}
