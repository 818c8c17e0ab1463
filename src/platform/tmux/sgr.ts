/** Colours and attributes at one point of a text. */
interface Pen {
  readonly attributes: string;
  readonly fg: string;
  readonly bg: string;
  readonly underline: string;
  /** Letters are shown as line-drawing characters. */
  readonly shifted: boolean;
}

const PLAIN: Pen = { attributes: '', fg: '', bg: '', underline: '', shifted: false };

const CODES = /\x1b\[([\d;:]*)m|[\x0e\x0f]/g;

/**
 * Makes each line complete in itself: it begins with the colours at the end of the line before, and ends with plain ones. `capture-pane -e`
 * prints only changes, from the first line to the last.
 */
export function wholeLines(lines: readonly string[]): string[] {
  let pen = PLAIN;
  return lines.map((line) => {
    const start = written(pen);
    let plain = start === '';
    for (const [code, numbers] of line.matchAll(CODES)) {
      pen = numbers === undefined ? { ...pen, shifted: code === '\x0e' } : withCodes(pen, numbers);
      plain = false;
    }
    return plain ? line : `${start}${line}${pen.shifted ? '\x0f' : ''}\x1b[m`;
  });
}

const written = ({ attributes, fg, bg, underline, shifted }: Pen) => {
  const codes = [attributes, fg, bg, underline].filter((part) => part !== '').join(';');
  return `${codes === '' ? '' : `\x1b[${codes}m`}${shifted ? '\x0e' : ''}`;
};

/** The pen after one sequence. tmux writes a colour in a sequence of its own, and attributes after a `0` when one ends. */
function withCodes(pen: Pen, numbers: string): Pen {
  const codes = numbers === '' ? ['0'] : numbers.split(';');
  let now = pen;
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] || '0';
    const [first = 0] = code.split(':').map(Number);
    const colour = COLOURS[first];
    if (first === 0) now = { ...PLAIN, shifted: now.shifted };
    else if (colour) {
      // `38;5;N` and `38;2;R;G;B`, unless it is one word with colons.
      const more = code.includes(':') ? 0 : codes[at + 1] === '5' ? 2 : codes[at + 1] === '2' ? 4 : 0;
      now = { ...now, [colour]: codes.slice(at, at + more + 1).join(';') };
      at += more;
    } else if (first === 39 || (first >= 30 && first <= 37) || (first >= 90 && first <= 97)) now = { ...now, fg: first === 39 ? '' : code };
    else if (first === 49 || (first >= 40 && first <= 47) || (first >= 100 && first <= 107)) now = { ...now, bg: first === 49 ? '' : code };
    else if (first === 59) now = { ...now, underline: '' };
    else now = { ...now, attributes: now.attributes === '' ? code : `${now.attributes};${code}` };
  }
  return now;
}

const COLOURS: Readonly<Record<number, 'fg' | 'bg' | 'underline'>> = { 38: 'fg', 48: 'bg', 58: 'underline' };
