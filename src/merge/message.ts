/** What a landing says about one entry. */
export interface LandedEntry {
  /** `phase/id`. */
  readonly task: string;
  readonly attempt: number;
  readonly agent: string | null;
  readonly title: string;
}

const TITLE = 72;

/**
 * One printable line: no control characters of either set, no direction or zero-width ones, no line separators. What is
 * left cannot begin a new line, so it cannot pass for a trailer.
 */
export function oneLine(text: string, length = TITLE): string {
  const plain = text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
  const letters = [...plain];
  return letters.length > length
    ? `${letters
        .slice(0, length - 1)
        .join('')
        .trimEnd()}…`
    : plain;
}

export function idOf(task: string): string {
  return task.slice(task.indexOf('/') + 1);
}

/** A board without phases has the phase `default`. */
export function phaseOf(task: string): string {
  return task.includes('/') ? task.slice(0, task.indexOf('/')) : 'default';
}

/**
 * Subject, for several tasks a list of them, then trailers in a paragraph of their own; nothing that an agent wrote
 * gets into that paragraph but its name.
 */
export function landingMessage(entries: readonly LandedEntry[], checks: readonly string[]): string {
  const ids = entries.map((entry) => idOf(entry.task));
  const [only] = entries.length === 1 ? entries : [];
  const title = only && oneLine(only.title);
  const subject = only ? `land ${ids[0]}${title && `: ${title}`}` : oneLine(`land ${ids.length} tasks: ${ids.join(', ')}`);
  const list = only ? [] : [entries.map((entry) => `- ${idOf(entry.task)} ${oneLine(entry.title)}`.trimEnd()).join('\n')];
  const trailers = [
    ...entries.flatMap((entry) => [
      `Furrow-Task: ${idOf(entry.task)}`,
      ...(phaseOf(entry.task) === 'default' ? [] : [`Furrow-Phase: ${phaseOf(entry.task)}`]),
      `Furrow-Attempt: ${entry.attempt}`,
      ...(entry.agent ? [`Furrow-Agent: ${oneLine(entry.agent)}`] : []),
    ]),
    ...[...new Set(checks)].map((name) => `Furrow-Check: ${oneLine(name)} ok`),
  ];
  return `${[subject, ...list, trailers.join('\n')].join('\n\n')}\n`;
}
