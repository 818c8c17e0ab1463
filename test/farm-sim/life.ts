import { chance, logNormal, oneOf, whole, zipf } from '../sim/random.ts';
import { MINUTE } from './time.ts';
import type { Process, World } from './world.ts';

/** An agent that works for longer is ended. */
export const MOST_MINUTES = 45;

const DONE = { summary: 'the work is done' };
const PROPOSAL = JSON.stringify({
  tasks: [
    { key: 'a', title: 'One half' },
    { key: 'b', title: 'The other half', depends_on: ['a'] },
  ],
});
const path = zipf(12, 1);

/** What an agent does between its start and its exit: it works for some minutes, commits, says something, and goes. */
export function live(world: World, process: Process, base: string): void {
  const roll = world.roll(`life ${process.task} ${process.n}`);
  const ms = logNormal(roll, 8, 0.6) * MINUTE;
  const bad = (share: number) => !world.calm && chance(roll, share * world.story.trouble);
  const end = (exit: number | undefined) => {
    if (!process.alive) return;
    process.alive = false;
    process.exit = exit;
    world.wake();
  };
  for (const part of [0.2, 0.4, 0.6, 0.8]) world.time.after(ms * part, () => (process.alive ? world.read(process) : undefined));
  world.time.after(ms, async () => {
    if (!process.alive) return undefined;
    const fate = world.calm ? undefined : world.story.tasks.find(({ id }) => `default/${id}` === process.task)?.fate;
    if (fate) return end(fate === 'crashes' ? undefined : 1);
    if (bad(0.15)) return end(undefined);
    if (bad(0.15)) return end(1);
    if (bad(0.05)) return end(75);
    if (bad(0.05)) return undefined;
    if (bad(0.1)) {
      world.again.add(`unchanged ${process.task}`);
      return end(76);
    }
    if (process.task.includes('/review-')) {
      const finds = bad(0.5);
      if (!finds) world.reviewed.add(process.base);
      await world.say(process, { result: finds ? 'FINDINGS\n- it could be shorter' : 'APPROVE' });
      return end(0);
    }
    if (process.task.includes('/split-')) {
      await world.say(process, { result: bad(0.5) ? 'I cannot say' : PROPOSAL });
      return end(0);
    }
    commit(world, process, base, bad(0.3));
    if (chance(roll, 0.5)) await world.say(process, DONE);
    // A lost connection says it twice, and one that was slow says it when all is over.
    if (bad(0.2)) world.time.after(ms, () => world.say(process, DONE));
    return end(0);
  });
}

function commit(world: World, process: Process, base: string, isBad: boolean): void {
  const { objects } = world;
  const roll = world.roll(`work ${process.task} ${process.n}`);
  const files = new Map(objects.files(base));
  // A conflict, or a red check: the earlier commits are taken along, on top of what the target is now.
  for (const one of objects.files(process.base).keys()) if (!files.has(one)) files.set(one, objects.files(process.base).get(one)!);
  const own = `tasks/${process.task}.ts`;
  files.set(own, `${process.n}${isBad ? ' BAD' : ''}`);
  for (let n = whole(roll, 0, 2); n > 0; n--) files.set(`src/m${path(roll)}.ts`, `${process.task} ${process.n} ${oneOf(roll, ['a', 'b'])}`);
  const parents = process.base === base ? [base] : [process.base, base];
  process.tip = objects.commit({ tree: objects.tree(files), parents, subject: `work on ${process.task}` });
}
