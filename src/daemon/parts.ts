import { Carrier } from './calls/other-farms/carry.ts';
import { type Post, startPost } from './deliver-messages.ts';
import { type Feed, openFeed } from './farm/feed.ts';
import type { JoinedAgents } from './farm/joined-hosts.ts';
import type { Performer } from './farm/performer.ts';
import { type Agents, superviseAgents } from './host/agents/agents.ts';
import { HangingWatch } from './host/checks/hanging.ts';
import { type HostLook, hostLook } from './host/look.ts';
import { type RadarWatch, radarWatch } from './host/radar.ts';
import { supervisorLine, tellSupervisor } from './host/supervisor-log.ts';
import type { LoopState } from './leader/state.ts';
import { performer } from './perform.ts';
import { actsOf } from './whole-acts.ts';
import type { WholeFarm } from './whole-farm.ts';

/** The parts of a daemon: what the leader's tick drives, and what ends with the daemon. */
export interface Parts {
  readonly perform: Performer;
  readonly feed: Feed;
  readonly radar: RadarWatch;
  readonly agents: Agents;
  readonly host: HostLook;
  readonly post: Post;
  readonly carrier: Carrier;
}

interface PartsOrder {
  /** Called after each look at messages. */
  looked(): void;
  /** The agents of machines that joined, once the list of these is open. */
  readonly elsewhere: Promise<JoinedAgents>;
  readonly ending: AbortSignal;
}

/** Opens the parts of a daemon. */
export async function openParts(farm: WholeFarm, state: LoopState, { looked, elsewhere, ending }: PartsOrder): Promise<Parts> {
  const feed = await openFeed(farm.db, farm.tasks);
  let agents: Agents | undefined;
  const perform = performer(
    farm,
    actsOf(farm, state, () => agents, elsewhere, ending),
  );
  agents = superviseAgents(farm);
  const radar = radarWatch(farm);
  showEvents(farm, feed, radar);
  const carrier = new Carrier(farm);
  const post = startPost(farm, { feed, deliver: agents.deliver, carry: () => carrier.follow(), looked });
  const host = hostLook(farm, { agents, radar, hanging: new HangingWatch(farm) });
  return { feed, perform, agents, radar, carrier, post, host };
}

/** Every event about an agent is shown in its supervisor pane; progress is a reason to look at its worktree. */
function showEvents(farm: WholeFarm, feed: Feed, radar: RadarWatch): void {
  const lines = new Map<string, string[]>();
  feed.on((event) => {
    if (!event.agent) return;
    const own = lines.get(event.agent) ?? [];
    lines.set(event.agent, own);
    own.push(supervisorLine(event));
    if (event.kind === 'agent.progress') radar.touch(event.agent);
  });
  feed.onPump(() => {
    for (const [agent, own] of lines) tellSupervisor(farm.places, agent, own.join(''));
    lines.clear();
  });
}
