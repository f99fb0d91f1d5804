/**
 * HTML as a value. Whatever is put into a template is escaped, and its hidden characters become
 * signs, unless it is such a value already: there is no other way for a text to get into a page.
 */
import { visible } from '../../text/characters.ts';

class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type { Markup };

/** What can stand in a template. A list stands for its items, one after the other. */
type Content = string | number | Markup | readonly Markup[];

export function html(parts: TemplateStringsArray, ...contents: Content[]): Markup {
  return new Markup(parts.map((part, index) => part + (index < contents.length ? written(contents[index] as Content) : '')).join(''));
}

/** A heading of a level: a value in a template can be no tag. */
export function heading(level: 2 | 3, id: string, text: string): Markup {
  return level === 2 ? html`<h2 id="${id}">${text}</h2>` : html`<h3 id="${id}">${text}</h3>`;
}

/** A style sheet of our own, as it is. */
export function styles(css: string): Markup {
  return new Markup(`<style>${css}</style>`);
}

function written(content: Content): string {
  if (content instanceof Markup) return content.text;
  if (typeof content === 'object') return content.map(({ text }) => text).join('');
  return visible(String(content)).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
