/**
 * Letters and signs that a person takes for one of ASCII: `а` of Cyrillic for `a`. In what a person judges they are shown by their number, and
 * paths that differ by them alone count as the same.
 */

/** Each letter of ASCII with those that look like it, in the scripts that keyboards and attackers have. */
const ALIKE =
  'aаɑαａ AАΑᎪꓮ bЬᏏ BВΒᏴꓐ cсϲⅽ CСϹⅭᏟꓚ dԁⅾᏧ DᎠꓓⅮ eеҽ EЕΕᎬꓰ fꬵք FϜꓝ gɡց GԌᏀꓖ hһհᏂ HНΗᎻꓧ iіıɩιⅰ IІӀΙᏆⅠ jјϳ JЈᎫꓙ kкκ KКΚᏦꓗ lӏⅼא LᏞꓡⅬ mмⅿ MМΜᎷꓟⅯ nոռη NΝꓠ oоοօσ OОΟՕꓳ pрρ PРΡᏢꓑ qԛզ QԚ rгᴦ RᎡꓣ sѕ SЅᏚꓢՏ tтτ TТΤᎢꓔ uսυʋ UՍꓴ vѵνⅴᴠ VѴᏙꓦⅤ wԝѡա WԜᎳꓪ xхχⅹ XХΧꓫⅩ yуγү YҮΥꓬ zᴢ ZΖᏃꓜ 0Օ 3ЗӠ 6б' +
  ' -‐‑‒–−˗ /⁄∕⧸ :։∶꞉׃ .․ !ǃ |ǀ∣❘ \'‘’ʼʹ′׳ʻ ,‚ ~∼˜ *∗ \\∖⧵ ?ʔ <‹ >› _ˍ "“”ʺ″״ `ˋ ^ˆ';

const letters = new Map<string, string>();
for (const [ascii = '', ...others] of ALIKE.split(' ').map((entry) => [...entry])) for (const one of others) letters.set(one, ascii);

/** The character of ASCII that this one is taken for: also of wide, bold, slanted and double-struck ones. */
export function asciiOf(char: string): string | undefined {
  const same = letters.get(char) ?? char.normalize('NFKC');
  return char > '\x7f' && /^[!-~]$/.test(same) && !/[²³¹⁰-₉ªº]/u.test(char) ? same : undefined;
}

const PLAIN = /^[\x00-\x7f]*$/;
const WORD = /[\p{L}\p{M}\p{N}_]+/gu;
/** Scripts that stand beside Latin letters in one word as a matter of course, and look like none. */
const APART = /[\p{sc=Latn}\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Zyyy}\p{sc=Zinh}]/u;
const PHONETIC = /[\u0131\u0237\u01c0-\u01c3\u0250-\u02af\u1d00-\u1dbf\ua730-\ua7ff\uab30-\uab6f]/u;

/** In a word with letters of ASCII those of another script are there to be mistaken; letters in an odd face always are. */
const isMisleading = (char: string, mixed: boolean) =>
  char > '\x7f' &&
  /\p{L}/u.test(char) &&
  ((mixed && !APART.test(char)) || PHONETIC.test(char) || (asciiOf(char) !== undefined && APART.test(char)));

/** Text in prose, with the letters shown as `show` says that mislead: a Russian word stays as it is, `mаkе` with Cyrillic vowels does not. */
export function markTwins(text: string, show: (char: string) => string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(WORD, (word) => {
    const mixed = /[A-Za-z]/.test(word);
    return PLAIN.test(word) ? word : [...word].map((char) => (isMisleading(char, mixed) ? show(char) : char)).join('');
  });
}

/** The same for what is run: also words of look-alikes only, and signs. */
export function markAllTwins(text: string, show: (char: string) => string): string {
  if (PLAIN.test(text)) return text;
  const marked = markTwins(text, show).replace(WORD, (word) => {
    const all = [...word].every((char) => !/\p{L}/u.test(char) || asciiOf(char) !== undefined);
    return all ? [...word].map((char) => (asciiOf(char) === undefined ? char : show(char))).join('') : word;
  });
  return marked.replace(/[^\p{L}\p{N}\x00-\x7f]/gu, (char) => (asciiOf(char) === undefined ? char : show(char)));
}
