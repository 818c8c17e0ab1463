import type { FarmEvent } from '../../api/contract.ts';
import { idOf, type Story } from './event-summary.ts';

/** The part of a terminal, or of a file, that the demo writes to. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

interface Progress {
  heard(event: FarmEvent, story: Story): void;
  end(): void;
}

/** On a terminal a few lines that are written over in place; anywhere else one line for each thing that happens. */
export function showProgress(to: Output, titles: ReadonlyMap<string, string>, now: () => number): Progress {
  return to.isTTY ? inPlace(to, titles) : lineByLine(to, titles, now);
}

const BAR = 24;
/** More lines than the window has cannot be written over. */
const SHOWN = 12;

/** The terminal's picture: a bar, the running tasks, and the last event. */
export function picture(story: Story, titles: ReadonlyMap<string, string>, last: string): string[] {
  const full = titles.size === 0 ? 0 : Math.min(BAR, Math.round((story.landed.length / titles.size) * BAR));
  const agents = [...story.agents].sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    `  ${'█'.repeat(full)}${'░'.repeat(BAR - full)}  ${story.landed.length} of ${titles.size} landed`,
    ...agents.slice(0, SHOWN).map(([name, doing]) => `  ${name.padEnd(18)} ${named(doing, titles)}`),
    ...(agents.length > SHOWN ? [`  and ${agents.length - SHOWN} more`] : []),
    `  ${last}`,
  ];
}

const named = ({ task, attempt }: { task: string; attempt: number }, titles: ReadonlyMap<string, string>) =>
  `${task} ${titles.get(task) ?? ''}${attempt > 1 ? ` (attempt ${attempt})` : ''}`;

function inPlace(to: Output, titles: ReadonlyMap<string, string>): Progress {
  let height = 0;
  let last = '';
  const erase = () => to.write(height > 0 ? `\u001b[${height}A\u001b[J` : '');
  return {
    heard(event, story) {
      last = sentence(event, titles) ?? last;
      const lines = picture(story, titles, last).map((line) => line.slice(0, (to.columns ?? 80) - 1));
      erase();
      to.write(`${lines.join('\n')}\n`);
      height = lines.length;
    },
    end: erase,
  };
}

function lineByLine(to: Output, titles: ReadonlyMap<string, string>, now: () => number): Progress {
  const start = now();
  return {
    heard(event) {
      const said = sentence(event, titles);
      if (said) to.write(`${((now() - start) / 1000).toFixed(1).padStart(6)} s  ${said}\n`);
    },
    end() {},
  };
}

/** The events a newcomer wants to read, in words; the rest is for `furrow log`. */
export function sentence(event: FarmEvent, titles: ReadonlyMap<string, string>): string | undefined {
  const task = idOf(event.task ?? '');
  const named = `${task} ${titles.get(task) ?? ''}`;
  switch (event.kind) {
    case 'attempt.started':
      return `${event.agent} starts ${named}${(event.attempt ?? 1) > 1 ? `, attempt ${event.attempt}` : ''}`;
    case 'entry.submitted':
      return `${event.agent ?? 'somebody'} has submitted ${named}`;
    case 'attempt.ended':
      return event.data['outcome'] === 'crashed' ? `${event.agent} was killed while working on ${named}` : undefined;
    case 'task.handed-back':
      return `${named} is handed back: ${WHY[String(event.data['why'])] ?? event.text}`;
    case 'task.parked':
      return `${named} is parked: ${event.text}`;
    case 'landing.landed':
      return `landed: ${(event.data['tasks'] as string[]).map((ref) => `${idOf(ref)} ${titles.get(idOf(ref)) ?? ''}`).join(', ')}`;
    default:
      return undefined;
  }
}

const WHY: Record<string, string> = { conflict: 'it conflicts with what has landed', check: 'the check is red' };
