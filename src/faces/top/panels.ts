import { agentsPanel } from './panel/agents.ts';
import { attentionPanel } from './panel/attention.ts';
import { boardPanel } from './panel/board.ts';
import { conflictsPanel } from './panel/conflicts.ts';
import { costPanel } from './panel/cost.ts';
import { eventsPanel } from './panel/events.ts';
import type { Panel, PanelId } from './panel/panel.ts';
import { queuePanel } from './panel/queue.ts';
import { timelinePanel } from './panel/timeline.ts';

export const PANELS: Readonly<Record<PanelId, Panel>> = {
  attention: attentionPanel,
  agents: agentsPanel,
  board: boardPanel,
  queue: queuePanel,
  timeline: timelinePanel,
  cost: costPanel,
  conflicts: conflictsPanel,
  events: eventsPanel,
};
