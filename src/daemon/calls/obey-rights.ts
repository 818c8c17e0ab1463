import type { Caller } from '../../api/caller.ts';
import type { CallName } from '../../api/contract.ts';
import { refusal } from '../../api/rights.ts';
import type { CallContext, Handlers } from '../../api/server.ts';
import { FurrowError } from '../../platform/error.ts';
import { refOf } from '../../work/task/id.ts';
import type { Farm } from '../farm/farm.ts';
import { findTask } from './context.ts';

type Handle = (args: unknown, context: CallContext) => Promise<unknown>;

/** Puts the table of rights in front of every call, by whichever way it comes. */
export function obeyRights(farm: Farm, handlers: Handlers): Handlers {
  const calls = Object.entries(handlers as Record<string, Handle>).map(([name, handle]) => [
    name,
    async (args: unknown, context: CallContext) => {
      const call = name as CallName;
      const refused = refusal(call, args, context.caller, await isMine(farm, args, context.caller));
      if (refused) throw refused;
      return handle(args, context);
    },
  ]);
  return Object.fromEntries(calls) as Handlers;
}

/** True when the task or the agent that a call names is the caller's own. */
async function isMine(farm: Farm, args: unknown, caller: Caller): Promise<boolean> {
  if (caller.kind === 'person') return true;
  const { task, agent } = args as { task?: unknown; agent?: unknown };
  if (typeof task === 'string') {
    const found = await findTask(farm, task).catch(() => undefined);
    return found?.ref === refOf(caller.speaker.phase, caller.speaker.task);
  }
  return agent === undefined || agent === caller.agent;
}

/** Questions to a person that a caller may see: requests and reasons of other agents are hidden from an agent. */
export function shownTo<Q extends { readonly agent: string | null }>(caller: Caller, questions: readonly Q[]): readonly Q[] {
  return caller.kind === 'person'
    ? questions
    : questions.filter((one) => one.agent === caller.agent || (caller.orchestrator && one.agent === null));
}

/** The attempt that a call is made for. The table of rights lets only agents come this far. */
export function speakerOf({ caller }: CallContext) {
  if (caller.kind === 'agent') return caller.speaker;
  throw new FurrowError('NOT_AN_AGENT', 'only an agent that furrow started can say this', { hint: 'furrow --help' });
}
