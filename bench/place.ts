import { type Client, connect } from '../src/api/client.ts';
import type { FarmEvent } from '../src/api/contract.ts';
import { exec } from '../src/platform/exec.ts';
import { type TestTask, writeBoard } from '../test/support/board.ts';
import { furrow } from '../test/support/farm.ts';
import { assertNoLeak } from '../test/support/processes.ts';
import { gitRepo, plainEnv, type TestRepo } from '../test/support/repo.ts';

/** Quiet agents that cost nothing themselves: what is measured is furrow. */
const CONFIG = `agent: quiet
agents:
  quiet: { driver: command, run: "exec sleep 3600" }
  scripted: { driver: scripted }
check: "true"
`;

/** A repository of so many small files, twenty to a folder, with a board of quiet tasks. */
export async function benchRepo(files: number, tasks: readonly TestTask[]): Promise<TestRepo> {
  const repo = await gitRepo({ 'furrow.yaml': CONFIG });
  await writeBoard(repo, tasks);
  const script = `i=0; while [ $i -lt ${Math.ceil(files / 20)} ]; do mkdir -p src/$i; for j in 0 1 2 3 4 5 6 7 8 9 a b c d e f g h i j; do echo "file $i $j" > src/$i/$j.txt; done; i=$((i+1)); done`;
  await exec(['sh', '-c', script], { cwd: repo.root, env: plainEnv(repo), timeoutMs: 120_000 });
  await repo.commit(`${files} files`);
  return repo;
}

export const quietTasks = (count: number): TestTask[] => Array.from({ length: count }, (_, n) => ({ id: n + 1, title: `Quiet ${n + 1}` }));

/** Runs with a connected farm, and stops it afterwards. Connecting from here uses the built daemon, as a user's command does. */
export async function withFarm<T>(repo: TestRepo, use: (client: Client) => Promise<T>): Promise<T> {
  await furrow(repo, 'status');
  const client = await connect(repo.root, { start: false });
  try {
    return await use(client);
  } finally {
    client.close();
  }
}

export async function stopAndDiscard(repos: readonly TestRepo[]): Promise<void> {
  for (const repo of repos) {
    await furrow(repo, 'stop', '--all', '--now');
    await assertNoLeak(repo.base);
    await repo[Symbol.asyncDispose]();
  }
}

/** Follows the feed from now on; `until` resolves with all events once one batch satisfies it. */
export function listen(client: Client): { events: FarmEvent[]; until(done: (events: FarmEvent[]) => boolean): Promise<void> } {
  const events: FarmEvent[] = [];
  let wake = () => {};
  const feed = client.stream('log', { since: 0, follow: true }, (event) => {
    events.push(event);
    wake();
  });
  feed.catch(() => {});
  return {
    events,
    until: async (done) => {
      while (!done(events)) await new Promise<void>((resolve) => (wake = resolve));
    },
  };
}
