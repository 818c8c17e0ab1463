import { usdOf } from '../../../agents/agent/budget.ts';
import { type AgentEvent, type Decision, PASS, type Source, type ToolUse } from '../../../agents/agent/event.ts';
import { decide, forbidden } from '../../../agents/agent/permission/decide.ts';
import { deniedEdit } from '../../../agents/agent/permission/denied.ts';
import { placeOf } from '../../../agents/agent/permission/policy.ts';
import type { EventKind } from '../../../journal/event-kind.ts';
import { redact } from '../../../platform/redact.ts';
import { beginning, visible } from '../../../platform/visible.ts';
import { limitKey } from '../../farm/accounts.ts';
import type { Host } from '../host.ts';
import type { Respond } from './agent-events.ts';
import { checkBudget, endTurn, endTurnLate, type TurnContext } from './judge-turn.ts';
import { askedOf, policyFor } from './permission-policy.ts';
import { type Request, type Requests, readAnswers, readLeave } from './requests.ts';
import type { RunningAttempt } from './running.ts';

interface Context extends TurnContext {
  readonly requests: Requests;
}

type Failure = Extract<AgentEvent, { on: 'turn-failed' | 'retrying' }>;

/** Acts on each event of an agent for the farm, and decides what the agent is answered. */
export function responder(at: Context): Respond {
  const { farm, messages, requests } = at;
  return async (running, event, source, signal) => {
    switch (event.on) {
      case 'prompt':
        await messages.taken(running, event.text);
        return PASS;
      case 'tool':
        return beforeTool(farm, running, event.tool);
      case 'tool-done':
        await messages.confirm(running);
        return messages.beside(running);
      case 'permission':
        return permission(at, running, event, signal);
      case 'question':
        return question(at, running, event, signal);
      case 'answered':
        await requests.answeredInWindow(running, event.request);
        return PASS;
      case 'turn-ended':
        return turnEnded(at, running, event.last, source);
      case 'turn-failed':
      case 'retrying':
        await noteLimit(at, running, event);
        return PASS;
      case 'usage':
        await noteUsage(farm, running, event);
        await checkBudget(at, running);
        return PASS;
      case 'interrupted':
        await requests.answeredInWindow(running, '');
        return PASS;
      case 'ready':
      case 'closed':
        return PASS;
      default:
        return event satisfies never;
    }
  };
}

async function turnEnded(at: Context, running: RunningAttempt, last: string, source: Source): Promise<Decision> {
  await at.requests.answeredInWindow(running, '');
  await at.messages.confirm(running);
  // What is read from a transcript is over: no answer can go back.
  return source === 'transcript' ? endTurnLate(at, running, last) : endTurn(at, running, last);
}

/** A limit holds for all agents of the provider. Where the provider names no time, the agent waits for as long as the others do. */
async function noteLimit({ farm, running: attempts }: Context, running: RunningAttempt, { why, text, until }: Failure): Promise<void> {
  const { agent } = running;
  const provider = limitKey(running.driver, running.own);
  if (!provider || (why !== 'limit' && why !== 'overloaded')) return;
  const refusal = { provider, agent, until: until ?? null, text };
  const ends = await farm.leader.turns.refused(refusal);
  await attempts.advance(running, { on: 'limited', until: ends });
}

async function noteUsage(farm: Host, running: RunningAttempt, { session, usage }: Extract<AgentEvent, { on: 'usage' }>): Promise<void> {
  const { price } = running.own;
  const usd = usdOf(usage, price && { ...price, cached: price.cached ?? price.input });
  await farm.report({ usage: [{ attempt: running.attempt, session, usage, usd }] });
}

/**
 * Protected paths and what others hold are denied before the edit happens, whatever the mode; what a rule denies, too:
 * agents do not ask for everything (claude touches, moves and removes files without a word once it may edit).
 */
async function beforeTool(farm: Host, running: RunningAttempt, tool: ToolUse): Promise<Decision> {
  const policy = await policyFor(farm, running);
  const asked = await askedOf(farm, running, tool);
  const reason = deniedEdit(asked, policy)?.reason ?? forbidden(asked, policy);
  if (reason === undefined) return PASS;
  await tell(farm, running, { kind: 'agent.denied', text: `${running.agent} may not ${inEvent(tool)}: ${reason}`, data: named(tool) });
  return { do: 'deny', reason };
}

async function permission(
  at: Context,
  running: RunningAttempt,
  { request, tool }: Extract<AgentEvent, { on: 'permission' }>,
  signal: AbortSignal,
): Promise<Decision> {
  const policy = await policyFor(at.farm, running);
  const judged = await askedOf(at.farm, running, tool);
  const denied = deniedEdit(judged, policy);
  const verdict = denied ? ({ do: 'deny', by: denied.reason } as const) : decide(judged, policy);
  if (verdict.do !== 'ask') {
    const text = `${verdict.do === 'allow' ? 'allowed' : 'denied'}: ${inEvent(tool)}`;
    await tell(at.farm, running, { kind: 'agent.permission', text, data: { by: verdict.by, ...named(tool) } });
    await answered(at, running, request);
    return verdict.do === 'allow' ? { do: 'allow' } : { do: 'deny', reason: verdict.by };
  }
  const suggest = 'suggest' in verdict && verdict.suggest ? { suggest: verdict.suggest } : {};
  const beside = { folder: placeOf(judged).cwd, rules: verdict.by, ...suggest };
  const asked: Request = { kind: 'permission', request, tool, reason: `${running.agent} asks to ${whole(tool)}`, ...beside };
  const words = await at.requests.ask(running, asked, signal);
  if (words === undefined) return PASS;
  await answered(at, running, request);
  return readLeave(words);
}

async function question(
  at: Context,
  running: RunningAttempt,
  { request, questions }: Extract<AgentEvent, { on: 'question' }>,
  signal: AbortSignal,
): Promise<Decision> {
  const shown = questions.map((one) => `${one.text}${one.options.length > 0 ? ` (${one.options.join(' | ')})` : ''}`).join('; ');
  const asked: Request = { kind: 'question', request, questions, reason: `${running.agent} asks: ${shown}` };
  const words = await at.requests.ask(running, asked, signal);
  if (words === undefined) return PASS;
  await answered(at, running, request);
  return words.startsWith('deny:') ? readLeave(words) : readAnswers(words, questions);
}

const answered = (at: Context, running: RunningAttempt, request: string) =>
  at.running.advance(running, { on: 'request-answered', request });

async function tell(
  farm: Host,
  running: RunningAttempt,
  event: { kind: EventKind; text: string; data?: Record<string, unknown> },
): Promise<void> {
  const { agent, task, n } = running;
  await farm.report({ events: [{ data: {}, ...event, agent, task, attempt: n }] });
  farm.wake();
}

const VERBS = { run: 'run', edit: 'change', read: 'read', fetch: 'fetch', other: 'use' } satisfies Record<ToolUse['action'], string>;

/** An event has at most so much of a request in its text; all of it is in its data. */
const SHOWN = 300;

/** The whole request of a tool, to be judged by a person: a command line, files, or a tool with all that it is given. Not yet fit for a terminal. */
export function whole(tool: ToolUse): string {
  const what = tool.command ?? (tool.paths.length > 0 ? tool.paths.join(', ') : `${tool.name} ${JSON.stringify(tool.input ?? null)}`);
  return `${VERBS[tool.action]} ${what}`;
}

/** The request for an event, which nobody has to answer. */
export const inEvent = (tool: ToolUse): string => beginning(visible(redact(whole(tool))), SHOWN, 'furrow log --json');

/** The part of the request that an event keeps: all of the command, or the names of the files without what would be written into them. */
export const named = ({ name, command, paths }: ToolUse) => ({ tool: name, ...(command === undefined ? { paths } : { command }) });
