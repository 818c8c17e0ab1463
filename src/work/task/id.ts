/** The one phase of a board that has none. */
export const DEFAULT_PHASE = 'default';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Ids and phases become parts of git refs, so this refuses everything that `git check-ref-format` refuses. */
function isName(text: string): boolean {
  return NAME.test(text) && !text.includes('..') && !text.endsWith('.') && !text.toLowerCase().endsWith('.lock');
}

export function isId(text: string): boolean {
  return isName(text);
}

export function isPhase(text: string): boolean {
  return isName(text);
}

/** `phase/id`: two phases may number their tasks alike. */
export function refOf(phase: string, id: string): string {
  return `${phase}/${id}`;
}

export function isRef(text: string): boolean {
  const slash = text.indexOf('/');
  return slash > 0 && isPhase(text.slice(0, slash)) && isId(text.slice(slash + 1));
}

/** The two parts of a ref. A name without a slash is a task of the phase `default`. */
export function splitRef(ref: string): { phase: string; id: string } {
  const slash = ref.indexOf('/');
  return slash < 0 ? { phase: DEFAULT_PHASE, id: ref } : { phase: ref.slice(0, slash), id: ref.slice(slash + 1) };
}

/** Numbers first and by value, so that 9 comes before 10; then text by code unit. A total order: `7` and `007` differ. */
export function compareIds(a: string, b: string): number {
  const left = asNumber(a);
  const right = asNumber(b);
  if (left !== right) return left < right ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

function asNumber(id: string): number {
  return /^\d{1,15}$/.test(id) ? Number(id) : Number.POSITIVE_INFINITY;
}
