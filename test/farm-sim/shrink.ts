import { type Played, play } from './simulate.ts';
import type { Story } from './story.ts';

/** The parts of a story that are kept, by their places in it. */
export interface Cut {
  readonly tasks: readonly number[];
  readonly deeds: readonly number[];
}

const all = (many: readonly unknown[]) => many.map((_, at) => at);

export const whole = ({ tasks, deeds }: Story): Cut => ({ tasks: all(tasks), deeds: all(deeds) });

/** The story with these parts only. What needs a task that is gone no longer needs it. */
export function cutTo(story: Story, { tasks, deeds }: Cut): Story {
  const kept = story.tasks.filter((_, at) => tasks.includes(at));
  const ids = new Set(kept.map(({ id }) => id));
  return {
    ...story,
    tasks: kept.map((task) => ({ ...task, after: task.after.filter((id) => ids.has(id)) })),
    deeds: story.deeds.filter((_, at) => deeds.includes(at)),
  };
}

export const cutText = ({ tasks, deeds }: Cut): string => `tasks:${tasks.join(',')};deeds:${deeds.join(',')}`;

export function readCut(text: string): Cut {
  const [tasks = [], deeds = []] = text.split(';').map((part) => (part.split(':')[1] ?? '').split(',').filter(Boolean).map(Number));
  return { tasks, deeds };
}

/** Leaves out ever smaller parts of a story as long as it still breaks the same rule; each try is a whole play. */
export async function shrink(story: Story, first: Played, most: number): Promise<{ cut: Cut; played: Played; tries: number }> {
  let cut = whole(story);
  let played = first;
  let tries = 0;
  const still = async (next: Cut): Promise<boolean> => {
    if (tries >= most) return false;
    tries++;
    const again = await play(cutTo(story, next));
    if (again.violation?.rule !== first.violation?.rule) return false;
    cut = next;
    played = again;
    return true;
  };
  for (const part of ['deeds', 'tasks'] as const) {
    if (await still({ ...cut, [part]: part === 'deeds' ? [] : cut.tasks.slice(0, 1) })) continue;
    for (let size = Math.ceil(cut[part].length / 2); size >= 1 && tries < most; size = size === 1 ? 0 : Math.ceil(size / 2))
      for (let at = cut[part].length - size; at > -size && tries < most; at -= size) {
        const from = Math.max(0, at);
        await still({ ...cut, [part]: cut[part].filter((_, n) => n < from || n >= at + size) });
      }
  }
  return { cut, played, tries };
}
