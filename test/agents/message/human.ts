import { setTimeout as pause } from 'node:timers/promises';
import { scripted } from '../../../src/agents/agent/drivers/scripted.ts';
import { dice } from '../../../src/agents/agent/scripted/random.ts';
import { tmuxClient } from '../../../src/platform/tmux/server.ts';
import { attachArgv } from '../../platform/tmux/attach.ts';
import { type Farm, farm, QUIET } from '../../platform/tmux/place.ts';
import type { TestAgent } from './agents.ts';

export interface Human {
  /** What was typed and sent, whole. */
  readonly typed: { agent: string; text: string }[];
  drafts(count: number): Promise<void>;
  close(): Promise<void>;
}

/** A person at a terminal of their own that shows the farm: looks at one window after the other, and types into some. */
export async function human(at: Farm, agents: readonly TestAgent[], seed: number, signal: AbortSignal): Promise<Human> {
  const desk = await farm();
  const roll = dice(`human ${seed}`);
  const { pane } = await desk.tmux.openWindow('person', attachArgv(at.place), QUIET);
  const typed: Human['typed'] = [];
  const keys = (...words: string[]) => tmuxClient(desk.place, ['send-keys', '-t', pane, ...words], 10_000);
  const draftOf = async (agent: TestAgent) => scripted.screen!(await at.tmux.screen(agent.pane)).draft;

  async function write(n: number): Promise<void> {
    const agent = agents[Math.floor(roll() * agents.length)]!;
    await tmuxClient(at.place, ['select-window', '-t', agent.window], 10_000);
    // At any moment, or at the worst one: while something is being typed there.
    const moment = AbortSignal.timeout(Math.floor(roll() * 600) + 1);
    await (roll() < 0.5 ? pause(roll() * 600) : agent.changed(moment));
    const text = `draft ${n} für ${agent.name} ${'x'.repeat(roll() * 20)}`;
    const cut = Math.floor(roll() * text.length);
    await keys('-l', '--', text.slice(0, cut) || 'd');
    await pause(roll() * 400);
    await keys('-l', '--', cut === 0 ? text.slice(1) : text.slice(cut));
    typed.push({ agent: agent.name, text });
    await pause(150 + roll() * 600);
    // A person sees an Enter that was not taken, and presses it again.
    for (;;) {
      await keys('Enter');
      for (let looks = 0; looks < 4; looks++) {
        await pause(60);
        if (!(await draftOf(agent))?.includes(`draft ${n} `)) return;
      }
    }
  }

  return {
    typed,
    async drafts(count) {
      for (let n = 0; n < count && !signal.aborted; n++) {
        await pause(roll() * 400);
        await write(n);
      }
    },
    close: async () => desk[Symbol.asyncDispose](),
  };
}
