/** A longer text is a file: it belongs in the worktree, where others can read it. */
const MOST_BYTES = 64 * 1024;
/** A conversation of agents with each other needs a few a minute; more is a loop. */
export const A_MINUTE = 30;
const MINUTE = 60_000;

/** The sentence for a text that is too long; undefined: it is not. */
export function tooLong(text: string): string | undefined {
  const bytes = Buffer.byteLength(text);
  return bytes > MOST_BYTES ? `the text has ${bytes} bytes; at most ${MOST_BYTES} are taken` : undefined;
}

/** Counts what each sender has sent within the last minute. */
export interface Rate {
  /** False: the sender has sent enough. What is refused does not count. */
  take(sender: string, now: number): boolean;
}

export function rate(most = A_MINUTE): Rate {
  const sent = new Map<string, number[]>();
  return {
    take(sender, now) {
      const young = (sent.get(sender) ?? []).filter((at) => at > now - MINUTE && at <= now);
      const fits = young.length < most;
      sent.set(sender, fits ? [...young, now] : young);
      return fits;
    },
  };
}
