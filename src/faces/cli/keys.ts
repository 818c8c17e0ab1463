import { createInterface } from 'node:readline/promises';

const CTRL_C = '\x03';
const CTRL_D = '\x04';

/** One key of the person at the terminal; `undefined` for Ctrl-C, Ctrl-D, or when the terminal is gone. */
export function readKey(input: NodeJS.ReadStream = process.stdin): Promise<string | undefined> {
  return new Promise((resolve) => {
    const end = (key: string | undefined) => {
      input.off('data', onData).off('end', onEnd);
      input.setRawMode(false);
      input.pause();
      resolve(key);
    };
    const onData = (data: Buffer) => {
      const key = data.toString('utf8');
      end(key === CTRL_C || key === CTRL_D ? undefined : key);
    };
    const onEnd = () => end(undefined);
    input.setRawMode(true);
    input.on('data', onData).on('end', onEnd);
    input.resume();
  });
}

/** A line of the person at the terminal; empty when they close it. */
export async function readLine(prompt: string): Promise<string> {
  const ask = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new Promise<string>((end) => ask.once('close', () => end('')));
  try {
    return await Promise.race([ask.question(prompt), ended]);
  } finally {
    ask.close();
  }
}
