import { isAbsolute, relative, resolve } from 'node:path';
import { visible } from '../../../platform/visible.ts';
import { type Fields, fields, list, text } from '../drivers/json.ts';
import type { AgentEvent, Decision, ToolUse } from '../event.ts';
import type { Desk } from './desk.ts';
import { answered, questionsIn } from './form.ts';
import { dim, red } from './shown-lines.ts';
import { showUse } from './told.ts';
import { type Call, isOurs, toolOf, updated } from './tool.ts';
import { METHOD_NOT_FOUND, Refused } from './wire.ts';

type Asking = Extract<AgentEvent, { on: 'permission' | 'question' }>;

/** Answers a request of the agent's. Files and terminals are none of ours to give: it works in its worktree by itself. */
export async function asked(desk: Desk, method: string, params: Fields): Promise<object> {
  if (desk.session === '' || params['sessionId'] !== desk.session)
    throw new Refused({ code: METHOD_NOT_FOUND, message: 'no such session' });
  if (method === 'session/request_permission') return permission(desk, params);
  if (method === 'elicitation/create') return question(desk, params);
  throw new Refused({ code: METHOD_NOT_FOUND, message: `furrow does not offer ${method}` });
}

/** Counts the requests, which agents need not name. */
let count = 0;

async function permission(desk: Desk, params: Fields): Promise<object> {
  const update = fields(params['toolCall']);
  const call = updated(desk.calls.get(text(update['toolCallId'])), update);
  const options = list(params['options']).map(fields);
  desk.calls.set(call.id, call);
  desk.asked.add(call.id);
  showUse(desk, call);
  if (isOurs(call)) return chosen(options, 'allow');
  const decision = await decide(desk, call);
  if (desk.turn?.signal.aborted !== false) return { outcome: { outcome: 'cancelled' } };
  if (decision.do !== 'deny') return chosen(options, decision.do === 'allow' ? 'allow' : 'reject');
  desk.denials.push(`${brief(toolOf(call))}: ${decision.reason}`);
  desk.window.print(red(`  denied: ${visible(decision.reason)}`));
  return chosen(options, 'reject');
}

/** An edit inside the worktree is only looked at, as with agents that do not ask for it; for the rest leave is asked. */
async function decide(desk: Desk, call: Call): Promise<Decision> {
  const tool = toolOf(call);
  const { signal } = desk.turn ?? { signal: AbortSignal.abort() };
  const inside = tool.action === 'edit' && tool.paths.length > 0 && tool.paths.every((path) => isInside(desk.order.cwd, path));
  const looked = inside ? await desk.ask({ on: 'tool', tool }, signal) : undefined;
  // Where nobody looked at it, leave is asked, which waits for a daemon that is away.
  if (looked) return looked.do === 'deny' ? looked : { do: 'allow' };
  const request = `${call.id || 'request'} ${++count}`;
  const words = `${visible(tool.command ?? (call.title || tool.name))}? y or n`;
  const given = await dialog(desk, { on: 'permission', request, tool }, words, signal);
  if (typeof given !== 'string') return given.do === 'pass' ? { do: 'deny', reason: 'nobody could be asked' } : given;
  return /^y(es)?$/i.test(given.trim()) ? { do: 'allow' } : { do: 'deny', reason: given.trim() === 'n' ? 'a person said no' : given };
}

/** Links are followed by the farm, which judges the edit. */
function isInside(folder: string, path: string): boolean {
  const inside = relative(folder, resolve(folder, path));
  return inside !== '' && !inside.startsWith('..') && !isAbsolute(inside);
}

/** Leave is given once and never for all that follows: each request is the rules' to judge. */
function chosen(options: readonly Fields[], how: 'allow' | 'reject'): object {
  const found =
    options.find(({ kind }) => kind === `${how}_once`) ??
    (how === 'reject' ? options.find(({ kind }) => kind === 'reject_always') : undefined);
  const outcome = found ? { outcome: 'selected', optionId: found['optionId'] } : { outcome: 'cancelled' };
  return { outcome };
}

const brief = (tool: ToolUse): string => visible(tool.command ?? `${tool.name} ${tool.paths.join(', ')}`).slice(0, 200);

async function question(desk: Desk, params: Fields): Promise<object> {
  const questions = questionsIn(params);
  const { signal } = desk.turn ?? { signal: AbortSignal.abort() };
  if (params['mode'] !== 'form' || questions.length === 0) return { action: 'decline' };
  desk.window.print(...questions.flatMap((one) => [`? ${visible(one.text)}`, ...one.options.map((option) => dim(`  ${visible(option)}`))]));
  const event = { on: 'question', request: `question ${++count}`, questions } as const;
  const given = await dialog(desk, event, 'an answer', signal);
  if (signal.aborted) return { action: 'cancel' };
  if (typeof given === 'string') return { action: 'accept', content: answered(params, [[given]]) };
  return given.do === 'answer' ? { action: 'accept', content: answered(params, given.answers) } : { action: 'decline' };
}

/** The farm is asked, and a person in the window may be faster; where the farm leaves it open, it is the person's. */
async function dialog(desk: Desk, event: Asking, detail: string, signal: AbortSignal): Promise<Decision | string> {
  const settled = new AbortController();
  const either = AbortSignal.any([signal, settled.signal]);
  desk.window.show('waiting', detail);
  const typed = desk.order.typed ? desk.typed(either) : new Promise<never>(() => {});
  typed.catch(() => {});
  try {
    const farm = desk
      .post(event, either)
      .then<Decision | string>((decision) => (decision.do === 'pass' && desk.order.typed && !signal.aborted ? typed : decision));
    const first = await Promise.race([farm, typed]);
    if (typeof first === 'string') void desk.post({ on: 'answered', request: event.request });
    return first;
  } catch {
    return { do: 'pass' };
  } finally {
    settled.abort();
    desk.window.show('working');
  }
}
