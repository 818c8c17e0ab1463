import { type Fields, fields, text } from '../drivers/json.ts';
import { type Desk, tellUsage } from './desk.ts';
import { dim, endLines, plain, planLines, red, useLines } from './shown-lines.ts';
import { type Call, isOurs, isTold, toolOf, updated } from './tool.ts';
import { wordsIn } from './wire.ts';

/** An agent that begins uses of tools and never ends them fills no memory. */
const MOST_CALLS = 1000;

const SAYS = new Set(['agent_message_chunk', 'agent_thought_chunk', 'tool_call', 'tool_call_update']);

/** Takes in what the agent tells of its work: it is shown, and the farm is told. */
export async function told(desk: Desk, method: string, params: Fields): Promise<void> {
  if (method !== 'session/update' || (desk.session !== '' && params['sessionId'] !== desk.session)) return;
  const update = fields(params['update']);
  if (desk.quiet) return;
  desk.heard ||= SAYS.has(text(update['sessionUpdate']));
  switch (update['sessionUpdate']) {
    case 'agent_message_chunk':
      saying(desk, wordsIn([update['content']]));
      break;
    case 'agent_thought_chunk':
      desk.window.stream(wordsIn([update['content']]), dim);
      break;
    case 'tool_call':
    case 'tool_call_update':
      await toolTold(desk, update);
      break;
    case 'plan':
      desk.window.print(...planLines(update));
      await desk.post({ on: 'tool-done', tool: { name: 'plan', action: 'other', paths: [], input: null }, failed: false });
      break;
    case 'usage_update':
      desk.spent.update(update);
      await tellUsage(desk);
      break;
    case 'notice':
      desk.window.print((update['severity'] === 'error' ? red : dim)(`${text(update['title'])} ${text(update['description'])}`));
      break;
  }
  await desk.window.flushed();
}

/** The last words are kept for the end of the turn. */
const KEPT = 4000;

function saying(desk: Desk, words: string): void {
  desk.last = (desk.last + words).slice(-KEPT);
  desk.window.stream(words, plain);
}

async function toolTold(desk: Desk, update: Fields): Promise<void> {
  const id = text(update['toolCallId']);
  const before = desk.calls.get(id);
  const call = updated(before, update);
  // What it says after this is another message.
  desk.last = '';
  if (call.status !== 'completed' && call.status !== 'failed') {
    if (desk.calls.size < MOST_CALLS || before) desk.calls.set(id, call);
    if (isTold(call)) showUse(desk, call);
    return;
  }
  showUse(desk, call);
  desk.calls.delete(id);
  desk.shown.delete(id);
  desk.window.print(...endLines(call));
  await toolEnded(desk, call);
}

/** Shows a use of a tool, once. */
export function showUse(desk: Desk, call: Call): void {
  if (desk.shown.has(call.id)) return;
  desk.shown.add(call.id);
  desk.window.print(...useLines(call));
}

async function toolEnded(desk: Desk, call: Call): Promise<void> {
  const tool = { ...toolOf(call), input: null };
  const asked = desk.asked.delete(call.id);
  if (tool.action === 'edit' && call.status === 'completed' && !asked && !isOurs(call)) desk.note({ on: 'unasked' });
  const answer = await desk.post({ on: 'tool-done', tool, failed: call.status === 'failed' });
  if (answer.do === 'tell') desk.queue(answer.text);
}
