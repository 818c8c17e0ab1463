/** A time that something took, in the units that fit: `340 ms`, `4.2 s`, `3 min 12 s`, `1 h 04 min`, `2 d 3 h`. */
export function took(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return both(`${Math.floor(whole / 60)} min`, whole % 60, 's');
  const minutes = Math.round(whole / 60);
  if (minutes < 24 * 60) return both(`${Math.floor(minutes / 60)} h`, minutes % 60, 'min');
  return `${Math.floor(minutes / 1440)} d ${Math.floor((minutes % 1440) / 60)} h`;
}

const both = (large: string, rest: number, unit: string) => (rest === 0 ? large : `${large} ${String(rest).padStart(2, '0')} ${unit}`);

/** Small tasks cost fractions of a cent. */
export const money = ({ usd, partial = false }: { usd: number; partial?: boolean }): string =>
  partial && usd === 0 ? 'no price known' : `$${usd.toFixed(usd < 0.1 && usd > 0 ? 4 : 2)}${partial ? ' and more' : ''}`;

/** `1,234`. */
export const figure = (n: number): string => n.toLocaleString('en-US');

/** `1 task`, `2 tasks`. */
export const counted = (n: number, one: string, many = `${one}s`): string => `${figure(n)} ${n === 1 ? one : many}`;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `16 Nov 2026, 14:31 UTC`: a report is read in other places than it was made. */
export function moment(iso: string): string {
  const at = new Date(iso);
  return `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}, ${iso.slice(11, 16)} UTC`;
}

/** `16 Nov 2026, 14:31 to 14:52 UTC`. */
export const moments = ({ from, to }: { from: string; to: string }): string =>
  severalDays({ from, to }) ? `${moment(from)} to ${moment(to)}` : `${moment(from).replace(/ UTC$/, '')} to ${to.slice(11, 16)} UTC`;

/** `14:31:05`, or with its day when the period has several. */
export function clock(iso: string, days: boolean): string {
  const at = new Date(iso);
  return days ? `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]} ${iso.slice(11, 16)}` : iso.slice(11, 19);
}

export const severalDays = ({ from, to }: { from: string; to: string }) => from.slice(0, 10) !== to.slice(0, 10);
