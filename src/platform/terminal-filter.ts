/**
 * Filters the output of a program on its way to the terminal that a face shows. Everything that draws stays: text,
 * colours, cursor, scrolling, the alternate screen. The rest is removed: titles, links, the clipboard, requests for an answer (the terminal
 * would type it as if it were the person), mouse and focus reports, pictures, and every unknown sequence.
 */
interface TerminalFilter {
  /** Filters the next piece; an unfinished sequence at its end waits for the piece after. */
  feed(text: string): string;
}

type State =
  | { readonly at: 'text' }
  | { readonly at: 'escape'; readonly between: string }
  | { readonly at: 'csi'; readonly body: string }
  /** Inside OSC, DCS, SOS, PM, APC or a title; nothing of it is kept. */
  | { readonly at: 'string' };

const TEXT: State = { at: 'text' };
const STRING: State = { at: 'string' };

/** No honest sequence is longer. */
const LONGEST = 256;

/** Text up to the next character that has a meaning or is not shown. */
const PLAIN =
  /[^\x00-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0001}\u{e0020}-\u{e007f}]+/uy;

/** Backspace, tab, line feeds, return, and the two that switch between character sets. */
const KEPT_CONTROLS = '\b\t\n\v\f\r\x0e\x0f';

export function terminalFilter(): TerminalFilter {
  let state = TEXT;
  return {
    feed(text) {
      let out = '';
      for (let at = 0; at < text.length; ) {
        if (state === TEXT) {
          PLAIN.lastIndex = at;
          const plain = PLAIN.exec(text)?.[0];
          if (plain !== undefined) {
            out += plain;
            at += plain.length;
            continue;
          }
        }
        const char = String.fromCodePoint(text.codePointAt(at)!);
        at += char.length;
        const [next, kept] = step(state, char);
        state = next;
        out += kept;
      }
      return out;
    },
  };
}

/** The next state, and the text that passes. */
function step(state: State, char: string): readonly [State, string] {
  // These end any sequence, in every terminal.
  if (char === '\x1b') return [{ at: 'escape', between: '' }, ''];
  if (char === '\x18' || char === '\x1a') return [TEXT, ''];
  if (state.at === 'string') return [char === '\x07' || char === '\x9c' ? TEXT : STRING, ''];
  if (char >= '\x80' && char <= '\x9f') return [eightBit(char), ''];
  // Other controls also act in the middle of a sequence, and come first.
  if (char < ' ') return [state, KEPT_CONTROLS.includes(char) ? char : ''];
  if (state.at === 'text' || char === '\x7f') return [state, ''];
  return state.at === 'csi' ? inCsi(state.body, char) : inEscape(state.between, char);
}

function eightBit(char: string): State {
  if (char === '\x9b') return { at: 'csi', body: '' };
  return '\x90\x98\x9d\x9e\x9f'.includes(char) ? STRING : TEXT;
}

/** Save and restore the cursor, tabs, scrolling, keypad, reset; the character sets that draw lines. */
const ESCAPES = /^(?:[78DEHMc=>]|#8|[()][0AB])$/;

function inEscape(between: string, char: string): readonly [State, string] {
  if (between === '' && char === '[') return [{ at: 'csi', body: '' }, ''];
  // `k` begins a title, as in screen.
  if (between === '' && ']PX^_k'.includes(char)) return [STRING, ''];
  if (char >= ' ' && char <= '/') return between.length < LONGEST ? [{ at: 'escape', between: between + char }, ''] : [TEXT, ''];
  const whole = between + char;
  return [TEXT, ESCAPES.test(whole) ? `\x1b${whole}` : ''];
}

function inCsi(body: string, char: string): readonly [State, string] {
  if (char >= '@' && char <= '~') return [TEXT, isDrawing(body, char) ? `\x1b[${body}${char}` : ''];
  // It belongs to no sequence: the sequence ends here, and nothing of it is shown.
  if (char < ' ' || char > '?' || body.length >= LONGEST) return [TEXT, ''];
  return [{ at: 'csi', body: body + char }, ''];
}

/** Cursor, erasing, inserting, scrolling, colours, tabs, margins, repetition. */
const DRAWING = '@ABCDEFGHIJKLMPSTXZ`abdefgmrsu';
const [PLAIN_MODES, PRIVATE_MODES] = [new Set(['4', '20']), new Set('1 5 6 7 12 25 45 47 1047 1048 1049 2004 2026'.split(' '))];

function isDrawing(body: string, final: string): boolean {
  if (body === '!' && final === 'p') return true;
  if (/^\d* $/.test(body) && final === 'q') return true;
  if (/^[\d;:]*$/.test(body)) return DRAWING.includes(final) || ('hl'.includes(final) && every(body, PLAIN_MODES));
  if (!/^\?[\d;]*$/.test(body)) return false;
  return 'JK'.includes(final) || ('hl'.includes(final) && every(body.slice(1), PRIVATE_MODES));
}

const every = (numbers: string, known: ReadonlySet<string>) => numbers.split(';').every((number) => known.has(number));
