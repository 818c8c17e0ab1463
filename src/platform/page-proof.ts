/** The two ends of the page's connection. Each proves itself in words of its own, so that the proof of one is never that of the other. */
type End = 'daemon' | 'page';

/** Random texts of both ends for one connection, and the port that they meet at. */
export interface Meeting {
  readonly port: string;
  readonly daemon: string;
  readonly page: string;
}

/**
 * The words that an end signs with the key of the session, to prove that it has it. By the random texts a proof holds for one connection; by the port
 * it cannot be passed on: whoever took the port of a daemon that ended gets nothing for the daemon that has another one now.
 */
export const proofWords = (end: End, { port, daemon, page }: Meeting): string => `furrow page 1 ${end} ${port} ${daemon} ${page}`;
