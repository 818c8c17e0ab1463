import { type Draft, oneLine } from './section.ts';
import type { Facts } from './snapshot.ts';

const LONGEST = 120;

/** The facts, word for word the same in every digest until one changes. */
export function factLines(facts: Facts): Draft {
  const { repository, target, checks, kinds, defaultKind, phases, attempts, land, isolation, resources } = facts;
  const named = Object.entries(resources).map(([name, capacity]) => `${name} ${capacity}`);
  const lines = [
    `repository ${oneLine(repository, LONGEST)}, lands on ${oneLine(target, LONGEST)}`,
    ...checks.map(({ name, run }) => `check ${oneLine(name, LONGEST)}: ${oneLine(run, LONGEST)}`),
    ...(checks.length === 0 ? ['no check is configured: everything that merges lands'] : []),
    `agent kinds: ${kinds.map((kind) => kindWords(kind, defaultKind)).join(', ')}`,
    `phases: ${phases.join(', ') || 'none'}; attempts a task: ${attempts}; land: ${land}; isolation: ${isolation}`,
    ...(named.length > 0 ? [`resources: ${named.join(', ')}`] : []),
  ];
  return { name: 'facts', lines, more: (count) => `${count} more: furrow config` };
}

function kindWords({ name, driver, role }: Facts['kinds'][number], defaultKind: string): string {
  const notes = [...(driver === name ? [] : [driver]), ...(role === 'agent' ? [] : [role]), ...(name === defaultKind ? ['default'] : [])];
  return notes.length > 0 ? `${name} (${notes.join(', ')})` : name;
}
