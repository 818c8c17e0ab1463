const KB = 1024;

/** The bounds of the page's door. */
export const PAGE_LIMITS = {
  /** Browsers open six each; the pages' WebSockets are counted among them. */
  connections: 64,
  headBytes: 16 * KB,
  headMs: 5_000,
  requestMs: 10_000,
  lookMs: 1_000,
  pages: 16,
  frameBytes: KB * KB,
  helloMs: 2_000,
  /** Calls of one page that are under way. */
  open: 256,
  /** Bytes that a page has not read: past the first it is sent no more deltas for a while, past the second it is hung up on. */
  unreadBytes: 256 * KB,
  mostUnreadBytes: 16 * KB * KB,
  pingMs: 30_000,
};

export type PageLimits = typeof PAGE_LIMITS;
