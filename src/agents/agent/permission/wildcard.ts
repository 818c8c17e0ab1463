/**
 * True when a text matches a pattern in which `*` stands for any characters and `?` for one. In one pass, since patterns and
 * texts come from outside. ` *` at the end also stands for nothing: `npm test *` has `npm test`.
 */
export function wildcard(pattern: string, text: string): boolean {
  if (pattern.endsWith(' *') && wildcard(pattern.slice(0, -2), text)) return true;
  let [p, t, star, from] = [0, 0, -1, 0];
  while (t < text.length) {
    if (pattern[p] === '*') [star, from] = [p++, t];
    else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[t])) [p, t] = [p + 1, t + 1];
    else if (star >= 0) [p, t] = [star + 1, ++from];
    else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}
