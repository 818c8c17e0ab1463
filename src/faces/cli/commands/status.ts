import type { Context } from '../command.ts';
import { NO_FARM_HINT } from '../has-farm.ts';
import { paintFor, stdout } from '../out.ts';
import { forReader } from '../view/at-words.ts';
import { safe } from '../view/safe.ts';
import { statusLines } from '../view/status.ts';

/** In a repository without a farm that is the answer: none is started for the question. */
export async function status(context: Context): Promise<void> {
  if (!(await context.hasFarm())) {
    context.document(NOTHING);
    return context.print(`no farm in ${context.place().root}`, `begin with: ${NO_FARM_HINT}`);
  }
  const found = await (await context.farm()).call('status', {});
  context.document(found);
  // The view shows questions as they are, and takes nothing out of them.
  if (!context.json) context.print(...forReader(statusLines({ ...safe(found), attention: found.attention }, Date.now(), paintFor(stdout))));
}

const NOTHING = {
  farm: { state: 'stopped', stopped: null, pid: null, version: null },
  agents: [],
  tasks: {},
  target: null,
  queue: {
    target: null,
    depth: 0,
    checking: 0,
    setups: 0,
    head: null,
    published: null,
    waiting: null,
    draining: null,
    paused: false,
    halted: null,
    pending: [],
    hanging: [],
  },
  config: null,
  attention: [],
  inbox: 0,
  cost: { usd: 0, tokens: 0 },
};
