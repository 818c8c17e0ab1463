import { visible } from '../../platform/visible.ts';
import { inOrder } from './order.ts';
import type { ProposedTask } from './proposal.ts';

const TITLE = 80;

/** The graph of a proposal: each task stands below the last one that it waits for, and names the others. */
export function drawProposal(tasks: readonly ProposedTask[]): string[] {
  const ordered = inOrder(tasks);
  const place = new Map(ordered.map((one, n) => [one.key, n]));
  const parents = new Map(ordered.map((one) => [one, parentOf(one, place)]));
  const below = (key: string | undefined) => ordered.filter((one) => parents.get(one) === key);
  const branch = (one: ProposedTask, stem: string, last: boolean): string[] => {
    const children = below(one.key);
    return [
      `${stem}${last ? '└─ ' : '├─ '}${words(one, parents.get(one))}`,
      ...children.flatMap((child, n) => branch(child, `${stem}${last ? '   ' : '│  '}`, n === children.length - 1)),
    ];
  };
  return below(undefined).flatMap((root) => {
    const children = below(root.key);
    return [words(root, undefined), ...children.flatMap((child, n) => branch(child, '', n === children.length - 1))];
  });
}

function parentOf({ depends_on }: ProposedTask, place: ReadonlyMap<string, number>): string | undefined {
  const own = depends_on.filter((name) => place.has(name));
  return own.sort((a, b) => place.get(a)! - place.get(b)!).at(-1);
}

function words({ key, title, paths, depends_on, priority, agent }: ProposedTask, parent: string | undefined): string {
  const others = depends_on.filter((name) => name !== parent);
  const notes = [
    ...(others.length > 0 ? [`${parent === undefined ? 'waits' : 'also waits'} for ${others.join(', ')}`] : []),
    ...(paths.length > 0 ? [paths.join(' ')] : []),
    ...(priority === undefined ? [] : [priority]),
    ...(agent === undefined ? [] : [agent]),
  ];
  const name = `${key}  ${visible(title).slice(0, TITLE)}`;
  return notes.length > 0 ? `${name}  (${visible(notes.join('; '))})` : name;
}
