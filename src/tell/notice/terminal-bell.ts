/** The terminal that a person sits at, as far as it is known. */
interface Terminal {
  /** Its `TERM`. */
  readonly name: string;
  /** Its own words about itself, such as `iTerm2 3.5` or `WezTerm 2024`; or `TERM_PROGRAM`. */
  readonly says: string;
}

const BEL = '\x07';
const ST = '\x1b\\';

/**
 * The bytes that ring in a terminal: a notification where it is known to show one, and the bell in any case. kitty has OSC 99; iTerm2, WezTerm, Ghostty and
 * Windows Terminal OSC 9; foot, VTE and urxvt OSC 777. Others could print the words, so they get the bell alone.
 */
export function ringFor({ name, says }: Terminal, title: string, body: string): string {
  const [head, text] = [forTerminal(title), forTerminal(body)];
  if (/kitty/i.test(name) || /^kitty/i.test(says)) return `\x1b]99;i=furrow:d=0;${head}${ST}\x1b]99;i=furrow:d=1:p=body;${text}${ST}${BEL}`;
  if (/^(iterm|wezterm|ghostty|windows.?terminal)/i.test(says) || /ghostty|wezterm/i.test(name))
    return `\x1b]9;${head}: ${text}${ST}${BEL}`;
  if (/^(foot|rxvt)/i.test(name) || /^(foot|vte)/i.test(says)) return `\x1b]777;notify;${head};${text}${ST}${BEL}`;
  return BEL;
}

/** No control, no separator of the sequences themselves, and short: some terminals stop reading after a kilobyte. */
const forTerminal = (text: string) => [...text.replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '').replaceAll(';', ',')].slice(0, 200).join('');
