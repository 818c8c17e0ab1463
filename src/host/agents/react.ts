import { usdOf } from '../../agent/budget.ts';
import { type AgentEvent, type Decision, PASS, type ToolUse } from '../../agent/event.ts';
import { decide, forbidden } from '../../agent/permission/decide.ts';
import { guard } from '../../agent/permission/guard.ts';
import type { Farm } from '../../farm/farm.ts';
import { append } from '../../journal/event.ts';
import type { EventKind } from '../../journal/event-kind.ts';
import { heldUntil, settleRequest } from '../../supervision/signals.ts';
import type { Ears, Live, React } from './ears.ts';
import { writeUsage } from './heard.ts';
import { policyFor } from './policy.ts';
import type { Post } from './post.ts';
import { noteProviderLimit } from './providers.ts';
import { type Request, type Requests, readAnswers, readLeave } from './requests.ts';
import { endTurn, lateEnd } from './turn-end.ts';

/** Handles each kind of agent event, and decides its answer. */
export function reaction(farm: Farm, requests: Requests, post: Post, ears: () => Ears): React {
  return async (live, event, source, signal) => {
    switch (event.on) {
      case 'prompt':
        await post.taken(live, event.text);
        return PASS;
      case 'tool':
        return before(farm, live, event.tool);
      case 'tool-done':
        await post.confirm(live);
        return post.beside(live);
      case 'permission':
        return permission(farm, live, event, signal, requests, ears());
      case 'question':
        return question(live, event, signal, requests, ears());
      case 'answered':
        await requests.settled(live, event.request);
        return PASS;
      case 'turn-ended':
        await requests.settled(live, '');
        await post.confirm(live);
        // Read from a transcript it is over for good: no answer goes back that way.
        return source === 'transcript' ? lateEnd(farm, live, event.last, post, ears()) : endTurn(farm, live, event.last, post, ears());
      case 'turn-failed':
      case 'retrying':
        if (event.why !== 'limit' && event.why !== 'overloaded') return PASS;
        // Where the provider names no time, the agent waits for as long as the others do.
        await ears().note(live, { signals: heldUntil(live.heard.signals, await noteProviderLimit(farm, live, event)) });
        return PASS;
      case 'usage': {
        const { price } = live.own;
        const usd = usdOf(event.usage, price && { ...price, cached: price.cached ?? price.input });
        await writeUsage(farm.db, live.attempt, event.session, event.usage, usd, farm.clock.now());
        return PASS;
      }
      case 'interrupted':
        await requests.settled(live, '');
        return PASS;
      case 'ready':
      case 'closed':
        return PASS;
      default:
        return event satisfies never;
    }
  };
}

/**
 * Protected paths and what others hold are denied before the edit happens, whatever the mode; what a rule denies, too:
 * agents do not ask for everything (claude touches, moves and removes files without a word once it may edit).
 */
async function before(farm: Farm, live: Live, tool: ToolUse): Promise<Decision> {
  const policy = await policyFor(farm, live, tool);
  const asked = { tool, worktree: live.worktree };
  const reason = guard(asked, policy)?.reason ?? forbidden(asked, policy);
  if (reason === undefined) return PASS;
  await tell(farm, live, 'agent.denied', `${live.agent} may not ${inShort(tool)}: ${reason}`);
  return { do: 'deny', reason };
}

async function permission(
  farm: Farm,
  live: Live,
  { request, tool }: Extract<AgentEvent, { on: 'permission' }>,
  signal: AbortSignal,
  requests: Requests,
  ears: Ears,
): Promise<Decision> {
  const policy = await policyFor(farm, live, tool);
  const denied = guard({ tool, worktree: live.worktree }, policy);
  const verdict = denied ? ({ do: 'deny', by: denied.reason } as const) : decide({ tool, worktree: live.worktree }, policy);
  if (verdict.do !== 'ask') {
    await tell(farm, live, 'agent.permission', `${verdict.do === 'allow' ? 'allowed' : 'denied'}: ${inShort(tool)}`, { by: verdict.by });
    await answered(live, request, ears);
    return verdict.do === 'allow' ? { do: 'allow' } : { do: 'deny', reason: verdict.by };
  }
  const suggest = 'suggest' in verdict && verdict.suggest ? { suggest: verdict.suggest } : {};
  const hint = 'suggest' in suggest ? ` (a rule would ${suggest.suggest} it)` : '';
  const asked: Request = { kind: 'permission', request, tool, reason: `${live.agent} asks to ${inShort(tool)}${hint}`, ...suggest };
  const words = await requests.ask(live, asked, signal);
  if (words === undefined) return PASS;
  await answered(live, request, ears);
  return readLeave(words);
}

async function question(
  live: Live,
  { request, questions }: Extract<AgentEvent, { on: 'question' }>,
  signal: AbortSignal,
  requests: Requests,
  ears: Ears,
): Promise<Decision> {
  const shown = questions.map((one) => `${one.text}${one.options.length > 0 ? ` (${one.options.join(' | ')})` : ''}`).join('; ');
  const words = await requests.ask(live, { kind: 'question', request, questions, reason: `${live.agent} asks: ${shown}` }, signal);
  if (words === undefined) return PASS;
  await answered(live, request, ears);
  return words.startsWith('deny:') ? readLeave(words) : readAnswers(words, questions);
}

/** It waits no more; the state says so before the agent does. */
async function answered(live: Live, request: string, ears: Ears): Promise<void> {
  await ears.note(live, { signals: settleRequest(live.heard.signals, request) });
}

async function tell(farm: Farm, live: Live, kind: EventKind, text: string, data = {}): Promise<void> {
  const now = farm.clock.now();
  await farm.db.transaction().execute((tx) => append(tx, { kind, agent: live.agent, task: live.task, attempt: live.n, text, data }, now));
  farm.wake();
}

const SHOWN = 300;

function inShort(tool: ToolUse): string {
  const what = tool.command ?? (tool.paths.length > 0 ? tool.paths.join(', ') : tool.name);
  const verb = { run: 'run', edit: 'change', read: 'read', fetch: 'fetch', other: 'use' }[tool.action];
  return `${verb} ${what.length > SHOWN ? `${what.slice(0, SHOWN)}…` : what}`;
}
