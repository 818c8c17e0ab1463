/** Text that is HTML already. Only `html` makes one, so that whatever else gets into a page is escaped. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Piece = Markup | string | number | null | undefined | false | readonly Piece[];

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function piece(value: Piece): string {
  if (value instanceof Markup) return value.text;
  if (value === null || value === undefined || value === false) return '';
  if (typeof value === 'object') return value.map(piece).join('');
  return String(value).replace(/[&<>"']/g, (letter) => ESCAPES[letter]!);
}

/** HTML or SVG with values in it. Every value that is not markup itself is escaped, in texts and in quoted attributes alike. */
export function html(parts: TemplateStringsArray, ...values: readonly Piece[]): Markup {
  return new Markup(parts.map((part, n) => part + piece(values[n])).join(''));
}
