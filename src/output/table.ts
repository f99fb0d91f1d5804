/**
 * A table for people: one row a line, or one field a line for a single resource. In a pipe it is plain and complete: no colour,
 * no frame, nothing cut. On a terminal it fits the width: the widest columns are cut, then columns are left out from the right, and the header
 * ends with their number. What identifies a row stays as long as it can.
 */
import { spoken, visibleLines } from '../text/characters.ts';
import { type Column, cell, heading, kindOf, type Row } from './cell.ts';
import type { Painter } from './colors.ts';
import { clip, type Measure, measureFor } from './measure.ts';
import { type Answer, collect, otherKeys, type Renderer, type View, writeLines } from './view.ts';

const between = '  ';
/** Cells are cut down to this width, headings never. Of what identifies a row, so much is kept where there is room, and before a column is left out. */
const leastWidth = 12;
const [identity, identityAtLeast] = [48, 32];

export const renderTable: Renderer = async (answer, view) => {
  const { stdout } = view;
  const rows = await collect(answer);
  const [row] = rows;
  if (!row) return stdout.isTTY ? view.note('Nothing found.') : undefined;
  if (answer.kind === 'one')
    return answer.only === undefined ? renderFields(row, answer, view) : stdout.write(`${alone(row[answer.only], view)}\n`);

  const all = answer.chosen ? answer.columns : listColumns(rows, answer.columns);
  const cells = rows.map((item) => all.map((column) => textOf(item, column, view)));
  const titles = all.map((column) => heading(column).toUpperCase());
  const texts = stdout.isTTY ? offsetsInHead(all, [titles, ...cells]) : [titles, ...cells];
  const measure = await measureFor(texts.flat());
  const { places, widths, left } = fitted(all, texts, measure, (stdout.isTTY && !view.plain && stdout.columns) || Number.POSITIVE_INFINITY);
  const paint = await painterFor(view);
  const lines = texts.map((line, index) => {
    const item = rows[index - 1];
    const shown = places.map((place, at) => {
      const text = clip(line[place] ?? '', widths[at] ?? 0, measure);
      const blanks = at === places.length - 1 ? '' : ' '.repeat((widths[at] ?? 0) - measure(text));
      return painted(text, item, all[place], paint) + blanks;
    });
    return index === 0 && left > 0 ? [...shown, `+${left}`].join(between) : shown.join(between).trimEnd();
  });
  if (!stdout.isTTY) return writeLines(lines, stdout, (line) => `${line}\n`);
  await stdout.write(await drawn(lines));
};

/** Rows as lines, for a screen reader or a log and for a pipe: each as it comes, its cells separated by two spaces, nothing cut. */
export const renderLines: Renderer = ({ rows, shown, columns }, view) =>
  writeLines(rows, view.stdout, (row) => `${columns.map((column) => textOf(shown(row), column, view)).join(between)}\n`, true);

/** One resource: the command's columns in their order, then every other field. */
async function renderFields(row: Row, { columns, chosen, brief }: Answer, view: View): Promise<void> {
  const keys = columns.map(({ key }) => key);
  const fields = chosen || brief ? columns : [...columns, ...otherKeys([row], keys).map((key): Column => ({ key }))];
  const names = fields.map(heading);
  const measure = await measureFor(names);
  const width = Math.max(...names.map(measure));
  const paint = await painterFor(view);
  const lines = fields.map((column, index) => {
    const name = names[index] ?? '';
    const label = name + ' '.repeat(width - measure(name)) + between;
    return `${paint?.label(label) ?? label}${painted(textOf(row, column, view), row, column, paint)}\n`;
  });
  await view.stdout.write(lines.join(''));
}

/** The columns of a list: those that are not for details only and appear in a row; all fields if there are none. */
function listColumns(rows: readonly Row[], declared: readonly Column[]): readonly Column[] {
  const known = declared.filter(({ key, detail }) => !detail && rows.some((row) => Object.hasOwn(row, key)));
  return known.length > 0 ? known : otherKeys(rows, []).map((key) => ({ key }));
}

/** The offset once, in the heading, where all times of a column have the same. */
function offsetsInHead(columns: readonly Column[], [head = [], ...cells]: readonly string[][]): string[][] {
  const offsets = columns.map(({ as }, index) => {
    const times = cells.map((row) => row[index] ?? '').filter((text) => as === 'time' && /\d/.test(text));
    const found = new Set(times.map((text) => / [+-]\d\d:\d\d$/.exec(text)?.[0] ?? ''));
    return found.size === 1 ? ([...found][0] ?? '') : '';
  });
  const without = (text: string, offset: string) => (text.endsWith(offset) ? text.slice(0, text.length - offset.length) : text);
  return [
    head.map((title, index) => title + offsets[index]),
    ...cells.map((row) => row.map((text, index) => without(text, offsets[index] ?? ''))),
  ];
}

/** The columns that fit, by their places, with their widths, and how many are left out; columns without a value go first and do not count. */
function fitted(columns: readonly Column[], texts: readonly string[][], measure: Measure, available: number) {
  const natural = columns.map((_, place) => texts.reduce((most, line) => Math.max(most, measure(line[place] ?? '')), 1));
  const leastWith = (ofIdentity: number) => (place: number) => {
    const { as, whole, identifies } = columns[place] ?? {};
    const width = natural[place] ?? 1;
    if (place === 0 || as === 'time' || whole) return width;
    return Math.max(measure(texts[0]?.[place] ?? ''), Math.min(width, identifies ? ofIdentity : leastWidth));
  };
  const least = leastWith(identityAtLeast);
  const hasValue = (place: number) => place === 0 || texts.some((line, index) => index > 0 && line[place] !== '-');
  const givesWay = (place: number) => place > 0 && !columns[place]?.identifies;
  let places = [...columns.keys()];
  let wanted = places.length;
  const room = () =>
    available - between.length * (places.length - 1) - (wanted > places.length ? `${between}+${wanted - places.length}`.length : 0);
  const fits = (widthOf: (place: number) => number) => places.reduce((sum, place) => sum + widthOf(place), 0) <= room();
  if (!fits(least)) {
    places = places.filter(hasValue);
    wanted = places.length;
  }
  while (!fits(least) && places.some(givesWay)) places = places.toSpliced(places.findLastIndex(givesWay), 1);
  const floor = [leastWith(identity), least].find(fits) ?? (() => 1);
  let widest = Math.max(...natural);
  const widthOf = (place: number) => Math.max(floor(place), Math.min(natural[place] ?? 1, widest));
  while (!fits(widthOf) && widest > 1) widest -= 1;
  return { places, widths: places.map(widthOf), left: wanted - places.length };
}

/** Colours, on a terminal. */
async function painterFor({ stdout, color }: View): Promise<Painter | undefined> {
  return stdout.isTTY ? (await import('./colors.ts')).painter(color) : undefined;
}

/** The text of a cell, or of a heading where there is no row. */
function painted(text: string, row: Row | undefined, column: Column | undefined, paint: Painter | undefined): string {
  if (!paint) return text;
  return row && column ? paint.value(text, row, column) : paint.label(text);
}

const sides = ['top', 'bottom', 'left', 'right', 'mid', 'middle'];
const noFrame = Object.fromEntries(sides.flatMap((side) => ['', '-mid', '-left', '-right'].map((end) => [side + end, ''])));
const rowsAtATime = 50;

/** cli-table3 prints what is laid out already: it measures text as Unicode 12 did, and takes much longer for many rows at a time. */
async function drawn(lines: readonly string[]): Promise<string> {
  const { default: Table } = await import('cli-table3');
  const blocks: string[] = [];
  for (let start = 0; start < lines.length; start += rowsAtATime) {
    const table = new Table({ chars: noFrame, style: { 'padding-left': 0, 'padding-right': 0 } });
    table.push(...lines.slice(start, start + rowsAtATime).map((line) => [line]));
    blocks.push(table.toString());
  }
  return blocks.flatMap((block) => block.split('\n').map((line) => `${line.trimEnd()}\n`)).join('');
}

/** Secrets are masked in each cell, before one is cut short of being recognised. */
function textOf(row: Row, column: Column, { timeZone, secrets, showSecrets, plain }: View): string {
  const as = kindOf(column, row);
  const text = plain ? spoken(cell(row[column.key], as, timeZone, 'none')) : cell(row[column.key], as, timeZone);
  return showSecrets ? text : secrets.masked(text);
}

/** A value that stands for itself, so that a script can use it as it is. */
function alone(value: unknown, { stdout, timeZone }: View): string {
  if (typeof value !== 'string') return cell(value, undefined, timeZone);
  return stdout.isTTY ? visibleLines(value) : value;
}
