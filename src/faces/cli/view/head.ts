import { open } from 'node:fs/promises';
import type { Client } from '../../../api/client.ts';
import type { Out } from '../../../api/contract.ts';
import { isTerminal, type Paint, stderr } from '../out.ts';
import { cut, span } from './columns.ts';
import { safe } from './safe.ts';

type Head = Out<'preflight'>;

/** A terminal is drawn again; a log gets a line now and then. */
const LOOK_MS = 1000;
const LOOK_RARELY_MS = 15_000;
const TAIL_BYTES = 4096;

/** Waits for the checks of the target itself and shows meanwhile what runs, for how long, and the last line that it printed. */
export async function watchHead(farm: Client, show: (text: string) => void, ask = false): Promise<Head> {
  let over = false;
  const look = async () => {
    const head = await farm.call('preflight', {});
    const text = await runningText(head);
    if (!over && text !== undefined) show(text);
  };
  const answer = farm.call('preflight', { wait: true, ...(ask && { ask }) });
  const every = setInterval(() => void look().catch(() => {}), isTerminal(stderr) ? LOOK_MS : LOOK_RARELY_MS);
  try {
    return await answer;
  } finally {
    over = true;
    clearInterval(every);
    if (isTerminal(stderr)) show('');
  }
}

async function runningText({ target, checks }: Head): Promise<string | undefined> {
  const running = checks.find((check) => check.state === 'running');
  if (!running) return undefined;
  const last = running.log === null ? '' : await lastLine(running.log);
  const since = running.since === null ? '' : ` for ${span(Date.now() - Date.parse(running.since))}`;
  return cut(
    safe(
      `checking ${target} in a clean worktree${since}: ${running.log?.includes('/logs/setup/') ? 'set-up' : cut(running.run, 40)}${last ? `  │ ${last}` : ''}`,
    ),
    (process.stderr.columns || 160) - 10,
  );
}

/** The last line that has been printed so far; a progress bar's last state. */
async function lastLine(path: string): Promise<string> {
  const file = await open(path).catch(() => undefined);
  if (!file) return '';
  try {
    const { size } = await file.stat();
    const length = Math.min(size, TAIL_BYTES);
    const { buffer } = await file.read({ buffer: Buffer.alloc(length), position: size - length, length });
    const lines = buffer
      .toString('utf8')
      .split(/[\r\n]+/)
      .map((line) => line.trim());
    return lines.findLast((line) => line !== '') ?? '';
  } finally {
    await file.close();
  }
}

/** The verdict: a sentence; when it is red, the telling lines and what to do. */
export function headLines({ state, text, telling, advice }: Head, paint: Paint): string[] {
  if (state === 'green') return [`${paint.green('✔')} ${text}`];
  if (state !== 'red') return [`${paint.yellow('!')} ${text}`];
  const indented = telling.map((line) => paint.dim(`  │ ${line}`));
  const todo = advice.flatMap(({ text: why, next }) => [`${paint.yellow('!')} ${why}`, ...(next === null ? [] : [`  ${next}`])]);
  return [`${paint.red('✖')} ${text}`, ...indented, ...todo];
}
