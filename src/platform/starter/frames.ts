/** One message between the daemon and its starter: a few words as JSON, and bytes as they are. */
export interface Frame {
  readonly kind: Kind;
  /** The number of the call that this frame belongs to. */
  readonly call: number;
  readonly words: unknown;
  readonly bytes: Buffer;
}

/** `start` and `kill` go to the starter; the others are its answers. */
const KINDS = ['start', 'kill', 'stdout', 'stderr', 'ended', 'failed'] as const;
export type Kind = (typeof KINDS)[number];

/** The version of this format. A daemon outlives an update of furrow; a starter of another version then ends at once. */
export const FORM = '--form=1';

/** Kind (1 byte), call, length of the words, length of the bytes (4 each). */
const HEAD = 13;

/** A message as bytes for the pipe. Node's own IPC writes bytes as text, which costs more than all of this. */
export function frame(kind: Kind, call: number, words: unknown = null, bytes: readonly Uint8Array[] = []): Buffer {
  const text = Buffer.from(JSON.stringify(words));
  const head = Buffer.allocUnsafe(HEAD);
  head[0] = KINDS.indexOf(kind);
  head.writeUInt32LE(call, 1);
  head.writeUInt32LE(text.length, 5);
  head.writeUInt32LE(
    bytes.reduce((sum, one) => sum + one.length, 0),
    9,
  );
  return Buffer.concat([head, text, ...bytes]);
}

/** Rebuilds frames from the chunks that arrive, and passes each on. */
export function framesTo(take: (frame: Frame) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let size = 0;
  let wanted = HEAD;
  return (chunk) => {
    chunks.push(chunk);
    size += chunk.length;
    // Joined only when a whole frame is there: a large one comes in hundreds of chunks.
    if (size < wanted) return;
    let rest = chunks.length === 1 ? chunk : Buffer.concat(chunks);
    for (wanted = lengthOf(rest); rest.length >= wanted; wanted = lengthOf(rest)) {
      take(parsed(rest.subarray(0, wanted)));
      rest = rest.subarray(wanted);
    }
    chunks = [rest];
    size = rest.length;
  };
}

const lengthOf = (begun: Buffer) => (begun.length < HEAD ? HEAD : HEAD + begun.readUInt32LE(5) + begun.readUInt32LE(9));

function parsed(whole: Buffer): Frame {
  const bytes = HEAD + whole.readUInt32LE(5);
  return {
    kind: KINDS[whole[0]!]!,
    call: whole.readUInt32LE(1),
    words: JSON.parse(whole.toString('utf8', HEAD, bytes)),
    bytes: whole.subarray(bytes),
  };
}
