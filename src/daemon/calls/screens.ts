import { agentNamed } from '../../agents/agent/store.ts';
import type { Handlers } from '../../api/server.ts';
import { append } from '../../journal/event.ts';
import type { Desk } from './context.ts';

/** Lines of the past that a screen begins with. */
const USUAL_LINES = 1000;

/** Keys typed within this time are one event: the log does not show what was typed, and has no line for each key. */
const STRETCH_MS = 60_000;

/** Calls that show the terminals of agents, and type into them. */
export function screenCalls({ farm, machine }: Desk): Pick<Handlers, 'screen' | 'typeInto' | 'resizeScreen'> {
  const { db, clock } = farm;
  const typed = new Map<string, number>();
  const note = async (agent: string) => {
    const [before, now] = [typed.get(agent) ?? Number.NEGATIVE_INFINITY, clock.now()];
    typed.set(agent, now);
    if (now - before < STRETCH_MS) return;
    const event = { kind: 'agent.typed', agent, text: `a person types into the terminal of ${agent}`, data: { who: 'page' } } as const;
    await db.transaction().execute((tx) => append(tx, event, now));
    farm.wake();
  };
  return {
    async screen({ agent, lines = USUAL_LINES }, { signal, item, drained }) {
      const { name } = await agentNamed(db, agent);
      await machine.screens.watch(name, { lines, item, drained }, signal);
      return {};
    },

    async typeInto({ agent, text }) {
      const { name } = await agentNamed(db, agent);
      await machine.screens.type(name, text);
      await note(name);
      return {};
    },

    async resizeScreen({ agent, cols, rows }) {
      const { name } = await agentNamed(db, agent);
      const why = await machine.screens.resize(name, cols, rows);
      return { resized: why === undefined, why: why ?? null };
    },
  };
}
