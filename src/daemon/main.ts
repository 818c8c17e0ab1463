import { closeSync, fstatSync, writeSync } from 'node:fs';
import { STANDBY_FLAG, TRUST_FLAG } from '../api/start.ts';
import { wantOfDescriptors } from '../platform/descriptors.ts';
import { exitCode, FurrowError } from '../platform/error.ts';
import { serveRepository } from './serve.ts';

/** Whoever starts a daemon waits on descriptor 3 for `ready`, or for the reason why not. */
function answerStart(line: string): void {
  try {
    if (!fstatSync(3).isFIFO() && !fstatSync(3).isSocket()) return;
    writeSync(3, `${line}\n`);
    closeSync(3);
  } catch {
    // Started by hand, without anybody waiting.
  }
}

async function main(): Promise<void> {
  const root = process.argv[process.argv.indexOf('--repo') + 1];
  if (!root) throw new FurrowError('USAGE', 'the daemon needs --repo PATH');
  const standby = process.argv.includes(STANDBY_FLAG) ? (line: string) => void process.stderr.write(`furrow: ${line}\n`) : undefined;
  await serveRepository(root, process.argv.includes(TRUST_FLAG), () => answerStart('ready'), standby);
}

const FEW = { code: 'DAEMON_UNREACHABLE', hint: 'ulimit -n 1024, then the same command' };

main().then(
  () => process.exit(0),
  (error: unknown) => {
    const known = error instanceof FurrowError ? error : wantOfDescriptors(error, 'the daemon cannot go on: it', FEW);
    answerStart(JSON.stringify({ error: { code: known?.code ?? 'BUG', message: known?.message ?? String(error), hint: known?.hint } }));
    // A known mistake is the operator's to mend; anything else is ours, and needs its stack.
    process.stderr.write(known ? `furrow: ${known.message}${known.hint ? `\n  try: ${known.hint}` : ''}\n` : `${(error as Error).stack}\n`);
    process.exit(known ? exitCode(known) : 1);
  },
);
