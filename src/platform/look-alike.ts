/**
 * Characters that a person takes for an ASCII one: Cyrillic `а` for `a`. Where a person judges a text they are shown by number, and paths
 * that differ only by them count as the same.
 */

/** Each ASCII letter with those that look like it, in common scripts. */
const ALIKE =
  'aаɑαａ AАΑᎪꓮ bЬᏏ BВΒᏴꓐ cсϲⅽ CСϹⅭᏟꓚ dԁⅾᏧ DᎠꓓⅮ eеҽ EЕΕᎬꓰ fꬵք FϜꓝ gɡց GԌᏀꓖ hһհᏂ HНΗᎻꓧ iіıɩιⅰ IІӀΙᏆⅠ jјϳ JЈᎫꓙ kкκ KКΚᏦꓗ lӏⅼא LᏞꓡⅬ mмⅿ MМΜᎷꓟⅯ nոռη NΝꓠ oоοօσ OОΟՕꓳ pрρ PРΡᏢꓑ qԛզ QԚ rгᴦ RᎡꓣ sѕ SЅᏚꓢՏ tтτ TТΤᎢꓔ uսυʋ UՍꓴ vѵνⅴᴠ VѴᏙꓦⅤ wԝѡա WԜᎳꓪ xхχⅹ XХΧꓫⅩ yуγү YҮΥꓬ zᴢ ZΖᏃꓜ 0Օ 3ЗӠ 6б' +
  ' -‐‑‒–−˗ /⁄∕⧸ :։∶꞉׃ .․ !ǃ |ǀ∣❘ \'‘’ʼʹ′׳ʻ ,‚ ~∼˜ *∗ \\∖⧵ ?ʔ <‹ >› _ˍ "“”ʺ″״ `ˋ ^ˆ';

const letters = new Map<string, string>();
for (const [ascii = '', ...others] of ALIKE.split(' ').map((entry) => [...entry])) for (const one of others) letters.set(one, ascii);

/** The ASCII character that this one looks like; also for wide, bold, slanted and double-struck ones. */
export function asciiOf(char: string): string | undefined {
  const same = letters.get(char) ?? char.normalize('NFKC');
  return char > '\x7f' && /^[!-~]$/.test(same) && !/[²³¹⁰-₉ªº]/u.test(char) ? same : undefined;
}

const PLAIN = /^[\x00-\x7f]*$/;
const WORD = /[\p{L}\p{M}\p{N}_]+/gu;
/** Scripts that often stand beside Latin letters in one word and do not look like them. */
const APART = /[\p{sc=Latn}\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Zyyy}\p{sc=Zinh}]/u;
const PHONETIC = /[\u0131\u0237\u01c0-\u01c3\u0250-\u02af\u1d00-\u1dbf\ua730-\ua7ff\uab30-\uab6f]/u;

/** Letters of another script mislead in a word with ASCII letters; letters in an odd face always do. */
const isMisleading = (char: string, mixed: boolean) =>
  char > '\x7f' &&
  /\p{L}/u.test(char) &&
  ((mixed && !APART.test(char)) || PHONETIC.test(char) || (asciiOf(char) !== undefined && APART.test(char)));

/** Prose in which `show` replaces misleading letters: a Russian word stays as it is, `mаkе` with Cyrillic vowels does not. */
export function markTwins(text: string, show: (char: string) => string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(WORD, (word) => {
    const mixed = /[A-Za-z]/.test(word);
    return PLAIN.test(word) ? word : [...word].map((char) => (isMisleading(char, mixed) ? show(char) : char)).join('');
  });
}

/** Does the same for text that is run: it also replaces words that consist of look-alikes only, and signs. */
export function markAllTwins(text: string, show: (char: string) => string): string {
  if (PLAIN.test(text)) return text;
  const marked = markTwins(text, show).replace(WORD, (word) => {
    const all = [...word].every((char) => !/\p{L}/u.test(char) || asciiOf(char) !== undefined);
    return all ? [...word].map((char) => (asciiOf(char) === undefined ? char : show(char))).join('') : word;
  });
  return marked.replace(/[^\p{L}\p{N}\x00-\x7f]/gu, (char) => (asciiOf(char) === undefined ? char : show(char)));
}
