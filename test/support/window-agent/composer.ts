import { type Faults, hits } from './faults.ts';

/** The input line, without its terminal: text goes in as it is typed or pasted, an Enter takes it out. */
export interface Composer {
  readonly text: string;
  readonly pasting: boolean;
  /** The beginning of a sequence whose end has not come. */
  readonly rest: string;
  readonly inputAt: number;
  readonly enters: number;
}

export type Press = { readonly on: 'submit'; readonly text: string } | { readonly on: 'escape' } | { readonly on: 'quit' };

export const EMPTY: Composer = { text: '', pasting: false, rest: '', inputAt: Number.NEGATIVE_INFINITY, enters: 0 };

const PASTE_START = '\x1b[200~';
const PASTE_END = '\x1b[201~';

export function feed(from: Composer, chunk: string, now: number, faults: Faults): { composer: Composer; pressed: Press[] } {
  const pressed: Press[] = [];
  let at: Composer = { ...from, rest: '' };
  for (let input = from.rest + chunk; input !== ''; ) {
    const [used, next] = at.pasting ? pasted(at, input, now) : typed(at, input, now, faults, pressed);
    if (used === 0) return { composer: { ...at, rest: input }, pressed };
    at = next;
    input = input.slice(used);
  }
  return { composer: at, pressed };
}

/** An escape that nothing followed was the key of that name. */
export function flush(from: Composer): { composer: Composer; pressed: Press[] } {
  return from.rest === '\x1b' && !from.pasting
    ? { composer: { ...from, rest: '' }, pressed: [{ on: 'escape' }] }
    : { composer: from, pressed: [] };
}

function pasted(at: Composer, input: string, now: number): [number, Composer] {
  const end = input.indexOf(PASTE_END);
  if (end >= 0) return [end + PASTE_END.length, { ...at, text: at.text + input.slice(0, end), pasting: false, inputAt: now }];
  const last = input.lastIndexOf('\x1b');
  const whole = last >= 0 && PASTE_END.startsWith(input.slice(last)) ? last : input.length;
  return [whole, { ...at, text: at.text + input.slice(0, whole), inputAt: now }];
}

function typed(at: Composer, input: string, now: number, faults: Faults, pressed: Press[]): [number, Composer] {
  if (input.startsWith(PASTE_START)) return [PASTE_START.length, { ...at, pasting: true }];
  const char = String.fromCodePoint(input.codePointAt(0)!);
  if (char === '\x1b') return [escapeLength(input, pressed), at];
  if (char === '\r') return [1, entered(at, now, faults, pressed)];
  if (char === '\x7f') return [1, { ...at, text: [...at.text].slice(0, -1).join(''), inputAt: now }];
  if (char === '\x15') return [1, { ...at, text: '', inputAt: now }];
  if (char === '\x03' || char === '\x04') {
    if (at.text === '') pressed.push({ on: 'quit' });
    return [1, { ...at, text: '' }];
  }
  if (char < ' ' && char !== '\n' && char !== '\t') return [1, at];
  return [char.length, { ...at, text: at.text + char, inputAt: now }];
}

/** Arrow keys and their like do nothing here. 0: the rest of the sequence is still to come. */
function escapeLength(input: string, pressed: Press[]): number {
  if (input === '\x1b' || /^\x1b\[[0-?]*[ -/]*$/.test(input)) return 0;
  const sequence = /^\x1b(\[[0-?]*[ -/]*[@-~]|O.)/.exec(input);
  if (sequence) return sequence[0].length;
  pressed.push({ on: 'escape' });
  return 1;
}

function entered(at: Composer, now: number, faults: Faults, pressed: Press[]): Composer {
  if (now - at.inputAt < faults.burstMs) return { ...at, text: `${at.text}\n`, inputAt: now };
  if (at.text.trim() === '') return at;
  const enters = at.enters + 1;
  if (enters <= faults.swallowFirst || hits(enters, faults.swallowEvery)) return { ...at, enters };
  pressed.push({ on: 'submit', text: at.text });
  return { ...at, text: '', enters };
}
