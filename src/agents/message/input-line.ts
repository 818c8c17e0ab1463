/** Screens wrap and indent long lines, each in its own way, so blanks do not count when a draft is compared. */
const squeezed = (text: string) => text.replace(/\s+/g, '');

/** Compares the input line with a text: all of it, its beginning, nothing, or something else. */
export function holds(draft: string | undefined, text: string): 'all' | 'part' | 'nothing' | 'other' | 'unseen' {
  if (draft === undefined) return 'unseen';
  const [there, ours] = [squeezed(draft), squeezed(text)];
  if (there === '') return 'nothing';
  if (there === ours) return 'all';
  return ours.startsWith(there) ? 'part' : 'other';
}
