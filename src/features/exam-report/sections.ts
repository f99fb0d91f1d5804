/** The parts of a report's page that the page of one exam and that of a period have in common. */
import { createHash } from 'node:crypto';
import { textOfJson } from '../../model/json.ts';
import type { ExamReport, ReportedStudent } from '../../model/report-content.ts';
import { shareOf } from '../../model/share.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { instantOf } from '../../model/time.ts';
import { cell } from '../../output/cell.ts';
import { chartOf, type Part, textures } from './chart.ts';
import { heading, html, type Markup, styles } from './markup.ts';
import { levelName } from './measures.ts';
import { meanings, whyPreliminary } from './report-words.ts';
import { styleSheet, toneOf } from './style.ts';

/** Limit of each list on the page; JSON and CSV name all students. */
const namedAtMost = 5000;

/** What the page says beside the report. */
export type Setting = {
  /** IANA name; times are shown in it. */
  zone: string;
  profile: string;
};

/** Where a section stands: what its IDs begin with, and the level of its headings. */
export type Place = { prefix: string; level: 2 | 3 };

/** The text of a whole file. `title`: of the window; `subject` and `dated` head each printed sheet. */
export function documentOf({ title, subject, dated }: { title: string; subject: string; dated: string }, body: Markup): string {
  const css = styleSheet({ subject, dated });
  const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(css).digest('base64')}'; base-uri 'none'; form-action 'none'`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${title}</title>
${styles(css)}
</head>
<body>
${textures}
${body}
<footer><p>Made with proctor-cli. This page holds personal data of students.</p></footer>
</body>
</html>
`.text;
}

/** How the numbers were counted. */
export const meaningsCard = html`<section class="card" aria-labelledby="meanings">
<h2 id="meanings">How it was counted</h2>
<dl class="meanings">
${meanings.map(
  ({ name, means }) => html`<div><dt>${name}</dt><dd>${means}</dd></div>
`,
)}</dl>
</section>`;

/** The three charts and the three lists of an exam. */
export function exhibits(report: ExamReport, place: Place): Markup {
  return html`${charts(report, place)}
${list(report, place, { id: 'no-shows', title: 'No-shows', students: report.no_show_students })}
${list(report, place, { id: 'stuck', title: 'Stuck', students: report.stuck_students })}
${list(report, place, { id: 'suspicious', title: 'Suspicion 2–3', students: report.suspicious_students })}`;
}

export function charts(report: Pick<ExamReport, 'counts' | 'preliminary' | 'statuses' | 'suspicion'>, place: Place): Markup {
  return html`${chartOf({ id: 'attendance', title: 'Attendance', parts: 'Outcome' }, attendance(report), place)}
${chartOf({ id: 'status', title: 'Status', parts: 'Status' }, byStatus(report), place)}
${chartOf({ id: 'suspicion', title: 'Suspicion', parts: 'Level' }, byLevel(report), place)}`;
}

export function time(value: ExamReport['start_time'], zone: string): Markup {
  if (value === null) return html`no time given`;
  const instant = instantOf(value);
  const shown = cell(value, 'time', zone);
  return instant === undefined ? html`${shown}` : html`<time datetime="${new Date(instant).toISOString()}">${shown}</time>`;
}

export function notice(report: ExamReport): Markup {
  const why = whyPreliminary(report);
  return why === undefined ? html`` : html`<p class="notice" role="note"><strong>Preliminary:</strong> ${why}</p>`;
}

export function tiles(counts: ExamReport['counts']): Markup {
  const tile = (name: string, count: number, part = true) => {
    const share = part ? html`<small>${cell(shareOf(count, counts.students), 'share', 'UTC')}</small>` : html``;
    return html`<div><dt>${name}</dt><dd>${count}${share}</dd></div>
`;
  };
  return html`<dl class="tiles">
${tile('Students', counts.students, false)}${tile('Present', counts.present)}${tile('Finished', counts.finished)}${tile('No-shows', counts.no_shows)}${tile('Stuck', counts.stuck)}${tile('Suspicion 2–3', counts.suspicious)}${tile('Not rated', counts.not_rated)}</dl>`;
}

function attendance({ counts, preliminary }: Pick<ExamReport, 'counts' | 'preliminary'>): Part[] {
  const passing: Part[] = [
    { name: 'In progress', count: counts.in_progress, tone: 'in_progress' },
    { name: 'Not started yet', count: counts.not_started_yet, tone: 'not_started_yet' },
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

function byStatus({ statuses }: Pick<ExamReport, 'statuses'>): Part[] {
  return statuses.map(({ status, count }) => {
    const tone = toneOf(status ?? '');
    return { name: status ?? 'not shown', count, tone, ...(tone === 'unknown' ? { texture: 'dots' } : {}) };
  });
}

function byLevel({ suspicion }: Pick<ExamReport, 'suspicion'>): Part[] {
  return suspicion.map(({ level, count }) => {
    const texture = level === 3 ? 'hatch' : level === 2 ? 'dots' : undefined;
    return { name: levelName(level), count, tone: toneOf(`level_${level}`), ...(texture === undefined ? {} : { texture }) };
  });
}

type List = { id: string; title: string; students: readonly ReportedStudent[] };

function list({ exam, preliminary }: ExamReport, { prefix, level }: Place, { id, title, students }: List): Markup {
  const more = students.length - namedAtMost;
  const rest = html`<p>and ${more} more. List all with: <code>proctor-cli ${typedCommand('exams report', [textOfJson(exam)], `--list ${id}`, '-o csv')}</code></p>
`;
  const table = html`<table class="people">
<thead><tr><th scope="col">Student</th><th scope="col">Status, suspicion</th><th scope="col">ID</th></tr></thead>
<tbody>
${students.slice(0, namedAtMost).map(person)}</tbody>
</table>
${more > 0 ? rest : ''}`;
  return html`<section class="card" aria-labelledby="${prefix}${id}">
${heading(level, `${prefix}${id}`, `${title} (${students.length})`)}
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
