/** How much room texts take on a terminal, and texts cut to the room that there is. */
import stringWidth from 'string-width';

const graphemes = new Intl.Segmenter();

/** The text, shortened to a width; what was cut shows as an ellipsis. */
export function clip(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = '';
  let used = 1;
  for (const { segment } of graphemes.segment(text)) {
    used += stringWidth(segment);
    if (used > width) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Columns on the terminal; one even where nothing is seen, so that every cell keeps its place. */
export function widthOf(text: string): number {
  return Math.max(1, stringWidth(text));
}
