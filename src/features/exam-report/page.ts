/**
 * A report as one HTML file that needs nothing else: no script, no request, nothing from elsewhere,
 * and a policy in it that lets a browser refuse all of them. Names stay plain text.
 */
import { createHash } from 'node:crypto';
import type { ExamReport, ReportedStudent } from '../../model/exam-report.ts';
import { textOfJson } from '../../model/json.ts';
import { shareOf } from '../../model/share.ts';
import { shellQuoted } from '../../model/shell-quote.ts';
import { instantOf } from '../../model/time.ts';
import { cell } from '../../output/cell.ts';
import { chartOf, type Part, textures } from './chart.ts';
import { html, type Markup, styles } from './markup.ts';
import { levelName } from './measures.ts';
import { styleSheet, toneOf } from './style.ts';
import { meanings, whyPreliminary } from './words.ts';

/** Limit of each list on the page; JSON and CSV name all students. */
const namedAtMost = 5000;

/** What the page says beside the report. */
export type Setting = {
  /** IANA name; times are shown in it. */
  zone: string;
  profile: string;
};

/** The text of the file. */
export function pageOf(report: ExamReport, { zone, profile }: Setting): string {
  const subject = `Exam ${report.exam}${report.name === null ? '' : `: ${report.name}`}`;
  const made = cell(report.made_at, 'time', zone);
  const css = styleSheet({ subject, dated: `as of ${made}` });
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
${styles(css)}
</head>
<body>
${textures}
<header>
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
${tiles(report)}
${chartOf({ id: 'attendance', title: 'Attendance', parts: 'Outcome' }, attendance(report))}
${chartOf({ id: 'status', title: 'Status', parts: 'Status' }, byStatus(report))}
${chartOf({ id: 'suspicion', title: 'Suspicion', parts: 'Level' }, byLevel(report))}
${list(report, { id: 'no-shows', title: 'No-shows', students: report.no_show_students })}
${list(report, { id: 'stuck', title: 'Stuck', students: report.stuck_students })}
${list(report, { id: 'suspicious', title: 'Suspicion rated 2 or 3', students: report.suspicious_students })}
<section class="card" aria-labelledby="meanings">
<h2 id="meanings">How it was counted</h2>
<dl class="meanings">
${meanings.map(
  ({ name, means }) => html`<div><dt>${name}</dt><dd>${means}</dd></div>
`,
)}</dl>
</section>
</main>
<footer><p>Made with proctor-cli. This page holds personal data of students.</p></footer>
</body>
</html>
`.text;
}

function time(value: ExamReport['start_time'], zone: string): Markup {
  if (value === null) return html`no time given`;
  const instant = instantOf(value);
  const shown = cell(value, 'time', zone);
  return instant === undefined ? html`${shown}` : html`<time datetime="${new Date(instant).toISOString()}">${shown}</time>`;
}

function notice(report: ExamReport): Markup {
  const why = whyPreliminary(report);
  return why === undefined ? html`` : html`<p class="notice" role="note"><strong>Preliminary:</strong> ${why}</p>`;
}

function tiles({ counts, suspicious_students: suspicious }: ExamReport): Markup {
  const tile = (name: string, count: number, part = true) => {
    const share = part ? html`<small>${cell(shareOf(count, counts.students), 'share', 'UTC')}</small>` : html``;
    return html`<div><dt>${name}</dt><dd>${count}${share}</dd></div>
`;
  };
  return html`<dl class="tiles">
${tile('Students', counts.students, false)}${tile('Present', counts.present)}${tile('Finished', counts.finished)}${tile('No-shows', counts.no_shows)}${tile('Stuck', counts.stuck)}${tile('Rated 2 or 3', suspicious.length)}</dl>`;
}

function attendance({ counts, preliminary }: ExamReport): Part[] {
  const passing: Part[] = [
    { name: 'In progress', count: counts.under_way, tone: 'under_way' },
    { name: 'Expected', count: counts.expected, tone: 'expected' },
  ];
  const unknown: Part = { name: 'Unknown status', count: counts.unknown, tone: 'unknown', texture: 'dots' };
  return [
    { name: 'Finished', count: counts.finished, tone: 'finished' },
    ...(preliminary ? passing : []),
    { name: 'Stuck', count: counts.stuck, tone: 'stuck', texture: 'dots' },
    { name: 'No-shows', count: counts.no_shows, tone: 'no_show', texture: 'hatch' },
    ...(counts.unknown > 0 ? [unknown] : []),
  ];
}

function byStatus({ statuses }: ExamReport): Part[] {
  return statuses.map(({ status, count }) => {
    const tone = toneOf(status ?? '');
    return { name: status ?? 'not shown', count, tone, ...(tone === 'unknown' ? { texture: 'dots' } : {}) };
  });
}

function byLevel({ suspicion }: ExamReport): Part[] {
  return suspicion.map(({ level, count }) => {
    const texture = level === 3 ? 'hatch' : level === 2 ? 'dots' : undefined;
    return { name: levelName(level), count, tone: toneOf(`level_${level}`), ...(texture === undefined ? {} : { texture }) };
  });
}

type List = { id: string; title: string; students: readonly ReportedStudent[] };

function list({ exam, preliminary }: ExamReport, { id, title, students }: List): Markup {
  const more = students.length - namedAtMost;
  const rest = html`<p>and ${more} more. List all with: <code>proctor-cli exams report ${shellQuoted(textOfJson(exam))} --list ${id} -o csv</code></p>
`;
  const table = html`<table class="people">
<thead><tr><th scope="col">Student</th><th scope="col">Status, suspicion</th><th scope="col">ID</th></tr></thead>
<tbody>
${students.slice(0, namedAtMost).map(person)}</tbody>
</table>
${more > 0 ? rest : ''}`;
  return html`<section class="card" aria-labelledby="${id}">
<h2 id="${id}">${title} (${students.length})</h2>
${students.length === 0 ? html`<p>None${preliminary ? ' so far' : ''}.</p>` : table}
</section>
`;
}

function person({ id, email, name, status, level_of_suspicion }: ReportedStudent): Markup {
  const [first = 'no name, no e-mail', ...more] = [name, email].filter((text) => text !== null);
  const student = html`<bdi>${first}</bdi>${more.map((text) => html`<small><bdi>${text}</bdi></small>`)}`;
  return html`<tr><th scope="row">${student}</th><td>${status ?? 'not shown'}<small>${levelName(level_of_suspicion)}</small></td><td>${textOfJson(id)}</td></tr>
`;
}
