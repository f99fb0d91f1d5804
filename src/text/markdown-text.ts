/** Foreign text in Markdown: on its line, and taken as it is; pages of merge requests show it. */
import { visible } from './characters.ts';

/** With each sign that Markdown, or HTML in it, would take for its own behind a backslash. */
export function inMarkdown(text: string): string {
  return visible(text).replace(/[\\`*_{}[\]<>#|~&!]/g, '\\$&');
}

/** A table; the texts as they are. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [head, head.map(() => '---'), ...rows].map(markdownRow);
}

export function markdownRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
