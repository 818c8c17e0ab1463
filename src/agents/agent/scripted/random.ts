import { createHash } from 'node:crypto';
import type { Step } from './script.ts';

/** Numbers in [0, 1) that depend on nothing but the text: mulberry32 over the first four bytes of its hash. */
export function dice(text: string): () => number {
  let state = createHash('sha256').update(text).digest().readUInt32LE(0);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * The steps that `random SEED` stands for in one attempt at one task. The first two attempts may go wrong in some way; from the
 * third on the work is plain, so that a farm under random agents always comes to an end.
 */
export function mix(seed: string, task: string, attempt: number): Step[] {
  const roll = dice(`${seed}/${task}/${attempt}`);
  const steps: Step[] = [{ do: 'work', n: Math.round(20 + roll() * 180) }];
  for (let i = 0; i <= roll() * 3; i++) {
    steps.push({ do: 'write', path: `random/${task}-${i}.txt`, text: `${task} ${i} ${Math.floor(roll() * 1e6)}` });
    steps.push({ do: 'commit', text: `${task}: part ${i}` });
  }
  // The same file for one task in four: some of them will meet.
  if (roll() < 0.25)
    steps.push({ do: 'append', path: 'random/shared.txt', text: task }, { do: 'commit', text: `${task}: the shared file` });
  if (attempt === 1 && roll() < 0.15) steps.push({ do: 'dirty', path: `random/${task}-left.txt`, text: 'not committed' });
  if (attempt > 1) steps.unshift({ do: 'merge', text: '$target' });
  if (attempt < 3) steps.push(...misfortune(roll()));
  return steps;
}

function misfortune(chance: number): Step[] {
  if (chance < 0.06) return [{ do: 'crash' }];
  if (chance < 0.12) return [{ do: 'fail', n: 3 }];
  if (chance < 0.16) return [{ do: 'fork', n: 3 }];
  if (chance < 0.2) return [{ do: 'detach' }];
  if (chance < 0.24) return [{ do: 'ignore-signals' }, { do: 'work', n: 200 }];
  return [];
}
