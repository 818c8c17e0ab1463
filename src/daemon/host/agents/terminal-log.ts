import { open } from 'node:fs/promises';
import { ENDED } from '../../../agents/agent/pane-script.ts';
import { tellingLines } from '../../../platform/output/telling.ts';
import { clean } from '../../../platform/strip-controls.ts';

const LOG_WAIT_MS = 500;

/**
 * The terminal's output reaches the log a moment after the program ended; the script's own last line tells that it has.
 * Nobody announces it, so it is looked for, for half a second at most.
 */
export async function logComplete(log: string): Promise<void> {
  for (let waited = 0; waited < LOG_WAIT_MS; waited += 5) {
    if ((await tail(log)).includes(ENDED)) return;
    await new Promise((again) => setTimeout(again, 5));
  }
}

/** The last line that the program itself printed; of a Node that crashed its error, which stands above the version of Node. */
export async function lastLine(log: string): Promise<string> {
  const lines = (await tail(log)).split('\n').filter((line) => line.trim() && !line.startsWith(ENDED));
  const last = lines.at(-1)?.trim() ?? '';
  const error = NODE_CRASHED.test(last) ? tellingLines(lines.join('\n'), { lines: 1, columns: LONGEST })[0] : undefined;
  return (error ?? last).trim().slice(0, LONGEST);
}

const NODE_CRASHED = /^Node\.js v\d+\.\d+\.\d+$/;
const LONGEST = 300;

const TAIL_BYTES = 8192;

/** The last part of what is in the log. */
export async function tail(log: string): Promise<string> {
  const file = await open(log, 'r').catch(() => undefined);
  if (!file) return '';
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(TAIL_BYTES), 0, TAIL_BYTES, Math.max(0, size - TAIL_BYTES));
    return clean(buffer.toString('utf8', 0, bytesRead));
  } finally {
    await file.close();
  }
}
