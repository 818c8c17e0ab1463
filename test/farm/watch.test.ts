import { expect, it } from 'vitest';
import { connect } from '../../src/api/client.ts';
import { applyDelta, type Known } from '../../src/tell/face/delta.ts';
import { writeBoard } from '../support/board.ts';
import { farm, killDaemon } from '../support/farm.ts';
import { gitRepo } from '../support/repo.ts';

const CONFIG = 'agent: script\nagents: { script: { driver: scripted } }\ncheck: test -f README.md\nparallel: 2\n';

it('a face that watches has the same numbers as the commands, and each event once, also past a killed daemon', async () => {
  await using repo = await gitRepo({ 'furrow.yaml': CONFIG, 'README.md': 'x\n' });
  await writeBoard(
    repo,
    [1, 2, 3, 4].map((id) => ({ id, ...(id > 2 && { dependsOn: [id - 2] }), script: [`write ${id}.txt x`, `commit ${id}`] })),
  );
  await repo.commit('board');
  await using running = farm(repo);
  expect(await running.furrow('status')).toMatchObject({ code: 0 });
  const client = await connect(repo.root, { start: false, patienceMs: 60_000 });
  let known: Known | undefined;
  const seqs: number[] = [];
  let deltas = 0;
  const watching = client.stream('watch', {}, (delta) => {
    deltas++;
    known = applyDelta(known, delta);
    seqs.push(...delta.events.map(({ seq }) => seq));
  });
  await running.furrow('work', '--detach', '--no-preflight');
  await expect.poll(() => known?.view.landings.length ?? 0).toBeGreaterThan(0);
  await killDaemon(running);
  await running.furrow('work', '--no-preflight');
  const settled = async () => {
    const [status, tasks, queue] = [await running.ask('status'), await running.ask('list'), await running.ask('queue')];
    const { seq: _seq, ...view } = known!.view;
    const { agents, attention, ...rest } = status;
    const { entries, landings, ...queueRest } = queue;
    expect(view).toEqual({ status: rest, queue: queueRest, agents, attention, entries, landings, tasks, problems: [] });
    expect(landings.flatMap((one: { tasks: string[] }) => one.tasks)).toHaveLength(4);
  };
  await expect.poll(() => settled().then(() => 'the same', String)).toBe('the same');
  expect(seqs).toEqual(seqs.map((_, at) => seqs[0]! + at));

  // While nothing changes nothing is sent; looking changes nothing. The last worktrees may still be on their way to the trash, which is
  // sent; a look that made something to send would do so each time.
  const sentByLooking = async () => {
    const before = deltas;
    await running.ask('status');
    await running.ask('list');
    return deltas - before;
  };
  await expect.poll(sentByLooking).toBe(0);
  await running.furrow('add', 'one more');
  await expect.poll(() => known!.view.tasks.length).toBe(5);
  client.close();
  await expect(watching).rejects.toThrow();
});
