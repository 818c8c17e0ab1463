import { agentNamed } from '../../agents/agent/store.ts';
import { tooLong } from '../../agents/message/limit.ts';
import type { Handlers } from '../../api/server.ts';
import { FurrowError } from '../../platform/error.ts';
import { openAttemptAt } from '../../work/attempt/read.ts';
import { refOf } from '../../work/task/id.ts';
import { addPlace, assertRoom } from '../leader/work/place.ts';
import { choosePhase } from '../leader/work/work.ts';
import type { Desk } from './context.ts';
import { stopAgents } from './pause-and-stop.ts';
import { until } from './wait-until.ts';

/** An agent starts within a second or two; one that has to wait for a limit or a program is named later, by `list_peers`. */
const NAME_MS = 10_000;
const TITLE = 80;

/** Agents that an orchestrator adds and stops. */
export function peers(desk: Desk): Pick<Handlers, 'spawnPeer' | 'killPeer'> {
  const { farm, feed } = desk;
  return {
    async spawnPeer({ kind, text, phase: named }, context) {
      refuseKind(farm.config.spawn, kind);
      const long = tooLong(text);
      if (long) throw new FurrowError('USAGE', long, { hint: 'write it to a file of the repository, and name the file' });
      const phase = await choosePhase(farm, named);
      await assertRoom(farm, phase, farm.config.spawn.most);
      const title = text.trim().split('\n')[0]!.slice(0, TITLE);
      const priority = farm.board.config.priorities.at(-1);
      const given = { title, body: text, phase, agent: kind, ...(priority !== undefined && { priority }) };
      // The task first: work without one would be over at once.
      const { id } = await desk.handlers().add(given, context);
      await addPlace(farm, phase, farm.config.spawn.most);
      const ref = refOf(phase, id);
      let agent: string | null = null;
      await until(feed, AbortSignal.any([context.signal, desk.ending, AbortSignal.timeout(NAME_MS)]), async () => {
        agent = (await openAttemptAt(farm.db, ref))?.agent ?? null;
        return agent !== null;
      });
      return { task: id, phase, agent };
    },

    async killPeer({ agent, reason }, { caller }) {
      const { name } = await agentNamed(farm.db, agent);
      if (caller.kind === 'agent' && caller.agent === name)
        throw new FurrowError('NOT_YOURSELF', `${name} cannot stop itself`, { hint: 'furrow done, or furrow blocked --reason TEXT' });
      await stopAgents(desk, name, false, `${caller.kind === 'agent' ? caller.agent : 'an orchestrator'}: ${reason}`);
      return { stopped: name };
    },
  };
}

function refuseKind({ kinds, most }: { readonly kinds: readonly string[]; readonly most: number }, kind: string): void {
  if (kinds.length === 0 || most === 0)
    throw new FurrowError('SPAWN_OFF', 'no agents can be added: furrow.yaml does not say which kinds, and how many at most', {
      hint: 'spawn: { kinds: [KIND], most: N } in furrow.yaml',
    });
  if (!kinds.includes(kind))
    throw new FurrowError('SPAWN_KIND', `no agent of kind ${kind} can be added`, { hint: `kinds that can be: ${kinds.join(', ')}` });
}
