/** As long as a subject may be. */
const TITLE = 72;

const CONTROL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu;

/**
 * One printable line: no control characters, no direction or zero-width characters, no line separators. The result cannot begin a new line,
 * so it cannot pass for a trailer.
 */
export function oneLine(text: string, length = TITLE): string {
  const plain = text.replace(CONTROL, ' ').replace(/ {2,}/g, ' ').trim();
  const letters = [...plain];
  return letters.length > length
    ? `${letters
        .slice(0, length - 1)
        .join('')
        .trimEnd()}…`
    : plain;
}

/** Text of several lines without control sequences; tabs stay. */
export function plainText(text: string, length: number): string {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const plain = lines.map((line) => line.replace(/\t/g, '  ').replace(CONTROL, ' ').trimEnd());
  const whole = plain
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return whole.length > length ? `${whole.slice(0, length).trimEnd()}…` : whole;
}
