/** A report as one HTML file, whose policy makes a browser refuse scripts and requests. */
import { createHash } from 'node:crypto';
import { examNamed } from '../../model/describe.ts';
import { type Json, textOfJson } from '../../model/json.ts';
import { suspicionInWords } from '../../model/status.ts';
import { cell } from '../../output/cell.ts';
import { visible } from '../../text/characters.ts';
import { capitalised } from '../../text/sentence.ts';
import { type ExamView, examsNamed, groups, inPlainWords, numbersOf, type StudentSeen, studentsIn, whyPreliminary } from './exam-view.ts';

const css = `
:root{font:1rem/1.5 system-ui,sans-serif}
body{margin:2rem auto;max-width:60rem;padding:0 1rem;overflow-wrap:break-word}
table{width:100%;border-collapse:collapse;margin:1rem 0;font-variant-numeric:tabular-nums}
th,td{padding:.3rem .5rem;text-align:start;vertical-align:top;border-bottom:1px solid #ccc;font-weight:400}
thead th{font-weight:600}
tbody th,td[data-title=E-mail]{overflow-wrap:anywhere}td[data-title=Number],td[data-title=Share],td[data-title=Start]{white-space:nowrap}
td[data-title=E-mail]{min-width:16em}
td:has(svg){width:40%}
svg{display:block;width:100%;height:1.2em;background:#eee}
rect{fill:#1a4480}
.notice{border-inline-start:4px solid #b45309;padding:.5rem 1rem}
/* On a telephone each row is a block, its cells with their titles. */
@media (max-width:36rem){thead{display:none}tr{display:block;border-bottom:1px solid #ccc;padding:.4rem 0}tbody th,td{display:flex;gap:.5rem;border:0;padding:.1rem 0}tbody th{font-weight:600}td::before{content:attr(data-title);flex:0 0 8.5rem;color:#555}td[data-title=E-mail]{min-width:0}tr:has(svg){display:grid;grid-template-columns:1fr 3rem 5rem}tr:has(svg) td{justify-content:end}tr:has(svg) td::before{content:none}td:has(svg){width:auto;grid-column:1/-1}td:has(svg) bdi{flex:1}}
@page{size:A4;margin:18mm 15mm}
@media print{:root{font-size:.75rem}th,td{padding:.1rem .5rem}h2,h3,p,table{margin:.5rem 0}section+section{break-before:page}tr{break-inside:avoid}h2,h3{break-after:avoid}*{print-color-adjust:exact}}
`;

/** HTML as a value. Any other text is escaped, and its hidden characters become signs. */
class Markup extends String {}

type Content = string | number | Markup | readonly Markup[];

export function html(parts: TemplateStringsArray, ...contents: Content[]): Markup {
  return new Markup(String.raw({ raw: parts }, ...contents.map(written)));
}

function written(content: Content): string {
  if (content instanceof Markup) return content.toString();
  if (typeof content === 'object') return content.join('');
  return visible(String(content)).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The page of a report. The client has masked secrets in what the service shows. */
export function pageOf(views: readonly ExamView[], { zone, place, number }: Record<'zone' | 'place' | 'number', string>): string {
  const subject = examsNamed(views);
  const styles = createHash('sha256').update(css).digest('base64');
  const made = cell(new Date(views[0]?.at ?? 0).toISOString(), 'time', zone);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${styles}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Report on ${subject}, ${made}</title>
${new Markup(`<style>${css}</style>`)}
</head>
<body>
<h1>Report on ${subject}</h1>
<p>As of ${made} (${zone}), ${place}. This page holds personal data of students.</p>
${views.length > 1 ? overview(views, zone) : ''}${views.map((view) => section(view, zone, number))}</body>
</html>
`.toString();
}

/** Lists of --list, by their names there; the absent are those of two of them. */
const listedGroups = ['problems', 'no-shows', 'not-started', 'stuck', 'suspicion'] as const;

function overview(views: readonly ExamView[], zone: string): Markup {
  const rows = views.map((view) => {
    const { students, present, no_shows, suspicion } = numbersOf(view.students);
    const link = html`<a href="#exam-${view.id}">${examNamed(view)}</a>`;
    return [link, cell(view.shown.start_time, 'time', zone, 'no time given'), ...[students, present, no_shows, suspicion].map(String)];
  });
  return htmlTable(['Exam', 'Start', 'Students', 'Present', 'No-shows', 'Suspicion 2 or 3'], rows);
}

function section(view: ExamView, zone: string, number: string): Markup {
  const { students, shown } = view;
  const shownTime = (time: Json | undefined) => cell(time, 'time', zone, 'no time given');
  const why = whyPreliminary(view);
  const shownNumbers = Object.entries(numbersOf(students)).filter(([key, number]) => key !== 'unknown' || number > 0);
  const numbers = shownNumbers.map(([key, number]) => {
    const share = ((100 * number) / Math.max(1, students.length)).toFixed(1);
    const bar = html`<svg aria-hidden="true"><rect width="${share}%" height="100%"/></svg>`;
    return [inPlainWords(key), String(number), `${share} %`, bar];
  });
  return html`<section id="exam-${view.id}">
<h2><bdi>Exam ${examNamed(view)}</bdi></h2>
<p>${shownTime(shown.start_time)} to ${shownTime(shown.end_time)}</p>
${why === undefined ? '' : html`<p class="notice"><strong>Preliminary:</strong> this exam ${why}.</p>`}
${htmlTable(['Of the students', 'Number', 'Share', 'Bar'], numbers)}
${listedGroups.map((group) => studentTable(group, studentsIn([view], groups[group]), number))}
</section>
`;
}

function studentTable(group: string, students: readonly StudentSeen[], number: string): Markup {
  const rows = students.map(({ student: { session, email, name, problem, status, level_of_suspicion: level, shown } }) => {
    return [
      name ?? '',
      textOfJson(shown[number] ?? ''),
      email ?? '',
      inPlainWords(problem ?? ''),
      status ?? 'not shown',
      suspicionInWords(level ?? 0),
      textOfJson(session),
    ];
  });
  return html`<h3>${capitalised(group)} (${students.length})</h3>
${rows.length === 0 ? '' : htmlTable(['Name', 'Number', 'E-mail', 'Problem', 'Status', 'Suspicion', 'ID'], rows)}
`;
}

function htmlTable(titles: readonly string[], rows: readonly (readonly (string | Markup)[])[]): Markup {
  const lines = rows.map(([name = '', ...others]) => {
    const cells = others.map((each, at) => html`<td data-title="${titles[at + 1] ?? ''}"><bdi>${each}</bdi></td>`);
    return html`<tr><th scope="row"><bdi>${name}</bdi></th>${cells}</tr>\n`;
  });
  return html`<table>
<thead><tr>${titles.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
<tbody>
${lines}</tbody>
</table>`;
}
