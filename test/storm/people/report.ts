import { furrow, parseEvents } from '../../support/farm.ts';
import { lines, tryLook } from './git.ts';
import type { Storm } from './storm.ts';

/** `m:ss` */
export function farmTime(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

export function progressLine(storm: Storm, ms: number): string {
  const { history } = storm.person;
  const steps = [...storm.done.values()].reduce((sum, n) => sum + n, 0);
  return `${farmTime(ms).padStart(6)}  ${steps} steps  ${history.published.size} tasks landed  ${history.removed.size} taken out  ${storm.kills.count} kills`;
}

const counted = (entries: Iterable<readonly [string, number]>) =>
  [...entries]
    .sort(([, a], [, b]) => b - a)
    .map(([name, n]) => `${name} ${n}`)
    .join(', ');

export function closingTable(storm: Storm): string[] {
  const { history, retried, force } = storm.person;
  const steps = [...storm.done.values()].reduce((sum, n) => sum + n, 0);
  const rows: [string, number, string][] = [
    ['steps', steps, counted(storm.done)],
    ['kills', storm.kills.count, counted(Object.entries(storm.kills.killed))],
    ['landings', history.landings.length, `${history.published.size} tasks`],
    ['taken out', history.removed.size, `${retried.size} asked for again`],
    ['rules', force.spans.length, 'times that furrow.yaml came into force'],
    ['replayed', storm.judge.trees, 'checks on trees that landed'],
    ['violations', storm.violations.length, storm.violations.length === 0 ? 'none' : 'see above'],
  ];
  return rows.map(([name, n, more]) => `  ${name.padEnd(11)}${String(n).padStart(5)}  ${more}`);
}

/** Everything that helps to understand a violation: what the person did last, and what git and furrow say. */
export async function circumstances(storm: Storm): Promise<string[]> {
  const { world, story } = storm.person;
  const part = (title: string, text: readonly string[]) => [`--- ${title}`, ...text.map((line) => `  ${line}`)];
  const events = parseEvents((await furrow(world.repo, 'log', '--json').catch(() => ({ stdout: '' }))).stdout).slice(-40);
  return [
    ...part('what the person and the storm did last', story.slice(-30)),
    ...part('git status', lines(await tryLook(world, 'status', '--short', '--branch'))),
    ...part('reflog of HEAD', lines(await tryLook(world, 'reflog', '-20', '--format=%h %gn: %gs', 'HEAD'))),
    ...part('reflog of main', lines(await tryLook(world, 'reflog', '-20', '--format=%h %gn: %gs', 'main'))),
    ...part(
      'furrow log',
      events.map((event) => `${event.at}  ${event.task ?? '-'}  ${event.text}`),
    ),
  ];
}
