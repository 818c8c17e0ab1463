/** The way a message reached an agent: with a hook's answer, by its control connection, typed, read by the agent itself, or taken by the daemon of its farm. */
export type Way = 'hook' | 'channel' | 'keys' | 'inbox' | 'farm';

/** The standing of a message. `tries` counts how often it was handed over, and is the token of the last time. */
export type Life =
  /** It waits for a person's yes. */
  | { readonly at: 'held'; readonly tries: number }
  | { readonly at: 'pending'; readonly tries: number }
  | { readonly at: 'handed'; readonly tries: number; readonly via: Way; readonly attempt: number }
  | { readonly at: 'delivered'; readonly tries: number; readonly via: Way }
  | { readonly at: 'dead'; readonly tries: number; readonly reason: string };

export type MessageEvent =
  | { readonly on: 'handed'; readonly via: Way; readonly attempt: number }
  /** Its stamp was seen in the conversation of this attempt, in a prompt that was taken or in the transcript; null: the agent read its inbox. */
  | { readonly on: 'seen'; readonly by: number | null }
  /** Proven not to have arrived, and nothing of it is left in the window. `try` says which time it was handed over. */
  | { readonly on: 'returned'; readonly try: number }
  | { readonly on: 'given-up'; readonly reason: string }
  /** The daemon of another farm has taken it. `ends`: nothing more comes back; a question stays with that farm until it is closed. */
  | { readonly on: 'crossed'; readonly ends: boolean }
  /** A person lets it go. */
  | { readonly on: 'released' };

/**
 * The next standing, or undefined when the event does not apply: a late or foreign one changes nothing. What has ended
 * stays as it ended, so that sent is at all times delivered, dead and pending (or held, or handed) together.
 */
export function step(from: Life, event: MessageEvent): Life | undefined {
  const { tries } = from;
  if (from.at === 'delivered' || from.at === 'dead') return undefined;
  // Nobody gets it before the yes: neither a hook nor the inbox.
  if (from.at === 'held' && event.on !== 'released' && event.on !== 'given-up') return undefined;
  switch (event.on) {
    case 'handed':
      return from.at === 'pending' ? { at: 'handed', tries: tries + 1, via: event.via, attempt: event.attempt } : undefined;
    case 'seen':
      if (event.by === null) return { at: 'delivered', tries, via: 'inbox' };
      if (from.at === 'handed') return from.attempt === event.by ? { at: 'delivered', tries, via: from.via } : undefined;
      // One that came back too early was with the agent after all. One that was never handed over cannot have been seen.
      return tries > 0 ? { at: 'delivered', tries, via: 'keys' } : undefined;
    case 'returned':
      return from.at === 'handed' && event.try === tries ? { at: 'pending', tries } : undefined;
    case 'crossed':
      if (from.at === 'handed' && from.via !== 'farm') return undefined;
      if (event.ends) return { at: 'delivered', tries, via: 'farm' };
      return from.at === 'pending' ? { at: 'handed', tries: tries + 1, via: 'farm', attempt: 0 } : undefined;
    case 'given-up':
      return { at: 'dead', tries, reason: event.reason };
    case 'released':
      return from.at === 'held' ? { at: 'pending', tries } : undefined;
    default:
      return event satisfies never;
  }
}

/** Longer bodies go by file: prompts of 2, 3 and 7 KB have been dropped by terminals, and agents fold a long paste away. */
const INLINE_BYTES = 1024;

const STAMP = /\[furrow m[1-9]\d{0,14}\]/g;

export const stamp = (id: number) => `[furrow m${id}]`;

/** Every stamp in a text, once, in order. */
export const stampsIn = (text: string): string[] => [...new Set(text.match(STAMP) ?? [])];

export const idOf = (stamp: string): number => Number(/^\[furrow m(\d+)\]$/.exec(stamp)?.[1] ?? Number.NaN);

/**
 * Texts that can be typed and then found again on the screen, letter for letter: one line, of letters that every terminal
 * draws alike. `@` opens a list of files in the input line, and Enter would choose from it; an agent reads `\` before
 * Enter as a line break.
 */
const TYPABLE = /^[ -?A-~¡-¬®-ɏΆ-ώЀ-ҁ–—‘’“”„…€ぁ-ゖァ-ヶ一-鿿가-힣]*$/;

/** True when the body goes into a file and the text only names it. A body with a stamp in it would forge a receipt. */
export function needsFile(body: string, via: Way): boolean {
  if (Buffer.byteLength(body) > INLINE_BYTES || !body.isWellFormed() || stampsIn(body).length > 0) return true;
  return via === 'keys' && (!TYPABLE.test(body) || body.trim() !== body || body.endsWith('\\'));
}
