const DAY_MS = 24 * 60 * 60 * 1000;

/** The day that a person means, as `2030-12-31`; `undefined` for what is no day. */
export function dueDate(text: string, now: number): string | undefined {
  const word = text.trim().toLowerCase();
  if (word === 'today') return dayOf(now);
  if (word === 'tomorrow') return dayOf(now + DAY_MS);
  return readDay(word);
}

/** The day at the start of a date or a time; `undefined` for what has none, such as the 30th of February. */
export function readDay(text: string): string | undefined {
  const day = /^(\d{4}-\d\d-\d\d)(?:$|[Tt ])/.exec(text)?.[1];
  const at = Date.parse(day ?? '');
  return Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== day ? undefined : day;
}

/** The day where the person is. */
function dayOf(at: number): string {
  const day = new Date(at);
  return [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((n) => String(n).padStart(2, '0')).join('-');
}
