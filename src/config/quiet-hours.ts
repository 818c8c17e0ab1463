const DAY = 24 * 60;

/** Hours in which nothing rings, in minutes since midnight. `from` later than `to` means that they go past midnight. */
export interface QuietHours {
  readonly from: number;
  readonly to: number;
}

const HOURS = /^([01]?\d|2[0-3]):([0-5]\d)\s*-\s*([01]?\d|2[0-3]):([0-5]\d)$/;

/** `22:00-07:00`; `undefined` for anything else, and for hours that have no length. */
export function parseQuiet(text: string): QuietHours | undefined {
  const [, h1, m1, h2, m2] = HOURS.exec(text.trim()) ?? [];
  const [from, to] = [Number(h1) * 60 + Number(m1), Number(h2) * 60 + Number(m2)];
  return Number.isNaN(from) || from === to ? undefined : { from, to };
}

/** The minutes until the quiet hours end; 0 outside of them. `minute` is the minute of the day where the person is. */
export function quietFor({ from, to }: QuietHours, minute: number): number {
  const inside = from < to ? minute >= from && minute < to : minute >= from || minute < to;
  return inside ? (to - minute + DAY) % DAY : 0;
}

/** The minute of the day on this machine. */
export function minuteOfDay(at: number): number {
  const date = new Date(at);
  return date.getHours() * 60 + date.getMinutes();
}
