/**
 * How the page looks: on a wide and a narrow screen, light and dark, and on A4 paper. Text keeps a
 * contrast of 4.5 to 1 and the parts of a chart 3 to 1 against what is behind them.
 */
import { visible } from '../../text/characters.ts';

const colours = {
  light: `--paper:#fff;--desk:#f4f5f7;--ink:#1c2128;--soft:#57606a;--line:#d8dde3;--accent:#1a4480;--notice:#fff6e0;--edge:#b45309;
--grey:#87909f;--slate:#667185;--sky:#4389bd;--blue:#2f70a8;--navy:#225a94;--deep:#1a4480;--green:#1b7f5c;
--amber:#b45309;--gold:#a87900;--red:#b3261e;--violet:#6b4fa0;--texture:rgba(255,255,255,.55)`,
  dark: `--paper:#1b1f26;--desk:#12151a;--ink:#e8ebef;--soft:#a5afbc;--line:#363d47;--accent:#8fbcf0;--notice:#33290f;--edge:#f0a04b;
--grey:#7f8999;--slate:#9aa6b8;--sky:#9ccdf2;--blue:#79b4e8;--navy:#5c9bdb;--deep:#4a86d0;--green:#4cc38a;
--amber:#f0a04b;--gold:#d9b23c;--red:#f2777a;--violet:#b49ae0;--texture:rgba(0,0,0,.5)`,
};

const tones: Record<string, string> = {
  finished: 'green',
  in_progress: 'blue',
  stuck: 'amber',
  not_started_yet: 'grey',
  no_show: 'red',
  unknown: 'violet',
  registered: 'grey',
  mail_sent: 'slate',
  check_started: 'sky',
  check_completed: 'blue',
  exam_session_opened: 'navy',
  exam_started: 'deep',
  exam_finished: 'green',
  level_0: 'grey',
  level_1: 'gold',
  level_2: 'amber',
  level_3: 'red',
};

/** The class of a part of a chart that has a colour of its own; that of the unknown for any other. */
export function toneOf(name: string): string {
  return Object.hasOwn(tones, name) ? name : 'unknown';
}

/** The style sheet; each sheet of paper is headed with what it belongs to. */
export function styleSheet({ subject, dated }: { subject: string; dated: string }): string {
  return `
:root{color-scheme:light dark;${colours.light}}
@media screen and (prefers-color-scheme:dark){:root{${colours.dark}}}
*{box-sizing:border-box}
html{background:var(--desk);-webkit-text-size-adjust:100%}
body{margin:0 auto;max-width:60rem;padding:2.5rem 1.25rem 3rem;color:var(--ink);font:400 1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Liberation Sans",sans-serif;overflow-wrap:anywhere}
h1,h2,h3{line-height:1.2;margin:0;font-weight:650;text-wrap:balance}
h1{font-size:clamp(1.6rem,1.2rem + 2vw,2.3rem);letter-spacing:-.015em}
h2,h3{font-size:1.15rem}
.exam>h2{font-size:1.5rem;letter-spacing:-.01em}
.exam{margin:3.5rem 0 0;padding:2rem 0 0;border-top:2px solid var(--accent)}
.soft{color:var(--soft)}
a{color:var(--accent);text-underline-offset:.18em;text-decoration-thickness:.06em}
a:focus-visible{outline:3px solid var(--edge);outline-offset:2px;border-radius:2px}
.back{margin:1rem 0 0;font-size:.875rem}
.kind{margin:0 0 .35rem;color:var(--accent);font-weight:600;font-size:.85rem;letter-spacing:.06em;text-transform:uppercase}
.times{margin:.5rem 0 0;font-size:1.05rem}
.facts{display:flex;flex-wrap:wrap;gap:.2rem 1.5rem;margin:.75rem 0 0;color:var(--soft);font-size:.875rem}
.facts div{display:flex;gap:.4rem}
dt,dd{margin:0}
.facts dt{white-space:nowrap}
.facts dd{color:var(--ink)}
.notice{margin:1.5rem 0 0;padding:.75rem 1rem;background:var(--notice);border-inline-start:4px solid var(--edge);border-radius:4px}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(7.25rem,1fr));gap:.75rem;margin:1.75rem 0 0}
.tiles div,.card{background:var(--paper);border:1px solid var(--line);border-radius:10px}
.tiles div{padding:.8rem .65rem;display:flex;flex-direction:column}
.tiles dt{color:var(--soft);font-size:.85rem;white-space:nowrap}
.tiles dd{font-size:1.9rem;font-weight:650;line-height:1.2;font-variant-numeric:tabular-nums}
.tiles dd small{display:block;color:var(--soft);font-size:.8rem;font-weight:400;line-height:1.4}
.card{margin:1rem 0 0;padding:1.25rem}
.bar{display:block;margin:.9rem 0 1rem;border-radius:6px;background:var(--line);overflow:hidden}
.bar rect{stroke:var(--paper);stroke-width:1.5}
.swatch{position:absolute;inset-inline-start:0;top:.8em;border-radius:3px}
.textures{position:absolute}
.ink{fill:var(--texture)}
${Object.entries(tones)
  .map(([name, colour]) => `.${name}{fill:var(--${colour})}`)
  .join('\n')}
.bar .texture{stroke:none}
table{width:100%;border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.42rem .5rem;text-align:start;vertical-align:top;border-bottom:1px solid var(--line);font-weight:400}
tbody tr:last-child>*{border-bottom:0}
th:first-child{padding-inline-start:0}
td:last-child,th:last-child{padding-inline-end:0}
thead th{color:var(--soft);font-size:.8rem;font-weight:600;vertical-align:bottom}
.numbers :is(th,td):not(:first-child){text-align:end;width:6rem;white-space:nowrap}
.numbers tbody th{position:relative;padding-inline-start:1.6rem}
.none>*{color:var(--soft)}
.contents{margin-top:.6rem}
.contents thead th{overflow-wrap:normal}
.contents :is(th,td):not(:first-child){text-align:end;width:5.2rem;padding-inline-start:.2rem}
.contents small{display:block;color:var(--soft);font-size:.85rem}
.contents tfoot>tr>*{border-top:2px solid var(--line);border-bottom:0;font-weight:650}
.people{margin-top:.6rem;table-layout:fixed}
.people th:first-child{width:52%}
.people :is(th,td):last-child{text-align:end;width:5.5rem}
.people small{display:block;color:var(--soft);font-size:.85rem}
.card p{margin:.5rem 0 0}
.meanings div{margin-top:.6rem}
.meanings dt{font-weight:600}
.meanings dd{color:var(--soft)}
footer{margin-top:1.5rem;color:var(--soft);font-size:.85rem}
@media (min-width:44rem){.meanings div{display:grid;grid-template-columns:9rem 1fr}}
@media screen and (max-width:56rem){
.contents thead{display:none}
.contents,.contents :is(tbody,tfoot){display:block}
.contents tr{display:grid;grid-template-columns:repeat(auto-fill,minmax(6.5rem,1fr));padding:.6rem 0;border-bottom:1px solid var(--line)}
.contents :is(tbody tr:last-child,tfoot tr){border-bottom:0}
.contents tfoot tr{border-top:2px solid var(--line)}
.contents tr>th{grid-column:1/-1}
.contents tr>:is(th,td){padding:.2rem 0;border:0}
.contents :is(th,td):not(:first-child){width:auto;text-align:start}
.contents td::before{content:attr(data-name);display:block;color:var(--soft);font-size:.8rem;font-weight:400}
}
@media (max-width:30rem){
body{padding:1.5rem .75rem 2rem}
.tiles{grid-template-columns:1fr 1fr}
.card{padding:1rem .85rem}
.numbers{font-size:.9rem}
.numbers :is(th,td):not(:first-child){width:3.7rem}
.people{font-size:.85rem}
.people th:first-child{width:48%}
.people :is(th,td):last-child{width:3rem}
}
@page{size:A4;margin:20mm 16mm 18mm;
@top-left{content:${cssText(subject)};font:9pt sans-serif;color:#57606a}
@top-right{content:${cssText(dated)};font:9pt sans-serif;color:#57606a}
@bottom-right{content:counter(page) " / " counter(pages);font:9pt sans-serif;color:#57606a}}
@media print{
html{background:none;font-size:10pt}
body{max-width:none;padding:0}
.card{border:0;border-top:1px solid var(--line);border-radius:0;padding:3mm 0 0;margin-top:4mm}
.meanings{font-size:.92em}
th,td{padding-block:1mm}
.bar{height:6mm}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
.tiles{grid-template-columns:repeat(7,1fr);gap:2mm}
.tiles div{padding:2mm}
.tiles dt{font-size:.75rem}
.tiles dd{font-size:1.5rem}
.swatch{top:.6em}
.card:has(.bar),.tiles div,tr,.notice,.meanings div{break-inside:avoid}
h2,h3{break-after:avoid}
.exam{break-before:page;margin:0;padding:0;border:0}
.back{display:none}
a{color:inherit;text-decoration:none}
.contents :is(th,td):not(:first-child){width:16.5mm}
.contents thead th{font-size:.72rem}
tfoot{display:table-row-group}
thead{display:table-header-group}
.people{font-size:.92em}
.people small{display:inline;margin-inline-start:.6em}
.people th:first-child{width:60%}
.people :is(th,td):last-child{width:15mm}
}
`;
}

/** A string of CSS that holds a text, whatever is in it: each character that is no letter or digit by its number. */
function cssText(text: string): string {
  const short = text.length > 70 ? `${text.slice(0, 69)}…` : text;
  const escaped = visible(short).replace(/[^\p{L}\p{N}]/gu, (character) => `\\${(character.codePointAt(0) ?? 0).toString(16)} `);
  return `"${escaped}"`;
}
