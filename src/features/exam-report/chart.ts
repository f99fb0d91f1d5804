/**
 * A whole and its parts: one bar, drawn as inline SVG, and below it the table that says the same in
 * numbers and is the bar's legend. Texture and order tell the parts apart where colours do not.
 */
import { shareOf } from '../../model/share.ts';
import { cell } from '../../output/cell.ts';
import { heading, html, type Markup } from './markup.ts';

export type Part = {
  name: string;
  count: number;
  /** The class that gives it its colour. */
  tone: string;
  texture?: 'hatch' | 'dots';
};

export type Chart = {
  id: string;
  title: string;
  /** What the parts are: the heading of their column. */
  parts: string;
};

/** Percent of the bar below which a part that is not empty could not be seen. */
const leastWidth = 0.6;

export function chartOf(
  { id: own, title, parts: what }: Chart,
  parts: readonly Part[],
  { prefix, level }: { prefix: string; level: 2 | 3 },
): Markup {
  const id = `${prefix}${own}`;
  const whole = parts.reduce((sum, { count }) => sum + count, 0);
  const rows = parts.map((part) => ({ ...part, share: cell(shareOf(part.count, whole), 'share', 'UTC') }));
  const told = rows.filter(({ count }) => count > 0).map(({ name, count, share }) => `${name}: ${count} (${share})`);
  return html`<section class="card" aria-labelledby="${id}">
${heading(level, id, title)}
<svg class="bar" role="img" aria-labelledby="${id}-name" aria-describedby="${id}-parts" width="100%" height="26">
<title id="${id}-name">${title} of ${whole} students</title>
<desc id="${id}-parts">${told.length > 0 ? told.join(', ') : 'No students'}.</desc>
${drawn(parts, whole)}</svg>
<table class="numbers">
<thead><tr><th scope="col">${what}</th><th scope="col">Students</th><th scope="col">Share</th></tr></thead>
<tbody>
${rows.map(rowOf)}</tbody>
</table>
</section>
`;
}

function rowOf(part: Part & { share: string }): Markup {
  const empty = part.count === 0 ? html` class="none"` : '';
  return html`<tr${empty}><th scope="row">${swatch(part)}${part.name}</th><td>${part.count}</td><td>${part.share}</td></tr>
`;
}

function drawn(parts: readonly Part[], whole: number): Markup[] {
  const seen = parts.filter(({ count }) => count > 0);
  const widths = seen.map(({ count }) => Math.max((count / whole) * 100, leastWidth));
  const total = widths.reduce((sum, width) => sum + width, 0);
  let x = 0;
  return seen.map((part, index) => {
    const width = ((widths[index] ?? 0) / total) * 100;
    const shapes = filled(part, `${x.toFixed(3)}%`, `${width.toFixed(3)}%`);
    x += width;
    return shapes;
  });
}

function filled({ tone, texture }: Part, x: string, width: string): Markup {
  const rect = (fill: Markup) => html`<rect x="${x}" width="${width}" height="100%" ${fill}/>`;
  return html`${rect(html`class="${tone}"`)}${texture === undefined ? '' : rect(html`class="texture" fill="url(#${texture})"`)}
`;
}

function swatch(part: Part): Markup {
  return html`<svg class="swatch" aria-hidden="true" width="14" height="14">${filled(part, '0', '100%')}</svg>`;
}

/** The textures that the charts of a page refer to. */
export const textures = html`<svg class="textures" aria-hidden="true" width="0" height="0"><defs>
<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="ink" width="2" height="6"/></pattern>
<pattern id="dots" width="6" height="6" patternUnits="userSpaceOnUse"><circle class="ink" cx="3" cy="3" r="1.3"/></pattern>
</defs></svg>`;
