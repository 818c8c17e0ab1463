/** The line at the bottom of the window in which a person types. */
export interface InputLine {
  readonly text: string;
  readonly pasting: boolean;
  /** The beginning of a key whose rest has not come. */
  readonly rest: string;
}

export type Press = { readonly on: 'submit'; readonly text: string } | { readonly on: 'escape' } | { readonly on: 'quit' };

export const EMPTY_LINE: InputLine = { text: '', pasting: false, rest: '' };

const PASTE_START = '\x1b[200~';
const PASTE_END = '\x1b[201~';
/** Arrows and their like do nothing here. */
const KEY = /^\x1b(?:\[[0-?]*[ -/]*[@-~]|O.)/;
const HALF_KEY = /^\x1b(?:\[[0-?]*[ -/]*|O)?$/;

/** Takes in what was typed or pasted. */
export function feed(from: InputLine, chunk: string): { line: InputLine; pressed: Press[] } {
  const pressed: Press[] = [];
  let { text, pasting } = from;
  let input = from.rest + chunk;
  while (input !== '') {
    if (HALF_KEY.test(input)) break;
    const marker = pasting ? PASTE_END : PASTE_START;
    const key = input.startsWith(marker) ? marker : pasting ? undefined : KEY.exec(input)?.[0];
    const char = String.fromCodePoint(input.codePointAt(0)!);
    if (key === marker) pasting = !pasting;
    else if (key === undefined && pasting) text += char === '\r' ? '\n' : char === '\x1b' ? '' : char;
    else if (key === undefined) text = typed(text, char, pressed);
    input = input.slice((key ?? char).length);
  }
  return { line: { text, pasting, rest: input }, pressed };
}

/** An escape that nothing followed was the key of that name. */
export const isEscape = ({ rest, pasting }: InputLine): boolean => rest === '\x1b' && !pasting;

function typed(text: string, char: string, pressed: Press[]): string {
  if (char === '\x1b' || char === '\x03') {
    pressed.push({ on: 'escape' });
    return text;
  }
  if (char === '\r') {
    if (text.trim() === '') return text;
    pressed.push({ on: 'submit', text });
    return '';
  }
  if (char === '\x04' && text === '') pressed.push({ on: 'quit' });
  if (char === '\x7f' || char === '\b') return [...text].slice(0, -1).join('');
  if (char === '\x15') return '';
  return char >= ' ' || char === '\n' || char === '\t' ? text + char : text;
}
