import type { Socket } from 'node:net';
import { type Budget, budget } from './request-budget.ts';

const MB = 1024 * 1024;

/** The bounds of a door for requests of one line each. */
export const LINE_LIMITS = {
  connections: 512,
  /** A request is one line; a longer one than this is not a request of ours. */
  lineBytes: MB,
  /** These carry the text of a task, of which a file may have 1 MB; written as JSON a byte takes up to six. */
  bodyBytes: 6 * MB,
  /** From the connection, and from the first byte of a line, to its end. */
  lineMs: 30_000,
  /** After this many lines that are no request a client is hung up on. */
  malformed: 20,
  /** Requests of one client that are being answered; the next is read when one of them is. */
  open: 256,
  /** Bytes of answers that a client has not read; past the second it is hung up on. */
  unreadBytes: MB,
  mostUnreadBytes: 64 * MB,
  /** Unfinished lines of all clients together. */
  room: 64 * MB,
};

export type LineLimits = typeof LINE_LIMITS;

const BODIES = /^\{"id":\d+,"call":"(?:add|edit)"/;

interface LineReader {
  /** Stops and goes on reading, as answers go out. */
  flow(open: number): void;
  /** A line was no request; too many end the connection. */
  malformed(): void;
}

export const roomOf = (limits: LineLimits): Budget => budget(limits.room);

/** Cuts what a client sends into lines, within the limits. A client that goes past one is hung up on. */
export function readLines(socket: Socket, limits: LineLimits, room: Budget, onLine: (line: string) => void): LineReader {
  let [rest, wrong] = ['', 0];
  const keep = (text: string) => {
    room.give(rest.length);
    rest = room.take(text.length) ? text : '';
    return rest.length === text.length;
  };
  const clock = lineClock(socket, limits.lineMs, () => rest !== '');
  socket.setEncoding('utf8');
  socket.on('close', () => {
    clock.stop();
    keep('');
  });
  socket.on('data', (chunk: string) => {
    // Looked for in the piece alone: splitting all of it at each piece takes seconds for a line that never ends.
    const lines = chunk.includes('\n') ? (rest + chunk).split('\n') : [rest + chunk];
    const last = lines.pop() ?? '';
    if (isTooLong(last, limits) || !keep(last)) return void socket.destroy();
    clock.heard(lines.length > 0);
    for (const line of lines) if (!socket.destroyed) onLine(line);
  });
  return {
    flow(open) {
      if (socket.writableLength > limits.mostUnreadBytes) socket.destroy();
      else if (open >= limits.open || socket.writableLength > limits.unreadBytes) socket.pause();
      else if (socket.isPaused()) socket.resume();
    },
    malformed() {
      if (++wrong > limits.malformed) socket.destroySoon();
    },
  };
}

const isTooLong = (line: string, { lineBytes, bodyBytes }: LineLimits) =>
  line.length > lineBytes && (line.length > bodyBytes || !BODIES.test(line));

/** Hangs up on a client whose line is not whole in time. One that has said a whole line may be silent for as long as it likes. */
function lineClock(socket: Socket, ms: number, unfinished: () => boolean) {
  let timer: NodeJS.Timeout | undefined;
  let said = false;
  const due = () => unfinished() || !said;
  const start = () => {
    timer ??= setTimeout(late, ms).unref();
  };
  const late = () => {
    timer = undefined;
    const before = socket.bytesRead;
    // Input that arrived while this process was busy is read first, and a client that waits for our answers is not late.
    const end = () => {
      if (socket.destroyed || timer || !due()) return;
      if (socket.bytesRead > before || socket.isPaused()) start();
      else socket.destroy();
    };
    setImmediate(() => setImmediate(end));
  };
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  start();
  return {
    stop,
    heard(whole: boolean) {
      said ||= whole;
      if (whole) stop();
      if (due()) start();
    },
  };
}
