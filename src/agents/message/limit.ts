/** A longer text is a file: it belongs in the worktree, where others can read it. */
const MOST_BYTES = 64 * 1024;
/** A conversation of agents with each other needs a few a minute; more is a loop. */
export const A_MINUTE = 30;
/** Words to a group go to many at once. */
export const GROUPS_A_MINUTE = 5;
/** So many messages wait for one receiver at most. */
export const MOST_WAITING = 500;
/** The result of a job is a summary; what is longer is a file. */
const RESULT_BYTES = 4 * 1024;
const MINUTE = 60_000;

/** The sentence for a text that is too long; undefined: it is not. */
export function tooLong(text: string): string | undefined {
  const bytes = Buffer.byteLength(text);
  return bytes > MOST_BYTES ? `the text has ${bytes} bytes; at most ${MOST_BYTES} are taken` : undefined;
}

/** The sentence for the result of a job that is too long; undefined: it is not. */
export function tooLongResult(text: string): string | undefined {
  const bytes = Buffer.byteLength(text);
  return bytes > RESULT_BYTES ? `the text has ${bytes} bytes; the result of a job may have at most ${RESULT_BYTES}` : undefined;
}

/** Counts what each sender has sent within the last minute. */
interface Rate {
  /** False: the sender has sent enough, which is `most` a minute. What is refused does not count. */
  take(sender: string, now: number, most?: number): boolean;
}

export function rate(): Rate {
  const sent = new Map<string, number[]>();
  return {
    take(sender, now, most = A_MINUTE) {
      const times = sent.get(sender) ?? [];
      sent.set(sender, times);
      // They are in order, unless the clock was set back: then those of the future are forgotten.
      while (times.length > 0 && times.at(-1)! > now) times.pop();
      const old = times.findIndex((at) => at > now - MINUTE);
      times.splice(0, old < 0 ? times.length : old);
      const fits = times.length < most;
      if (fits) times.push(now);
      return fits;
    },
  };
}
