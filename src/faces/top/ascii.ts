import { width } from '../../platform/text-width.ts';

/** Signs that this program draws, each with one of ASCII that is as wide. */
const SIGNS: Readonly<Record<string, string>> = {
  ...{ '╭': '+', '╮': '+', '╰': '+', '╯': '+', '│': '|', '─': '-', '▔': '=', '█': '#', '▓': '#', '▒': '+', '░': '.' },
  ...{
    '…': '~',
    '·': '.',
    '–': '-',
    '—': '-',
    '−': '-',
    '↕': ':',
    '↑': '^',
    '↓': 'v',
    '←': '<',
    '→': '>',
    '↵': '<',
    '⏎': '<',
    '␠': '_',
    '×': 'x',
  },
  ...{
    '✓': 'v',
    '✔': 'v',
    '✗': 'x',
    '✘': 'x',
    '●': 'o',
    '○': '.',
    '◐': 'c',
    '◌': '.',
    '◆': '*',
    '◇': '*',
    '▶': '>',
    '■': '#',
    '□': '.',
    '⊘': '/',
    '⚠': '!',
    '✖': 'x',
    '✕': 'x',
    '‖': '=',
    '▇': '#',
    '◷': 'c',
    '◎': 'o',
    '▲': '^',
  },
};

/** True where a person's locale has no more than ASCII, or says another encoding than UTF-8. One that is not set says nothing. */
export function wantsAscii(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return locale !== '' && !/utf-?8/i.test(locale);
}

/** The same text in ASCII, as wide as before: a letter that has none becomes a question mark. */
export function toAscii(text: string): string {
  if (/^[\x00-\x7f]*$/.test(text)) return text;
  return [...text].map((letter) => (letter < '\u0080' ? letter : (SIGNS[letter] ?? '?'.repeat(width(letter))))).join('');
}
