import { visible } from '../../src/platform/visible.ts';

/** A line of code or output: blanks stay as they are, everything else that has no picture gets one. */
export function shownCode(text: string): string {
  return text
    .split(/([ \t]+)/)
    .map((part, at) => (at % 2 === 0 ? visible(part) : part))
    .join('');
}

/** The text of base64, which is UTF-8 as far as files are. */
export function fromBase64(text: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(text), (char) => char.charCodeAt(0)));
}
