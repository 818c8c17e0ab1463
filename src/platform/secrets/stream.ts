import { knownForms, redact } from '../redact.ts';
import { SECRET_SHAPES } from './shapes.ts';

/** Redacts a stream: it holds back a possible beginning of a secret until the rest has come. */
interface StreamRedactor {
  write(piece: string): string;
  end(): string;
}

/** The most that is held back; private keys have some 4 KB. */
const MOST_KEPT = 16 * 1024;
/** Base64 in lines that may continue. */
const WRAPPED = /(?:[A-Za-z0-9+/]{40,}\r?\n)+[A-Za-z0-9+/=]*$/;

export function streamRedactor(): StreamRedactor {
  let rest = '';
  return {
    write(piece) {
      const text = rest + piece;
      const cut = Math.max(cutOf(text), text.length - MOST_KEPT);
      rest = text.slice(cut);
      return redact(text.slice(0, cut));
    },
    end() {
      const last = redact(rest);
      rest = '';
      return last;
    },
  };
}

/** The place to cut: before anything that may be an unfinished secret, and never inside a secret. */
function cutOf(text: string): number {
  const forms = knownForms();
  let cut = text.length - Math.max(...[lastWord(text), openKey(text), wrapped(text)], ...forms.map((form) => beginning(text, form)));
  for (let before = -1; before !== cut; ) {
    before = cut;
    for (const form of forms) {
      const at = text.indexOf(form, Math.max(0, cut - form.length + 1));
      if (at >= 0 && at < cut) cut = at;
    }
    for (const { shape } of SECRET_SHAPES)
      for (const { index, 0: found } of text.matchAll(shape)) if (index < cut && cut < index + found.length) cut = index;
  }
  return cut;
}

const lastWord = (text: string) => /\S*$/.exec(text.slice(-MOST_KEPT))![0].length;
const wrapped = (text: string) => WRAPPED.exec(text.slice(-MOST_KEPT))?.[0].length ?? 0;

/** The start of a private key whose last line has not come. */
function openKey(text: string): number {
  const at = text.lastIndexOf('-----BEGIN ');
  return at >= 0 && !/-----END [A-Z ]*-----/.test(text.slice(at)) ? text.length - at : 0;
}

/** The number of characters at the end of a text that are a beginning of this form. */
function beginning(text: string, form: string): number {
  const first = form[0]!;
  for (let at = text.indexOf(first, Math.max(0, text.length - form.length + 1)); at >= 0; at = text.indexOf(first, at + 1))
    if (form.startsWith(text.slice(at))) return text.length - at;
  return 0;
}
