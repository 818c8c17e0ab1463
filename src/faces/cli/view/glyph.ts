import type { ListedAgent, TaskState } from '../../../api/contract.ts';
import type { Paint } from '../out.ts';

/** One sign a state, so that a list can be read by its first column. */
export function taskGlyph(state: TaskState, paint: Paint): string {
  switch (state) {
    case 'landed':
      return paint.green('✔');
    case 'leased':
      return paint.cyan('▶');
    case 'submitted':
      return paint.cyan('⇡');
    case 'ready':
      return '○';
    case 'waiting':
      return paint.dim('·');
    case 'parked':
      return paint.red('✖');
    case 'blocked':
      return paint.yellow('■');
    case 'archived':
      return paint.dim('-');
    default:
      return state satisfies never;
  }
}

export function agentState(agent: Pick<ListedAgent, 'state' | 'paused' | 'detail'>, paint: Paint): string {
  const shown = agent.detail && agent.detail !== 'turn-ended' ? `${agent.state}: ${agent.detail}` : agent.state;
  if (agent.paused) return paint.yellow(`${shown}, paused`);
  switch (agent.state) {
    case 'working':
      return paint.green(shown);
    case 'waiting':
    case 'limited':
      return paint.yellow(shown);
    case 'dead':
      return paint.red(shown);
    default:
      return shown;
  }
}

/** `landed` of `total`, drawn. */
export function bar(landed: number, total: number, cells: number): string {
  const full = total === 0 ? 0 : Math.floor((landed / total) * cells);
  return `${'█'.repeat(full)}${'░'.repeat(cells - full)}`;
}

export function short(sha: string | null): string {
  return sha === null ? '-' : sha.slice(0, 9);
}
