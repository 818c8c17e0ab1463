import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { exec, type Finished } from '../../platform/exec.ts';
import { killTree } from '../../platform/process/kill.ts';
import type { RegenerateRule, Scratch } from './rules.ts';

const LOG_BYTES = 16 * 1024 * 1024;

/** Runs a rule's command in its own group and jail. Whatever it started and left, in any session, is gone when this returns. */
export async function runRule(scratch: Scratch, rule: RegenerateRule, signal: AbortSignal): Promise<Finished> {
  await mkdir(dirname(scratch.log), { recursive: true });
  await using output = await open(scratch.log, 'a', 0o600);
  const [command, ...args] = [...scratch.jail, 'sh', '-c', rule.run];
  const env = { ...scratch.env, FURROW_RUN: scratch.marker };
  const done = await exec([command!, ...args], {
    cwd: scratch.path,
    env,
    timeoutMs: rule.timeoutMs,
    outputFd: output.fd,
    signal,
  }).finally(() => endAll(scratch));
  if ((await output.stat()).size > LOG_BYTES) await output.truncate(LOG_BYTES);
  signal.throwIfAborted();
  return done;
}

async function endAll(scratch: Scratch): Promise<void> {
  const { survivors } = await killTree({ root: undefined, marker: scratch.marker }, 0);
  if (survivors.length > 0) throw new Error(`${survivors.length} processes in ${scratch.path} cannot be ended`);
}
