/** The two ends of the page's connection. Each signs other words, so that the proof of one cannot be used as that of the other. */
type End = 'daemon' | 'page';

/** The random texts of both ends for one connection, and its port. */
export interface Meeting {
  readonly port: string;
  readonly daemon: string;
  readonly page: string;
}

/**
 * The words that an end signs with the key of the session, to prove that it has the key. The random texts limit a proof to one connection.
 * The port keeps it from being passed on: a program that took the port of an ended daemon cannot use it for the new daemon at another port.
 */
export const proofWords = (end: End, { port, daemon, page }: Meeting): string => `furrow page 1 ${end} ${port} ${daemon} ${page}`;
