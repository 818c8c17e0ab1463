/** A conflicted file with both sides kept, ours first, and the markers gone. */
export function union(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^(<{7} .*|={7}|>{7} .*)$/.test(line))
    .join('\n');
}
