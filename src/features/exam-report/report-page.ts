/**
 * The reports as one HTML file that needs nothing else: no script, no request, nothing from elsewhere, and a policy in it that lets
 * a browser refuse all of them. Whatever is put into it is text.
 */
import { createHash } from 'node:crypto';
import { textOfJson } from '../../model/json.ts';
import { cell } from '../../output/cell.ts';
import { visible } from '../../text/characters.ts';
import { type ExamReport, levelName, measuresOf, type ReportedStudent } from './report-figures.ts';
import { examsInWords, headline, whyPreliminary } from './report-words.ts';

const css = `
:root{font:1rem/1.5 system-ui,sans-serif}
body{margin:2rem auto;max-width:60rem;padding:0 1rem;overflow-wrap:anywhere}
table{width:100%;border-collapse:collapse;margin:1rem 0;font-variant-numeric:tabular-nums}
th,td{padding:.3rem .5rem;text-align:start;vertical-align:top;border-bottom:1px solid #ccc;font-weight:400}
thead th{font-weight:600}
td:has(svg){width:40%}
svg{display:block;width:100%;height:1.2em;background:#eee}
rect{fill:#1a4480}
.notice{border-inline-start:4px solid #b45309;padding:.5rem 1rem}
@page{size:A4;margin:18mm 15mm}
@media print{section+section{break-before:page}tr{break-inside:avoid}h2,h3{break-after:avoid}*{print-color-adjust:exact}}
`;

class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** What can stand in a template. A list stands for its items, one after the other. */
type Content = string | number | Markup | readonly Markup[];

/** HTML as a value. There is no other way for a text to get into the page: it is escaped, and its hidden characters become signs. */
export function html(parts: TemplateStringsArray, ...contents: Content[]): Markup {
  return new Markup(parts.map((part, index) => part + (index < contents.length ? written(contents[index] as Content) : '')).join(''));
}

function written(content: Content): string {
  if (content instanceof Markup) return content.text;
  if (typeof content === 'object') return content.map(({ text }) => text).join('');
  return visible(String(content)).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** What the page says beside the reports. `zone`: an IANA name; times are shown in it. `missing`: exams that could not be read. */
type Setting = { zone: string; profile: string; missing: readonly string[] };

/** The text of the file. */
export function pageOf(reports: readonly ExamReport[], { zone, profile, missing }: Setting): string {
  const [first] = reports;
  const subject = reports.length === 1 && first ? headline(first, zone) : examsInWords(reports, zone);
  const made = cell(first?.made_at, 'time', zone);
  const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(css).digest('base64')}'; base-uri 'none'; form-action 'none'`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${subject} – report of ${made}</title>
${new Markup(`<style>${css}</style>`)}
</head>
<body>
<h1>${reports.length === 1 ? 'Exam report' : `Report on ${subject}`}</h1>
<p>As of ${made} (${zone}), at ${first?.origin ?? ''} (profile ${profile}). This page holds personal data of students.</p>
${missing.length > 0 ? html`<p class="notice"><strong>Incomplete:</strong> these exams could not be read: ${missing.join('; ')}.</p>` : ''}
${reports.map((report) => section(report, zone))}</body>
</html>
`.text;
}

function section(report: ExamReport, zone: string): Markup {
  const why = whyPreliminary(report);
  return html`<section>
<h2><bdi>${headline(report, zone)}</bdi></h2>
${why === undefined ? '' : html`<p class="notice"><strong>Preliminary:</strong> ${why}</p>`}
<table>
<thead><tr><th scope="col">Of the students</th><th scope="col">Number</th><th scope="col">Share</th><th></th></tr></thead>
<tbody>
${measuresOf(report).map(({ group, measure, count, share }) => {
  const width = Math.round((share ?? 0) * 1000) / 10;
  return html`<tr><th scope="row">${group}: ${measure}</th><td>${count}</td><td>${cell(share, 'share', zone)}</td><td><svg aria-hidden="true"><rect width="${width}%" height="100%"/></svg></td></tr>
`;
})}</tbody>
</table>
${people('No-shows', report.no_show_students)}
${people('Stuck', report.stuck_students)}
${people('Suspicion 2–3', report.suspicious_students)}
</section>
`;
}

function people(title: string, students: readonly ReportedStudent[]): Markup {
  const rows = students.map(
    ({ id, email, name, status, level_of_suspicion }) =>
      html`<tr><td><bdi>${name ?? ''}</bdi></td><td><bdi>${email ?? ''}</bdi></td><td>${status ?? 'not shown'}</td><td>${levelName(level_of_suspicion)}</td><td>${textOfJson(id)}</td></tr>
`,
  );
  const table = html`<table>
<thead><tr><th scope="col">Name</th><th scope="col">E-mail</th><th scope="col">Status</th><th scope="col">Suspicion</th><th scope="col">ID</th></tr></thead>
<tbody>
${rows}</tbody>
</table>`;
  return html`<h3>${title} (${students.length})</h3>
${students.length === 0 ? '' : table}`;
}
