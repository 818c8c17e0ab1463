import { type Fields, fields } from '../json.ts';

/** The server sends a heartbeat every 10 s: a silence this long is a connection that is dead without saying so. */
const SILENCE_MS = 45_000;

/** The events of a stream, each as the server wrote it, until the stream ends or falls silent. */
export async function* eventsOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Fields> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await heard(reader);
      if (done) return;
      const blocks = `${rest}${decoder.decode(value, { stream: true })}`.split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const data = block.split('\n').flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []));
        if (data.length > 0) yield fields(JSON.parse(data.join('\n')));
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

async function heard(reader: ReadableStreamDefaultReader<Uint8Array>) {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('opencode fell silent')), SILENCE_MS);
  });
  return Promise.race([reader.read(), silence]).finally(() => clearTimeout(timer));
}
