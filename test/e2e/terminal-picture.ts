/**
 * A terminal as an SVG picture: text stays text, in the monospace font of the reader, on the terminal's grid.
 * It brings its own background and has colours for light and dark.
 */
import stringWidth from 'string-width';

const cell = { width: 8.4, height: 18 };
const margin = 16;

/** The colours of the terminal by their numbers, bright black as 8: [light, dark]. */
const palette: Record<number, [light: string, dark: string]> = {
  1: ['#b31d28', '#ff7b72'],
  2: ['#116329', '#3fb950'],
  3: ['#7d4e00', '#d29922'],
  4: ['#0550ae', '#79c0ff'],
  5: ['#6639ba', '#bc8cff'],
  6: ['#0b6b75', '#39c5cf'],
  8: ['#57606a', '#9198a1'],
};
const paper = ['#f6f8fa', '#0d1117'] as const;
const ink = ['#1f2328', '#e6edf3'] as const;

function rules(at: 0 | 1): string {
  const colors = Object.entries(palette).map(([number, shades]) => `.c${number}{fill:${shades[at]}}`);
  return `rect{fill:${paper[at]};stroke:${palette[8]?.[at]}}text{fill:${ink[at]}}${colors.join('')}`;
}

const style =
  `text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;white-space:pre}` +
  `.b{font-weight:bold}.d{opacity:.7}.u{text-decoration:underline}${rules(0)}@media(prefers-color-scheme:dark){${rules(1)}}`;

type Style = { bold: boolean; dim: boolean; underlined: boolean; color: number | undefined };
const plain: Style = { bold: false, dim: false, underlined: false, color: undefined };

/** What a number of an SGR sequence makes of a style. Throws for a number that no picture has needed yet. */
function styled(before: Style, code: number): Style {
  if (code === 0) return plain;
  if (code === 1) return { ...before, bold: true };
  if (code === 2) return { ...before, dim: true };
  if (code === 4) return { ...before, underlined: true };
  if (code === 22) return { ...before, bold: false, dim: false };
  if (code === 24) return { ...before, underlined: false };
  if (code === 49) return before;
  if (code === 39) return { ...before, color: undefined };
  if (code >= 30 && code <= 37) return { ...before, color: code - 30 };
  if (code >= 90 && code <= 97) return { ...before, color: code === 90 ? 8 : code - 90 };
  throw new Error(`No picture knows the style ${code}.`);
}

function classOf({ bold, dim, underlined, color }: Style): string {
  return [bold && 'b', dim && 'd', underlined && 'u', color !== undefined && palette[color] && `c${color}`].filter(Boolean).join(' ');
}

/** Parts that keep their place: each style, and each word of another width than its characters, has its own. */
const parts = /[\x20-\x7e]+|[^\x20-\x7e]+/g;

/** A line of the screen with its escape sequences, as the text of an SVG. The style may last until the next line. */
function lineOf(line: string, y: number, before: Style): { svg: string; after: Style } {
  let after = before;
  let column = 0;
  let svg = '';
  // A style, and the text up to the next one; the line begins in the style of the line before.
  for (const [index, piece] of line.split('\u001b[').entries()) {
    const [, codes = '', text = ''] = index === 0 ? ['', '', piece] : (/^([\d;]*)m(.*)$/.exec(piece) ?? []);
    if (index > 0) for (const code of codes.split(';')) after = styled(after, Number(code));
    for (const [part] of text.matchAll(parts)) {
      const width = stringWidth(part);
      const length = ` textLength="${(width * cell.width).toFixed(1)}" lengthAdjust="spacingAndGlyphs"`;
      const name = classOf(after);
      const x = (margin + column * cell.width).toFixed(1);
      svg += `<tspan x="${x}"${length}${name && ` class="${name}"`}>${escaped(part)}</tspan>`;
      column += width;
    }
  }
  return { svg: `<text y="${y}" xml:space="preserve">${svg}</text>`, after };
}

/** The picture of a screen of so many columns, with its title for those who cannot see it. */
export function pictureOf(screen: string, { title, columns }: { title: string; columns: number }): string {
  const lines = screen.split('\n');
  const width = Math.ceil(columns * cell.width + 2 * margin);
  const height = lines.length * cell.height + 2 * margin;
  let current = plain;
  const texts = lines.map((line, index) => {
    const { svg, after } = lineOf(line, margin + index * cell.height + 13, current);
    current = after;
    return svg;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `<title>${escaped(title)}</title>`,
    `<style>${style}</style>`,
    `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    ...texts,
    '</svg>\n',
  ].join('\n');
}

/** The text of a picture, line by line. */
export function textOf(picture: string): string {
  return [...picture.matchAll(/<text [^>]*>(.*)<\/text>/g)].map(([, line = '']) => unescaped(line.replaceAll(/<[^>]*>/g, ''))).join('\n');
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const unescaped = (text: string) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
