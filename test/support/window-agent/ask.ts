import { spawnSync } from 'node:child_process';
import type { AgentEvent, Decision } from '../../../src/agents/agent/event.ts';
import { type Desk, learn, toolEnded } from './desk.ts';
import { run } from './tool.ts';

type Asking = Extract<AgentEvent, { on: 'permission' | 'question' }>;

/** Asks for leave to run a command, and runs it when it has that. */
export async function permission(command: string, desk: Desk, signal: AbortSignal): Promise<void> {
  const tool = run(command, { command });
  const request = `p${desk.done + 1}`;
  const given = await dialog({ on: 'permission', request, tool }, `permission: ${command}? y or n`, desk, signal);
  const allowed = typeof given === 'string' ? /^y(es)?$/i.test(given.trim()) : given.do === 'allow';
  if (!allowed) {
    const why = typeof given === 'object' && given.do === 'deny' ? given.reason : 'not allowed';
    return learn(`denied: ${why}`, desk);
  }
  const done = spawnSync('sh', ['-c', command], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  desk.say(`ran ${command}: exit ${done.status}`);
  await toolEnded(tool, done.status !== 0, desk, signal);
}

export async function question(text: string, options: readonly string[], desk: Desk, signal: AbortSignal): Promise<void> {
  const request = `q${desk.done + 1}`;
  const given = await dialog({ on: 'question', request, questions: [{ text, options }] }, `question: ${text}`, desk, signal);
  const answer = typeof given === 'string' ? given : given.do === 'answer' ? given.answers.flat().join(', ') : '(none)';
  learn(`answered: ${answer}`, desk);
}

/** The farm is asked, and a person in the window may be faster; `pass` leaves it to the person. */
async function dialog(event: Asking, detail: string, desk: Desk, signal: AbortSignal): Promise<Decision | string> {
  desk.show('waiting', detail);
  const settled = new AbortController();
  const either = AbortSignal.any([signal, settled.signal]);
  const typed = desk.answer(either);
  typed.catch(() => {});
  try {
    const farm = desk.post(event, either).then<Decision | string>((decision) => (decision.do === 'pass' ? typed : decision));
    const first = await Promise.race([farm, typed]);
    if (typeof first === 'string') void desk.post({ on: 'answered', request: event.request });
    return first;
  } finally {
    settled.abort();
    desk.show('working');
  }
}
