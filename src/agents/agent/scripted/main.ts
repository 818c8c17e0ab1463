import { readFileSync } from 'node:fs';
import { findScript, stepsOf } from './script.ts';
import { performAll, stage } from './steps.ts';
import { attend } from './witness.ts';

/**
 * An agent without a model: it reads its task like any agent of the `command` driver, and does what the script block
 * in the task says, or else what `SCRIPTED_OTHERWISE` says, where `$task` is the task's number. The demo, the tests and the storms run on it;
 * it imports little, since they start it hundreds of times.
 */
async function main(env: NodeJS.ProcessEnv): Promise<number> {
  const task = env['FURROW_TASK'] ?? 'task';
  const attempt = Number(env['FURROW_ATTEMPT'] ?? 1);
  const otherwise = env['SCRIPTED_OTHERWISE']?.replaceAll('$task', task) ?? '';
  const lines = findScript(readFileSync(env['FURROW_PROMPT_FILE'] ?? 0, 'utf8')) ?? findScript(otherwise);
  if (!lines) return blocked('the task has no script block, and a scripted agent can do nothing else');
  const witness = attend(env['FURROW_WITNESS'], env['FURROW_PHASE'] ?? 'default', task);
  try {
    return (await performAll(stepsOf(lines, attempt), stage(task, attempt, witness))) ?? 0;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    return 1;
  }
}

function blocked(reason: string): number {
  process.stdout.write(`${reason}\n`);
  return 75;
}

// Not `process.exit`: what was printed must reach the pipe first. Children left behind are unreferenced.
main(process.env).then((code) => {
  process.exitCode = code;
});
