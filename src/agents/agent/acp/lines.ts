import type { Readable } from 'node:stream';

/** A message has the whole of an edited file in it, twice. What is longer than this is no message. */
const LONGEST = 32 * 1024 * 1024;
const NEWLINE = 10;

/** The lines of a stream as they come; `undefined` for one that is too long to be kept. */
export async function* linesOf(from: Readable, longest = LONGEST): AsyncGenerator<string | undefined> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of from as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      size += end - start;
      yield size > longest ? undefined : Buffer.concat([...parts, chunk.subarray(start, end)]).toString();
      [parts, size, start] = [[], 0, end + 1];
    }
    size += chunk.length - start;
    if (size > longest) parts = [];
    else parts.push(chunk.subarray(start));
  }
}
