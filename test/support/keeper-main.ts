import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { lives, look, processesOf, type Seen, slay } from './processes.ts';

const folders = process.argv.slice(2);
const run = look(process.ppid);

/** While the run lives it ends its own workers. */
const isOfLivingRun = ({ ppid }: Seen) => run !== undefined && ppid === run.pid && lives(run);

/** Something that no signal ends must not keep the folders. */
const PATIENCE_MS = 30_000;

/** Ends what belongs to the folders of the run, by pid and start time, until two looks in a row find nothing. */
async function endProcesses(): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  for (let quiet = 0; quiet < 2 && performance.now() < until; ) {
    const left = folders.flatMap((folder) => processesOf(folder)).filter((seen) => !isOfLivingRun(seen));
    for (const seen of left) if (lives(seen)) slay(seen.pid);
    quiet = left.length === 0 ? quiet + 1 : 0;
    await pause(50);
  }
}

function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  } catch {
    // A test may have closed a folder to its own user.
    spawnSync('chmod', ['-R', 'u+rwX', folder]);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

async function clean(): Promise<void> {
  await endProcesses();
  for (const folder of folders) remove(folder);
}

for await (const _ of process.stdin) {
  await clean();
  process.stdout.write('clean\n');
}
await clean();
