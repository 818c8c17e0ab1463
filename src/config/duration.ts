const UNITS = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** `30m`, `10s`, `1h30m`, `500ms` in milliseconds; `undefined` for anything else, and for no time at all. */
export function parseDuration(text: string): number | undefined {
  const [, h, m, s, ms] = /^(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,6})s)?(?:(\d{1,9})ms)?$/.exec(text.trim()) ?? [];
  const total = Number(h ?? 0) * UNITS.h + Number(m ?? 0) * UNITS.m + Number(s ?? 0) * UNITS.s + Number(ms ?? 0) * UNITS.ms;
  return total > 0 ? total : undefined;
}
